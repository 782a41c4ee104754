"""Policies: named, typed, versioned, refused when they contradict themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.chunk.support import bodies, cut
from withgrain.chunk import POLICIES, STRUCTURE_AWARE, Budget, Policy, chunk_document, policy
from withgrain.errors import ConfigError
from withgrain.model import Chunk, Drop
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


def _sections(words: int) -> str:
    return "# T\n\n" + "".join(
        f"## S{n}\n\n" + "\n\n".join(f"Word {n} {k} says a little more here." for k in range(words)) + "\n\n"
        for n in (1, 2)
    )


def _pieces(text: str, policy: Policy) -> tuple[Chunk, ...]:
    return chunk_document(parse(text.encode(), uri="a.md"), policy).chunks


def _with_whole(whole: int) -> Policy:
    return replace(STRUCTURE_AWARE, budget=Budget(target=60, maximum=480, whole=whole), classes=())


def test_a_section_up_to_whole_is_one_chunk_and_a_longer_one_is_cut_at_the_target() -> None:
    """`whole`: a section of at most so much is one chunk although it is above the target."""
    assert len(_pieces(_sections(20), _with_whole(400))) == 2
    assert len(_pieces(_sections(20), _with_whole(0))) > 4
    longer = _pieces(_sections(60), _with_whole(400))
    assert all((c.tokens or 0) < 130 for c in longer)


def test_a_whole_section_never_exceeds_the_maximum_or_a_given_limit() -> None:
    """`whole` scales with a smaller maximum, and the embedder's window cuts what it would keep."""
    small = _with_whole(400).with_maximum(120)
    assert small.budget.whole == 100
    for chunk in _pieces(_sections(20), small):
        assert (chunk.tokens or 0) <= 120


def test_whole_above_the_maximum_is_refused() -> None:
    """Sizes that contradict each other are an error with the sizes."""
    with pytest.raises(ConfigError, match="whole 500 is above the maximum 480"):
        _with_whole(500).check()


def test_who_gives_a_target_gets_chunks_of_that_size() -> None:
    """A target of the user's own turns whole sections off."""
    assert _with_whole(400).with_sizes(target=50).budget.whole == 0


def _with_table(rows: int) -> str:
    prose = "\n\n".join(f"Sentence {n} of the report says a little more about the year." for n in range(12))
    table = "| Item | 2018 | 2019 |\n|---|---|---|\n" + "".join(f"| item {n} | {n} | {n + 1} |\n" for n in range(rows))
    return f"# Report\n\n## Notes\n\n{prose}\n\n{table}\n{prose}\n"


def test_a_long_section_with_a_table_is_cut_at_its_own_target() -> None:
    """`tables`: the target in a section that has a table and is not one chunk."""
    sizes = Budget(target=350, maximum=480, tables=100)
    small = replace(STRUCTURE_AWARE, budget=sizes, classes=())
    plain = replace(small, budget=replace(sizes, tables=0))
    with_table, without = _with_table(20), _sections(60)
    assert len(_pieces(with_table, small)) > len(_pieces(with_table, plain)) > 1
    assert [c.span for c in _pieces(without, small)] == [c.span for c in _pieces(without, plain)]
    assert len(_pieces(_with_table(2), small)) == 1, "a section that fits stays one chunk"
