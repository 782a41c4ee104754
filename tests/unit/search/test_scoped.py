"""A scope binds a filter that no call can widen; unlabelled documents are invisible under it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.model import Compare, Filter, Not
from withgrain.search import cite, search
from withgrain.search.scoped import scoped
from withgrain.testing import HashEmbedder
from withgrain.types import Snapshot

EMBEDDER = HashEmbedder()
MINE = Compare(field="labels", operator="eq", value="tenant=a")
DOCS = (
    Doc(
        path="a.md",
        title="A",
        labels=("tenant=a",),
        chunks=(
            Text(path=("A", "Keys"), body="The zebra key is rotated by the owner."),
            Text(path=("A", "More"), body="GET /api/v1/users lists users."),
        ),
    ),
    Doc(
        path="b.md",
        title="B",
        labels=("tenant=b",),
        domain="secret",
        chunks=tuple(Text(path=("B", f"S{i}"), body=f"zebra SECRET_KEY_{i} zebra users") for i in range(9)),
    ),
    Doc(path="free.md", title="Free", chunks=(Text(path=("Free",), body="A zebra without a label."),)),
)


@pytest.fixture(scope="module")
def kb() -> Snapshot:
    return collection(DOCS, EMBEDDER)


@pytest.fixture(scope="module")
def mine(kb: Snapshot) -> Snapshot:
    return scoped(kb, MINE)


def ids(kb: Snapshot, path: str) -> list[str]:
    doc = next(d for d in kb.documents() if d.path == path)
    return [r.chunk.id for r in kb.chunks(doc_id=doc.id)]


def test_without_a_scope_nothing_is_wrapped(kb: Snapshot) -> None:
    assert scoped(kb, None) is kb


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
@pytest.mark.parametrize("query", ["zebra", "SECRET_KEY_3", "zebra domain:secret", "users label:tenant=b", '"zebra"'])
def test_no_hit_from_outside(kb: Snapshot, mode: str, query: str) -> None:
    """Quote: "a filter that callers cannot widen, applied inside every channel, count, facet and suggestion"."""
    wide: tuple[Filter | None, ...] = (None, Not(part=MINE), Compare(field="labels", operator="eq", value="tenant=b"))
    for where in wide:
        found = search(kb, query, mode=mode, where=where, scope=MINE, embedder=EMBEDDER)  # type: ignore[arg-type]
        assert {h.citation.document for h in found.hits} <= {"a.md"}


def test_statistics_do_not_tell_about_the_rest(kb: Snapshot) -> None:
    """An idf or a count from outside would say that something is there."""
    alone = collection(DOCS[:1], EMBEDDER)
    inside = search(kb, "zebra key users", scope=MINE, embedder=EMBEDDER)
    expected = search(alone, "zebra key users", embedder=EMBEDDER)
    assert [(h.chunk.id, h.score) for h in inside.hits] == [(h.chunk.id, h.score) for h in expected.hits]
    assert {k: v for k, v in inside.trace.items() if k != "filter"} == {
        k: v for k, v in expected.trace.items() if k != "filter"
    }


def test_counts_facets_and_documents_are_inside(mine: Snapshot) -> None:
    assert mine.count() == {"documents": 1, "chunks": 2, "leaves": 2, "vectors": 2}
    assert mine.facets("document", None) == {"a.md": 2}
    assert mine.facets("domain", None) == {}
    assert [d.path for d in mine.documents()] == ["a.md"]
    assert mine.statistics(["zebra"], None).frequencies == {"zebra": 1}


def test_get_by_id_is_inside(kb: Snapshot, mine: Snapshot) -> None:
    foreign = ids(kb, "b.md") + ids(kb, "free.md")
    own = ids(kb, "a.md")
    assert [r.chunk.id for r in mine.chunks(ids=foreign + own)] == own
    assert {leaf.chunk_id for leaf in mine.leaves(foreign + own)} == set(own)
    for document in kb.documents():
        found = mine.document(document.id)
        assert (found is None) == (document.path != "a.md")
        assert bool(mine.chunks(doc_id=document.id)) == (document.path == "a.md")


def test_quotes_from_outside_stand_nowhere(kb: Snapshot) -> None:
    assert cite(kb, "A zebra without a label.")[0].citation.document == "free.md"
    assert all(q.citation.document == "a.md" for q in cite(kb, "A zebra without a label.", scope=MINE))


def test_of_a_document_that_is_partly_inside_only_that_part_is_told(kb: Snapshot) -> None:
    one = ids(kb, "b.md")[3]
    part = scoped(kb, Compare(field="chunk_id", operator="eq", value=one))
    (document,) = part.documents()
    assert (document.chunks, document.text, document.meta) == (1, "", {})
    full = part.document(document.id)
    assert full is not None
    assert full.text == ""
    (record,) = part.chunks(doc_id=document.id)
    assert (record.chunk.total, record.chunk.prev_id, record.chunk.next_id) == (1, None, None)
    assert cite(part, "zebra SECRET_KEY_3 zebra users")[0].chunk_id == one
    assert cite(part, "SECRET_KEY_4 zebra users")[:1] == () or cite(part, "SECRET_KEY_4 zebra users")[0].found == "near"


def test_scopes_only_narrow(kb: Snapshot) -> None:
    both = scoped(scoped(kb, MINE), Compare(field="labels", operator="eq", value="tenant=b"))
    assert both.count() == {"documents": 0, "chunks": 0, "leaves": 0, "vectors": 0}
    assert search(both, "zebra", embedder=EMBEDDER).hits == ()


def test_a_scope_with_an_unknown_field_is_refused(kb: Snapshot) -> None:
    with pytest.raises(UsageError, match="field"):
        search(kb, "zebra", scope=replace(MINE, field="tenant"), embedder=EMBEDDER)
