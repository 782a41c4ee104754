"""Who asks again gets the same answers from what is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.search.build import Doc, Text, bundles, collection, contract
from withgrain.model import And, Change, Compare, Filter
from withgrain.search.scoped import scoped
from withgrain.store import inside, lexicon, open_store, reading, snapshot
from withgrain.testing import HashEmbedder

EMBEDDER = HashEmbedder()
DOCS = [
    Doc(
        path=f"{n}.md",
        title=f"T{n}",
        labels=(f"part={n % 2}",),
        chunks=tuple(Text(body=f"red blue w{n} " + "red " * (n * k % 5) + "green" * (k % 2)) for k in range(4)),
    )
    for n in range(8)
]
WHERES: list[Filter | None] = [
    None,
    Compare(field="labels", operator="eq", value="part=1"),
    Compare(field="labels", operator="eq", value="nobody"),
]


@pytest.mark.parametrize("remembered", [10**6, 5, 0], ids=["all", "few", "nothing"])
@pytest.mark.parametrize("tabled", [10**6, 0], ids=["ids in a table", "ids by their hashes"])
def test_words_find_the_same_again(
    remembered: int, tabled: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same chunks, scores and phrases, whatever is remembered of terms and ids."""
    monkeypatch.setattr(lexicon, "_GAINS", remembered)
    monkeypatch.setattr(reading, "_TABLED", tabled)
    with open_store(tmp_path / "kb").writer(contract(EMBEDDER)) as writer:
        writer.commit(Change(upsert=bundles(DOCS, EMBEDDER)))
    fresh = open_store(tmp_path / "kb").snapshot()
    assert fresh is not None
    for where in WHERES:
        first = open_store(tmp_path / "kb").snapshot()
        assert first is not None
        for terms in (["red", "w3"], ["blue", "green"], ["nothing"], ["red", "blue", "w1"]):
            expected = first.lexical(terms, where, 5)
            for _ in range(3):
                assert fresh.lexical(terms, where, 5) == expected
            ids = [i for i, _ in expected]
            assert [c.chunk.id for c in fresh.chunks(ids=[*ids, "nothing"])] == ids
        for phrase in (["red", "blue"], ["blue", "red"], ["blue", "w2"], ["red", "nothing"]):
            assert fresh.phrase(phrase, where, 3) == first.phrase(phrase, where, 99)[:3]
    assert fresh.phrase(["red", "blue"], None, 99) == sorted(fresh.facets("chunk_id", None))


