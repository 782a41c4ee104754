"""`document_summary`: the outline of a document with three or more sections, where a policy asks for it."""

from __future__ import annotations

from dataclasses import replace

from withgrain.chunk import POLICIES, STRUCTURE_AWARE, Chunked, chunk_document, leaves
from withgrain.parse import parse
from withgrain.tokens import wordpiece

OUTLINED = replace(STRUCTURE_AWARE, name="outlined", summary=True)
FRONT = "---\ndescription: How users are kept.\n---\n"
TEXT = f"{FRONT}# Users\n\n## Create a user\n\nOne.\n\n## Delete\n\nTwo.\n\n### Now\n\nX.\n"


def _cut(text: str, maximum: int = 480) -> Chunked:
    return chunk_document(parse(text.encode(), uri="a.md"), replace(OUTLINED, classes=()).with_maximum(maximum))


def test_the_outline_stands_behind_the_chunks() -> None:
    """kind document_summary, generated, span None, and it says so; the others stay as they are."""
    chunked = _cut(TEXT)
    *rest, outline = chunked.chunks
    assert outline.kind == "document_summary"
    assert outline.span is None
    assert outline.body == ("Outline of Users\nHow users are kept.\n- Users\n  - Create a user\n  - Delete\n    - Now")
    assert outline.ordinal == len(rest)
    assert {c.total for c in chunked.chunks} == {len(rest) + 1}
    plain = chunk_document(parse(TEXT.encode(), uri="a.md"), replace(STRUCTURE_AWARE, classes=())).chunks
    assert [c.id for c in rest] == [c.id for c in plain]
    assert chunked.audit.words_lost == 0


def test_its_quality_has_the_points_of_a_summary() -> None:
    """document_summary +5, under 50 tokens -10, entities and operations of its headings."""
    outline = _cut(TEXT).chunks[-1]
    assert outline.facts.operations == ("create", "delete")
    assert outline.quality == 50 + 5 - 10 + 2 * len(outline.facts.entities) + 4


def test_fewer_than_three_sections_have_none() -> None:
    """A document with two headings is its own outline."""
    assert all(c.kind != "document_summary" for c in _cut("# A\n\nOne.\n\n## B\n\nTwo.\n").chunks)


def test_it_fits_by_leaving_out_the_deepest() -> None:
    """It is never over the limit: the deepest headings go first, then the last ones."""
    text = "# Top\n\n" + "\n\n".join(f"## Part {i}\n\nx\n\n### Detail number {i}\n\ny" for i in range(40))
    for maximum in (30, 60, 200, 480):
        outline = _cut(text, maximum).chunks[-1]
        assert outline.kind == "document_summary"
        assert wordpiece().count(outline.embed_text) <= maximum
        assert "more)" in outline.body or maximum == 480
    assert "Detail" not in _cut(text, 200).chunks[-1].body


def test_it_has_leaves() -> None:
    """A collection embeds it like any other chunk."""
    document = parse(TEXT.encode(), uri="a.md")
    outline = _cut(TEXT).chunks[-1]
    assert leaves(document, outline, wordpiece(), 254)


def test_no_built_in_policy_has_it() -> None:
    """It is switched on by `summary = true`: it repeats headings, and must not displace sections."""
    assert not [p.name for p in POLICIES.values() if p.summary]
