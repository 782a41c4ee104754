"""Policies: named, typed, versioned, refused when they contradict themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.chunk.support import bodies, cut
from withgrain.chunk import POLICIES, STRUCTURE_AWARE, chunk_document, policy
from withgrain.errors import ConfigError
from withgrain.model import Drop
from withgrain.parse import parse

TEXT = "# Title\n\n" + "\n\n".join(
    f"## Part {i}\n\n" + " ".join(f"Sentence {j} of part {i} says a little." for j in range(30)) for i in range(5)
)


def test_unknown_name_offers_the_nearest() -> None:
    """An unknown policy is an error with the nearest name and the list."""
    with pytest.raises(ConfigError, match=r"Did you mean structure_aware\?.*token_only"):
        policy("structure_awar")


def test_fingerprint_depends_on_every_value() -> None:
    """Another value is another fingerprint; the same values are the same."""
    assert replace(STRUCTURE_AWARE).fingerprint == STRUCTURE_AWARE.fingerprint
    assert replace(STRUCTURE_AWARE, bonds=False).fingerprint != STRUCTURE_AWARE.fingerprint
    assert STRUCTURE_AWARE.with_sizes(overlap=1).fingerprint != STRUCTURE_AWARE.fingerprint


@pytest.mark.parametrize("overlap", [60, 61])
def test_overlap_must_be_below_the_maximum(overlap: int) -> None:
    """Overlap >= size is an error."""
    document = parse(TEXT.encode(), uri="a.md")
    broken = replace(STRUCTURE_AWARE, classes=()).with_maximum(60).with_sizes(overlap=overlap)
    with pytest.raises(ConfigError, match="overlap"):
        chunk_document(document, broken)


def test_fixed_is_500_characters_with_100_repeated() -> None:
    """`fixed` = 500 characters, overlap 100, as a part: bodies stay disjoint."""
    document = parse(TEXT.encode(), uri="a.md")
    chunks = chunk_document(document, POLICIES["fixed"]).chunks
    for chunk in chunks[1:-1]:
        assert 495 <= len(chunk.embed_text) <= 500
        (overlap,) = (p for p in chunk.parts if p.role == "overlap")
        assert 95 <= len(overlap.text) <= 100


def test_token_only_fills_512_tokens_and_ignores_sections() -> None:
    """`token_only` = 512 tokens, overlap 50, blind to structure."""
    chunks = chunk_document(parse(TEXT.encode(), uri="a.md"), POLICIES["token_only"]).chunks
    for chunk in chunks[:-1]:
        assert chunk.tokens is not None
        assert 430 <= chunk.tokens <= 512
    assert any("## Part 2" in c.body and "## Part" in c.body for c in chunks)


def test_heading_policy_cuts_at_headings() -> None:
    """`heading`: a chunk never spans an H1-H3, and the heading is in the body."""
    for body in bodies(cut(TEXT, 10_000, policy=POLICIES["heading"])):
        assert sum(line.startswith("#") for line in body.splitlines()) <= 1


def test_strict_drops_what_is_below_the_minimum_and_says_so() -> None:
    """A `strict` policy reproduces the drop-below-minimum behaviour; the drop is declared."""
    text = "# A\n\nTiny.\n\n## B\n\n" + "A long section with many words in it. " * 20
    strict = replace(STRUCTURE_AWARE, classes=(), strict=True).with_sizes(minimum=50)
    chunked = chunk_document(parse(text.encode(), uri="a.md"), strict)
    assert [d for d in chunked.audit.dropped if isinstance(d, Drop) and d.reason == "below_minimum"]
    assert all("Tiny" not in c.body for c in chunked.chunks)


def test_small_siblings_join_but_a_fact_stays_alone() -> None:
    """`siblings`: small sections join under their parent with headings listed; an atomic fact is never merged."""
    entries = "\n\n".join(f"## Entry {i}\n\nOne plain line of prose." for i in range(6))
    text = f"# Log\n\n{entries}\n\n## Status\n\n`statuskey=1` means active.\n"
    merging = replace(STRUCTURE_AWARE, classes=(), merge="siblings")
    chunked = chunk_document(parse(text.encode(), uri="a.md"), merging)
    joined, fact = chunked.chunks
    assert [s.path for s in joined.sections] == [("Log", f"Entry {i}") for i in range(6)]
    assert joined.heading_path == ("Log",)
    assert fact.kind == "atomic_fact"
    assert fact.heading_path == ("Log", "Status")