@pytest.mark.parametrize("many", [0, 1000])
def test_documents_are_the_same_read_by_id_and_out_of_all(
    many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks often gets them out of all; roots are known without reading any, those without a chunk apart."""
    monkeypatch.setattr(snapshot, "MANY_DOCUMENTS", many)
    empty = Doc(path="empty.md", title="Empty", root="elsewhere", chunks=())
    for place, docs, roots in (("one", DOCS, ("kb",)), ("two", [*DOCS, empty], ("elsewhere", "kb"))):
        with open_store(tmp_path / place).writer(contract(EMBEDDER)) as writer:
            writer.commit(Change(upsert=bundles(docs, EMBEDDER)))
        fresh, whole = (open_store(tmp_path / place).snapshot() for _ in range(2))
        assert fresh is not None and whole is not None
        wanted = [d.id for d in whole.documents()][::-2]
        expected = [d for d in whole.documents() if d.id in wanted]
        assert fresh.roots() == whole.roots() == roots
        for _ in range(15):
            assert fresh.documents([*wanted, wanted[0], "nobody"]) == expected
        assert fresh.documents([]) == []


@pytest.mark.parametrize("kept", [256 << 20, 0], ids=["kept", "never kept"])
def test_whole_documents_are_the_same_read_again(kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a condition at first, then by their rows, then out of memory where they fit."""
    monkeypatch.setattr(reading, "_KEPT_BYTES", kept)
    monkeypatch.setattr(snapshot, "_CHARACTERS", 0)
    with open_store(tmp_path / "kb").writer(contract(EMBEDDER)) as writer:
        writer.commit(Change(upsert=bundles(DOCS, EMBEDDER)))
        writer.commit(Change(upsert=bundles(DOCS[:2], EMBEDDER)))  # rows that were written anew
    fresh = open_store(tmp_path / "kb").snapshot()
    assert fresh is not None
    for _ in range(6):
        for document in fresh.documents():
            whole = open_store(tmp_path / "kb").snapshot()
            assert whole is not None
            assert fresh.document(document.id) == whole.document(document.id)
            assert (fresh.document(document.id) or document).text
        assert fresh.document("nobody") is None


def test_documents_are_called_by_the_end_of_their_uri(tmp_path: Path) -> None:
    """The same in both stores: whole names of files and folders, never a part of one."""
    docs = [Doc(path=p, chunks=(Text(body="red"),)) for p in ("a/reset.md", "b/reset.md", "reset.md", "preset.md")]
    other = Doc(path="reset.md", root="other", chunks=(Text(body="red"),))
    with open_store(tmp_path / "kb").writer(contract(EMBEDDER)) as writer:
        writer.commit(Change(upsert=bundles([*docs, other], EMBEDDER)))
    on_disk = open_store(tmp_path / "kb").snapshot()
    assert on_disk is not None
    for state in (on_disk, collection([*docs, other], EMBEDDER)):
        uris = {d.id: d.uri for d in state.documents()}
        for path, expected in {
            "reset.md": ["kb/a/reset.md", "kb/b/reset.md", "kb/reset.md", "other/reset.md"],
            "a/reset.md": ["kb/a/reset.md"],
            "kb/reset.md": ["kb/reset.md"],
            "set.md": [],
            "": [],
            "reset": [],
            "b": [],
        }.items():
            assert [uris[i] for i in state.documents_called(path)] == expected, path
        scope = Compare(field="root", operator="eq", value="kb")
        assert len(scoped(state, scope).documents_called("reset.md")) == 3


def test_a_few_documents_are_found_without_the_engine_and_many_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "kb").writer(contract(EMBEDDER)) as writer:
        writer.commit(Change(upsert=bundles(DOCS, EMBEDDER)))
    answers = []
    for few in (100, 0):
        monkeypatch.setattr(inside, "_FEW_DOCUMENTS", few)
        state = open_store(tmp_path / "kb").snapshot()
        assert state is not None
        ids = [d.id for d in state.documents()]
        wheres: list[Filter] = [
            Compare(field="doc_id", operator="eq", value=ids[3]),
            Compare(field="doc_id", operator="in", value=(ids[1], "nobody", ids[0])),
            Compare(field="doc_id", operator="in", value=("nobody",)),
        ]
        wheres += [And(parts=(where, Compare(field="labels", operator="eq", value="part=1"))) for where in wheres]
        answers.append(
            [
                (
                    state.lexical(["red", "w1"], where, 20),
                    state.facets("chunk_id", where),
                    state.facets("labels", where),
                )
                for where in [*wheres, *wheres]
            ]
        )
    assert answers[0] == answers[1]


def test_facets_are_remembered_and_nobody_else_s(tmp_path: Path) -> None:
    with open_store(tmp_path / "kb").writer(contract(EMBEDDER)) as writer:
        writer.commit(Change(upsert=bundles(DOCS, EMBEDDER)))
    state = open_store(tmp_path / "kb").snapshot()
    assert state is not None
    first = state.facets("labels", None)
    first["forged"] = 1
    assert state.facets("labels", None) == {"part=0": 16, "part=1": 16}


def test_bodies_are_those_of_the_chunks(tmp_path: Path) -> None:
    """In both stores, lone surrogates included, inside a scope only what it shows."""
    odd = Doc(path="odd.md", labels=("part=0",), chunks=(Text(body="half \ud83d a sign"), Text(body="red\n\nblue")))
    with open_store(tmp_path / "kb").writer(contract(EMBEDDER)) as writer:
        writer.commit(Change(upsert=bundles([*DOCS, odd], EMBEDDER)))
    on_disk = open_store(tmp_path / "kb").snapshot()
    assert on_disk is not None
    for state in (on_disk, collection([*DOCS, odd], EMBEDDER)):
        expected = {r.chunk.id: r.chunk.body for d in state.documents() for r in state.chunks(doc_id=d.id)}
        assert state.bodies([*expected, "nobody"]) == expected
        some = Compare(field="labels", operator="eq", value="part=1")
        assert scoped(state, some).bodies(list(expected)).keys() == state.facets("chunk_id", some).keys()
