"""From a cut document to rows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from withgrain.chunk import chunk_document
from withgrain.ingest.records import (
    MAX_LABEL_LENGTH,
    MAX_LABELS,
    Placement,
    make_records,
    searchable_terms,
)
from withgrain.model import Chunk, ChunkRecord, DocumentRecord, Part
from withgrain.parse import parse


def _records(text: str, placement: Placement | None = None) -> tuple[DocumentRecord, tuple[ChunkRecord, ...]]:
    document = parse(text.encode(), uri="docs/sub/a.md", root="docs", modified="2026-01-02T03:04:05Z")
    return make_records(document, chunk_document(document), placement or Placement())


@pytest.mark.parametrize(
    ("meta", "labels"),
    [
        ({"service": "vault", "severity": 2, "draft": True}, ("draft=true", "service=vault", "severity=2")),
        ({"tags": ["b", "a"]}, ("tags=a", "tags=b")),
        ({"labels": {"team": "id"}}, ("team=id",)),
        ({"labels": ["team=id", "no value"]}, ("team=id",)),
        ({"title": "T", "description": "D", "domain": "okta"}, ()),
        ({"long": "x" * MAX_LABEL_LENGTH, "nested": {"a": 1}, "nothing": None, "blank": " "}, ()),
    ],
)
def test_front_matter_makes_labels(meta: dict[str, Any], labels: tuple[str, ...]) -> None:
    assert Placement().labels_of("a.md", meta) == labels


def test_labels_survive_a_store_that_sorts_keys() -> None:
    """Otherwise a document would be written again on every sync."""
    meta = {"weight": 3, "aliases": ["/b", "/a"], "labels": {"z": "1", "a": "2"}}
    stored = json.loads(json.dumps(meta, sort_keys=True))
    assert Placement().labels_of("a.md", meta) == Placement().labels_of("a.md", stored)


def test_labels_are_bounded_and_the_runs_come_first() -> None:
    labels = Placement(labels=("z=1",)).labels_of("a.md", {f"k{n:03}": n for n in range(500)})
    assert len(labels) == MAX_LABELS
    assert labels[0] == "z=1"


def test_domain_comes_from_front_matter_then_rule_then_facts() -> None:
    placement = Placement.of(domains=(("sub/", "ruled"), ("*.md", "other")))
    assert placement.domain_of("sub/a.md", {"domain": " named "}) == "named"
    assert placement.domain_of("sub/a.md", {}) == "ruled"
    assert placement.domain_of("a.md", {}) == "other"
    assert placement.domain_of("a.txt", {}) is None
    record, chunks = _records("# A\n\n@@OKTA:USERS\n\nUsers are listed here.\n")
    assert record.domain == chunks[0].domain == chunks[0].chunk.facts.domain[0]


def test_record_says_where_it_comes_from() -> None:
    record, chunks = _records("# Title\n\nText.\n", Placement(labels=("a=b",), contract="c"))
    assert (record.root, record.uri, record.path, record.title) == ("docs", "docs/sub/a.md", "sub/a.md", "Title")
    assert (record.modified, record.contract, record.chunks) == ("2026-01-02T03:04:05Z", "c", len(chunks))
    assert (chunks[0].path, chunks[0].root, chunks[0].labels) == ("sub/a.md", "docs", ("a=b",))


def _chunk(**changes: Any) -> Chunk:
    return Chunk(id="i", doc_id="d", ordinal=0, total=1, span=None, body="body words", **changes)


def test_terms_hold_title_path_context_and_body_in_order() -> None:
    chunk = _chunk(title="Guide", heading_path=("Guide", "Codes"), parts=(Part(role="table_header", text="Column"),))
    assert searchable_terms(chunk).split() == ["guid", "code", "column", "bodi", "word"]


def test_terms_count_repeated_text_once() -> None:
    """The path part repeats the heading path, and an overlap the chunk before."""
    parts = (Part(role="path", text="Guide > Codes"), Part(role="overlap", text="previous"))
    assert searchable_terms(_chunk(title="Guide", parts=parts)).split() == ["guid", "bodi", "word"]


def test_description_stays_searchable() -> None:
    """ "front_matter (which becomes metadata; title and description stay searchable)"."""
    _, chunks = _records("---\ntitle: T\ndescription: Unusual zebra\n---\n\n# A\n\nOne.\n\n# B\n\nTwo.\n")
    assert "zebra" in chunks[0].terms.split()
    assert sum("zebra" in c.terms.split() for c in chunks) == 1


def test_what_a_rule_decided_is_not_current_without_the_rule() -> None:
    """A class or domain rule that is taken away, changed or added cuts its documents again; others stay."""
    ruled = Placement.of(domains=(("sub/", "OPS"),), classes=(("sub/", "faq"),))
    document = parse(b"# Title\n\nText.\n", uri="docs/sub/a.md", root="docs")
    record, _ = make_records(document, chunk_document(document, context=ruled.context("sub/a.md")), ruled)
    assert (record.doc_class, record.domain, record.ruled) == ("faq", "OPS", ("class", "domain"))
    assert ruled.is_current(record, record.sha256)
    for other in (
        Placement.of(domains=(("sub/", "OPS"),)),
        Placement.of(classes=(("sub/", "faq"),)),
        Placement.of(domains=(("sub/", "OPS"),), classes=(("sub/", "sop"),)),
    ):
        assert not other.is_current(record, record.sha256)
    plain, _ = make_records(document, chunk_document(document), Placement())
    assert Placement().is_current(plain, plain.sha256) and not ruled.is_current(plain, plain.sha256)
    elsewhere = Placement.of(classes=(("other/", "faq"),))
    assert elsewhere.is_current(plain, plain.sha256)
