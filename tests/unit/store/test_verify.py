"""`verify` finds what is wrong with a collection, and says nothing about a sound one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from withgrain.errors import IntegrityError, UsageError
from withgrain.model import Bundle, Change, DocumentRecord, sha256_hex
from withgrain.store import compact, open_store
from withgrain.store import engine as engine_module
from withgrain.store.head import publish, read_head
from withgrain.store.lance import LanceStore
from withgrain.store.row_checks import Found
from withgrain.store.verify import verify
from withgrain.testing.plain_reading import commit
from withgrain.testing.records import bundle, contract, retired


def sound(path: str, texts: list[str]) -> Bundle:
    """Return a document whose spans, numbers, vectors and contract are as `ingest` makes them."""
    made = bundle(path, texts)
    document: DocumentRecord = replace(made.document, contract=contract().fingerprint, stale="")
    chunks, start = [], 0
    for record in made.chunks:
        span = replace(
            made.chunks[0].chunk.span or record.source_span or _span(), start=start, end=start + len(record.chunk.body)
        )
        start = span.end + 1
        chunks.append(replace(record, chunk=replace(record.chunk, span=span)))
    leaves = tuple(replace(leaf, vector=(1.0, 0.0, 0.0, 0.0), span=None) for leaf in made.leaves)
    return Bundle(document=document, chunks=tuple(chunks), leaves=leaves)


def _span() -> Any:
    from withgrain.model import Span

    return Span(start=0, end=1)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A sound collection of two documents, twice compacted by hand, with a retired id."""
    place = tmp_path / "collection"
    with open_store(place).writer(contract()) as writer:
        writer.commit(Change(upsert=(sound("a.md", ["the one", "two"]), sound("b.md", ["it's 文档"]))))
        writer.finish()
        writer.commit(Change(upsert=(sound("a.md", ["the one", "three"]),), retire=(retired("1" * 32, None),)))
    return place


def kinds(place: Path) -> set[str]:
    """Return the kinds of problems."""
    return {p.kind for p in verify(place).problems}


def test_a_sound_collection_has_no_problem(place: Path) -> None:
    """After edits, compaction, going back, and a writer that left rows behind."""
    found = verify(place)
    assert found.problems == () and found.version == 2
    assert found.checked["documents"] == 2 and found.checked["chunks"] == 3 and found.checked["files"] > 10
    LanceStore(place).compact()
    assert verify(place).problems == ()
    LanceStore(place).restore(2)
    old = (place / "head.json").read_text()
    commit(open_store(place), [sound("c.md", ["left behind"])])
    for file in (place / "history").glob("*"):
        if int(file.stem) > 4:
            file.unlink()
    (place / "head.json").write_text(old)  # as if the process had died before publishing
    assert verify(place).problems == ()
    commit(open_store(place), [sound("d.md", ["four"])])
    assert verify(place).problems == ()


_NUMBERS = (None, "../..", [], {"chunks": "x"}, -1, 1 << 64)
_NAMES = ("version", "run", "files", "tables", "counts", "generation")


@pytest.mark.parametrize(("name", "value"), [*product(_NAMES, _NUMBERS), ("time", None), ("time", 7)])
def test_a_head_of_other_values_is_damaged(place: Path, name: str, value: object) -> None:
    """Nothing ends in a traceback, not even with a head whose checksum somebody made to fit."""
    state = json.loads((place / "head.json").read_text())["state"] | {name: value}
    checksum = sha256_hex(json.dumps(state, sort_keys=True))
    (place / "head.json").write_text(json.dumps({"checksum": checksum, "state": state}))
    with pytest.raises(IntegrityError, match="the head file is damaged"):
        LanceStore(place).snapshot()
    assert kinds(place) == {"head"}
    assert LanceStore(place).history()


@pytest.mark.parametrize("table", ["documents", "chunks", "leaves", "retired"])
def test_a_manifest_of_zeros_is_no_table_of_nothing(place: Path, table: str) -> None:
    """The engine reads it without a word: no column is there, and nothing may end in a traceback."""
    head = read_head(place)
    assert head is not None
    manifests = place / head.generation / f"{table}.lance" / "_versions"
    newest = manifests / f"{(1 << 64) - 1 - head.tables[table]}.manifest"
    newest.write_bytes(bytes(newest.stat().st_size))
    assert "file" in kinds(place)
    asked: dict[str, Callable[[Any], object]] = {
        "documents": lambda snapshot: snapshot.documents(),
        "chunks": lambda snapshot: snapshot.lexical(["one"], None, 5),
        "leaves": lambda snapshot: snapshot.dense([1.0, 0.0, 0.0, 0.0], None, 5),
        "retired": lambda snapshot: snapshot.all_retired(),
    }
    with pytest.raises(IntegrityError, match="withgrain collection verify"):
        asked[table](LanceStore(place).snapshot())


