"""Readers are never locked out by an upgrade: collections that older schemas wrote, as they were on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from withgrain.errors import ContractMismatch, UsageError
from withgrain.model import FIELDS, Compare
from withgrain.store import open_store
from withgrain.store.candidates import candidate
from withgrain.types import Snapshot

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def expected(old_schema: int) -> dict[str, Any]:
    """What that version answered."""
    found: dict[str, Any] = json.loads((DATA / f"schema{old_schema}.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def snapshot(old_place: Path) -> Snapshot:
    """Its newest state."""
    found = open_store(old_place).snapshot()
    assert found is not None
    return found


def test_documents_chunks_and_leaves_are_read(snapshot: Snapshot, expected: dict[str, Any], old_schema: int) -> None:
    """Every record of the older schema; fields that it did not have are empty."""
    documents = [snapshot.document(d.id) for d in snapshot.documents()]
    read = [{"uri": d.uri, "id": d.id, "text": d.text, "sha256": d.sha256} for d in documents if d]
    assert read == expected["documents"]
    assert all(d and d.copies == () for d in documents)
    assert {d.language for d in documents if d} == ({""} if old_schema == 1 else {"", "en"})
    chunks = [c for d in documents if d for c in snapshot.chunks(doc_id=d.id)]
    assert [(c.chunk.id, c.chunk.body, c.chunk.parent_id) for c in chunks] == [
        (c["id"], c["body"], c["parent"]) for c in expected["chunks"]
    ]
    for chunk in expected["chunks"]:
        assert [leaf.id for leaf in snapshot.leaves([chunk["id"]])] == chunk["leaves"]
    assert snapshot.token_codes([chunk["id"] for chunk in expected["chunks"]]) == {}
    assert snapshot.count() == expected["count"] | {"vectors": expected["count"]["leaves"]}


def test_questions_are_answered(snapshot: Snapshot, expected: dict[str, Any], old_schema: int) -> None:
    """By words, by vectors, inside a filter, by section, and as candidates with exact counts."""
    for term, ids in expected["lexical"].items():
        assert [i for i, _ in snapshot.lexical([term], None, 100)] == ids
        records = snapshot.chunks(ids=ids)
        assert snapshot.candidates(ids, [term]) == [candidate(r, {term}) for r in records]
        assert snapshot.statistics([term], None).frequencies[term] == len(ids)
    where = Compare(field="document", operator="eq", value="notes.md")
    assert len(snapshot.dense([1.0] * 8, where, 100)) == snapshot.facets("document", None)["notes.md"]
    section = next(c["parent"] for c in expected["chunks"] if c["parent"])
    wanted = [c["id"] for c in expected["chunks"] if c["parent"] == section]
    assert [c.chunk.id for c in snapshot.sections(section)] == wanted
    assert snapshot.document_vectors().keys() == {d["id"] for d in expected["documents"]}
    assert snapshot.retired(wanted) == []
    assert snapshot.languages() == (() if old_schema == 1 else ("en",))


def test_writing_is_refused_with_the_way_out(old_place: Path, snapshot: Snapshot, old_schema: int) -> None:
    """Writing under another schema would mix rows; the message names the command that rebuilds."""
    from dataclasses import replace

    with pytest.raises(ContractMismatch, match=rf"schema: stored {old_schema}, now 3.*withgrain migrate"):
        open_store(old_place).writer(replace(snapshot.contract, schema=3))


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_a_field_that_was_not_stored_is_named(snapshot: Snapshot, field: str) -> None:
    """Never an error of the engine, which would read as damage."""
    where = Compare(field=field, operator="eq", value=1 if FIELDS[field] == "number" else "x")
    for ask in (
        lambda: snapshot.statistics((), where),
        lambda: snapshot.facets("document", where),
        lambda: snapshot.facets(field, None),
        lambda: snapshot.lexical(["x"], where, 3),
    ):
        try:
            ask()
        except UsageError as error:
            assert f'stored no "{field}"' in str(error) and "withgrain migrate" in str(error)
