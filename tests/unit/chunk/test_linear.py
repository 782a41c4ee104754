"""Invariant 7: work grows linearly with the document, measured by counting, not by a clock."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable

import pytest

from withgrain.chunk import POLICIES, Context, chunk_document, leaves
from withgrain.parse import parse
from withgrain.testing import CountingTokenizer
from withgrain.testing.embedders import HashEmbedder
from withgrain.tokens import from_callable

CONTEXT = Context(embed=HashEmbedder(window=10_000).embed_documents)
HOSTILE: dict[str, Callable[[int], str]] = {
    "one table of tiny rows": lambda n: "|a|b|\n|-|-|\n" + "|1|2|\n" * n,
    "delimiter rows as rows": lambda n: "|a|b|\n|-|-|\n" + "|-|-|\n" * n,
    "one list of tiny items": lambda n: "1. a\n" * n,
    "task list": lambda n: "- [ ] a\n" * n,
    "a long heading above many sections": lambda n: "# " + "word " * n + "\n\n" + "## a\n\nbody\n\n" * (n // 3),
    "a paragraph as a setext heading": lambda n: "a\n" * n + "===\n",
    "a table of many columns": lambda n: "|" + "a|" * n + "\n|" + "-|" * n + "\n|" + "1|" * n + "\n",
    "one paragraph of sentences": lambda n: "One two. " * n,
    "one word": lambda n: "x" * n * 4,
}


def calls(work: Callable[[], object]) -> int:
    """Return the number of function calls that a piece of work makes."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def work(text: str, policy: str) -> tuple[int, int]:
    """Return function calls and characters encoded for chunks and leaves of a text."""
    counting = CountingTokenizer(from_callable(lambda t: len(t.split()) + len(t) // 6, name="fake", version="1"))
    document = parse(text.encode(), uri="a.md")
    chosen = POLICIES[policy]
    if chosen.unit == "tokens" and chosen.budget.maximum > 512:  # else the smaller text fits whole and costs nothing
        chosen = chosen.with_maximum(480)

    def cut() -> None:
        for chunk in chunk_document(document, chosen, counting, context=CONTEXT).chunks:
            leaves(document, chunk, counting, 254)

    return calls(cut), counting.characters


# `strict` is `structure_aware` that leaves out more: what it drops costs nothing, which would hide the rest.
@pytest.mark.parametrize("policy", sorted(POLICIES.keys() - {"strict"}))
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_work_grows_linearly(name: str, policy: str) -> None:
    """Four times the text is at most 5.5 times the calls and the encoded characters (n log n, with room)."""
    small_calls, small_characters = work(HOSTILE[name](500), policy)
    large_calls, large_characters = work(HOSTILE[name](2000), policy)
    assert large_calls <= 5.5 * small_calls
    assert large_characters <= 5.5 * small_characters


def test_a_heading_of_any_length_keeps_the_path_short_and_loses_nothing() -> None:
    """A heading over the bound is content as well: its end is in a body."""
    text = f"# {'word ' * 300}lastword\n\n## Part\n\nBody.\n"
    document = parse(text.encode(), uri="a.md")
    chunked = chunk_document(document)
    assert chunked.audit.words_lost == 0
    assert all(len(name) <= 1002 for chunk in chunked.chunks for name in (chunk.title, *chunk.heading_path))
    assert any("lastword" in chunk.body for chunk in chunked.chunks)