def test_there_must_be_a_collection(tmp_path: Path) -> None:
    """A place without one is a usage error."""
    with pytest.raises(UsageError):
        verify(tmp_path / "nothing")


def test_an_older_schema_is_read(old_place: Path, old_schema: int) -> None:
    """Rows are decoded and compared with one another; a note says how far that goes."""
    found = verify(old_place)
    assert found.problems == () and any(f"Schema {old_schema}" in note for note in found.notes)


def _alter(place: Path, table: str, action: Callable[[Any], None]) -> None:
    """Change a table as a faulty program would, and publish the result with sound digests."""
    head = read_head(place)
    assert head is not None
    directory = place / head.generation
    opened = engine_module.connect(directory).open_table(table)
    action(opened)
    flushed = engine_module.Flushed(directory, head.files)
    engine_module.flush(flushed)
    tables = {**head.tables, table: int(opened.version)}
    counts = {**head.counts, table: int(opened.count_rows())}
    publish(place, replace(head, version=head.version + 1, tables=tables, counts=counts, files=flushed.lines))


def _twice(table: Any) -> None:
    table.add(table.search().limit(1).to_arrow())


@pytest.mark.parametrize(
    ("table", "action", "kind"),
    [
        ("chunks", _twice, "duplicate"),
        ("leaves", _twice, "duplicate"),
        ("documents", _twice, "duplicate"),
        ("documents", lambda t: t.delete("title = 'Title of a.md'"), "orphan"),
        ("chunks", lambda t: t.delete("ordinal = 1"), "orphan"),
        ("leaves", lambda t: t.delete("true"), "vector_missing"),
        ("chunks", lambda t: t.update(where="ordinal = 1", values={"body": "else"}), "row"),
        ("chunks", lambda t: t.update(where="ordinal = 1", values={"quality": 1000}), "row"),
        ("chunks", lambda t: t.update(where="ordinal = 1", values={"term_counts": [9]}), "row"),
        ("documents", lambda t: t.update(where="true", values={"text": "else"}), "span"),
        ("leaves", lambda t: t.update(where="true", values={"vector": [0.5, 0.0, 0.0, 0.0]}), "vector_wrong"),
        ("retired", lambda t: t.update(where="true", values={"path": "else"}), "row"),
    ],
)
def test_rows_that_are_wrong(place: Path, table: str, action: Callable[[Any], None], kind: str) -> None:
    """Whatever a faulty program leaves behind has a kind, a place and a command that mends it."""
    _alter(place, table, action)
    found = verify(place)
    assert kind in {p.kind for p in found.problems}, found.problems
    assert all(p.where and p.what and p.mend for p in found.problems)


def test_records_that_are_wrong(place: Path) -> None:
    """Another contract, a vector that is still to be made."""
    a = sound("a.md", ["the one"])
    commit(open_store(place), [replace(a, document=replace(a.document, contract="other", stale="parse failed"))])
    found = verify(place)
    assert kinds(place) == {"stale_contract"} and any("parse failed" in note for note in found.notes)
    commit(open_store(place), [replace(a, leaves=tuple(replace(leaf, vector=()) for leaf in a.leaves))])
    assert kinds(place) == {"vector_missing"}


def test_an_index_that_lacks_too_many_rows(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the policy's bound it is a note, above it a problem that compaction mends."""
    commit(open_store(place), [sound("new.md", [f"text {n}" for n in range(5)])])
    assert any("lacks" in note for note in verify(place).notes)
    monkeypatch.setattr(compact, "MOST_UNCOVERED", 3)
    assert [(p.kind, p.mend) for p in verify(place).problems] == [("text_index", "withgrain collection compact")]
    LanceStore(place).compact()
    assert verify(place).problems == ()


def test_a_head_and_a_history_that_are_damaged(place: Path) -> None:
    """The way back is the newest state of the history."""
    commit(open_store(place), [sound("b.md", ["x"])])
    (place / "history" / "000000002.json").write_text("{")
    assert kinds(place) == {"history"}
    (place / "head.json").write_text("{")
    found = verify(place)
    assert found.version is None and {p.kind for p in found.problems} == {"history", "head"}
    assert [p.mend for p in found.problems if p.kind == "head"] == ["withgrain collection restore 3"]


def test_very_many_problems_are_counted() -> None:
    """The list stays short enough to read."""
    found = Found()
    for n in range(1000):
        found.add("row", str(n), "wrong", "mend")
    assert len(found.problems) == 101 and found.kinds["row"] == 1000
