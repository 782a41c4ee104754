"""What a snapshot remembers changes no answer: the engine, plain Python and every way of reading agree."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest

from tests.unit.search.build import Doc, Text, bundles, contract
from withgrain.model import Change, Compare, Filter
from withgrain.store import lexicon, memory_store, open_store, reading, snapshot
from withgrain.store.engine import match_any
from withgrain.store.snapshot import LanceSnapshot
from withgrain.testing import HashEmbedder
from withgrain.types import Snapshot

EMBEDDER = HashEmbedder()
WORDS = [f"word{n}" for n in range(30)]


def documents(seed: int) -> list[Doc]:
    """Return random documents: words of very different frequency, some repeated, two labels."""
    draw = random.Random(seed)
    weights = [1 / (n + 1) for n in range(len(WORDS))]

    def text() -> Text:
        return Text(body=" ".join(draw.choices(WORDS, weights, k=draw.randint(1, 40))), quality=draw.randint(0, 99))

    return [
        Doc(path=f"{n}.md", title=f"T{n}", labels=(f"part={n % 2}",), chunks=tuple(text() for _ in range(4)))
        for n in range(draw.randint(1, 12))
    ]


def states(place: Path, seed: int) -> tuple[LanceSnapshot, Snapshot]:
    """Return the same collection on disk and in memory."""
    found: list[Snapshot] = []
    for store in (open_store(place), memory_store()):
        with store.writer(contract(EMBEDDER)) as writer:
            writer.commit(Change(upsert=bundles(documents(seed), EMBEDDER)))
            writer.finish()
            found.append(writer.snapshot())
    disk, memory = found
    assert isinstance(disk, LanceSnapshot)
    return disk, memory


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("small", [False, True], ids=["remembering", "reading anew"])
def test_every_way_of_reading_gives_the_same(seed: int, small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer and the hundredth are equal, with caches and where a collection is too large for them."""
    if small:
        monkeypatch.setattr(reading, "_TABLED", 0)
        monkeypatch.setattr(reading, "_KEPT_BYTES", 0)
        monkeypatch.setattr("withgrain.store.candidates.MOST_KEPT", 0)
        monkeypatch.setattr(snapshot, "_RECORDS", 3)
        monkeypatch.setattr(snapshot, "_CHARACTERS", 3)
        monkeypatch.setattr("withgrain.store.vectors.KEPT_BYTES", 0)
        monkeypatch.setattr(snapshot, "_FEW", 0)
    else:
        monkeypatch.setattr(lexicon, "_SCANS", 5)
    with tempfile.TemporaryDirectory() as folder:
        disk, memory = states(Path(folder) / "kb", seed)
        ids = sorted(memory.facets("chunk_id", None))
        wheres: list[Filter | None] = [None, Compare(field="labels", operator="eq", value="part=1")]
        for turn in range(3):
            for where in wheres:
                terms = random.Random(turn).sample(WORDS, 5)
                assert disk.statistics(terms, where) == memory.statistics(terms, where)
                vector = EMBEDDER.embed_query(" ".join(terms))
                for limit in (3, 99, 3):
                    near, reference = disk.dense(vector, where, limit), memory.dense(vector, where, limit)
                    assert [s for _, _, s in near] == pytest.approx([s for _, _, s in reference], abs=1e-5)
                assert disk.candidates(ids, terms) == memory.candidates(ids, terms)
                assert disk.document("nobody") is None
                assert all(disk.document(d.id) == memory.document(d.id) for d in memory.documents())
                assert disk.texts(ids) == memory.texts(ids)
                for phrase in (terms[:2], terms[:1], ["nothing"]):
                    assert disk.phrase(phrase, where, 99) == memory.phrase(phrase, where, 99)
                assert disk.chunks(ids=ids[::-1]) == memory.chunks(ids=ids[::-1])
                assert disk.leaf_spans(ids) == memory.leaf_spans(ids)


@pytest.mark.parametrize("seed", range(4))
def test_words_are_scored_as_the_engine_scores_them(seed: int) -> None:
    """BM25 from the exact counts gives every chunk the score that the engine's text index gives it."""
    with tempfile.TemporaryDirectory() as folder:
        disk, _ = states(Path(folder) / "kb", seed)
        for turn in range(5):
            terms = random.Random(turn).sample(WORDS, 4)
            query = disk._reader.tables["chunks"].search(match_any(" ".join(terms)))
            table = query.select(["chunk_id", "_score"]).limit(999).to_arrow()
            engine = dict(zip(table["chunk_id"].to_pylist(), table["_score"].to_pylist(), strict=True))
            assert dict(disk.lexical(terms, None, 999)) == pytest.approx(engine, rel=1e-5)
            best = [i for i, _ in disk.lexical(terms, None, 3)]
            assert best == [i for i, _ in disk.lexical(terms, None, 999)][:3]


@pytest.mark.parametrize("bytes_", [0, 1 << 20], ids=["mapped", "in memory"])
def test_a_state_that_is_warm_gives_the_same(bytes_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first question, after it, and without vectors."""
    monkeypatch.setattr(reading, "_KEPT_BYTES", bytes_)
    monkeypatch.setattr("withgrain.store.candidates.MOST_KEPT", bytes_)
    monkeypatch.setattr("withgrain.store.vectors.KEPT_BYTES", bytes_ or 200)
    with tempfile.TemporaryDirectory() as folder:
        disk, memory = states(Path(folder) / "kb", 1)
        ids = sorted(memory.facets("chunk_id", None))
        for _ in range(2):
            disk.warm()
            assert disk.chunks(ids=ids[:20]) == memory.chunks(ids=ids[:20])
            assert disk.candidates(ids, WORDS[:4]) == memory.candidates(ids, WORDS[:4])
            assert disk.texts(ids) == memory.texts(ids)
            near, reference = (s.dense(EMBEDDER.embed_query("okta"), None, 9, ids[:5]) for s in (disk, memory))
            assert [s for _, _, s in near] == pytest.approx([s for _, _, s in reference], abs=1e-5)
