"""Packing by sums chooses what packing by counting every layout chooses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.search.build import Doc, Text, collection
from withgrain.model import Hit, Results, Span
from withgrain.search import pack, search
from withgrain.testing import HashEmbedder
from withgrain.tokens import wordpiece

LINES = ["The factor is reset.", "- a step", "| a | b |", "Überprüfung №42 ﬁx", "x" * 90, "1. Open › it [7]", "", "…"]
EMBEDDER = HashEmbedder()


class Apart:
    """The same counts, but says that sums are not allowed."""

    name, version, additive = "apart", "1", False

    def count(self, text: str) -> int:
        return wordpiece().count(text)

    def count_many(self, texts: list[str]) -> list[int]:
        return [self.count(text) for text in texts]


class Boastful(Apart):
    """Says that sums are allowed, and counts the whole text one in two."""

    additive = True

    def count(self, text: str) -> int:
        return len(text) + 5 * text.count("\n")


@st.composite
def answers(draw: st.DrawFn) -> Results:
    """Return hits of a few documents: repeated texts, long ones, with leaves and without, many under one path."""
    docs = []
    for name in range(draw(st.integers(1, 3))):
        bodies = draw(st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=14), min_size=1, max_size=6))
        texts = tuple(
            Text(path=("Guide", f"Part {n % 2}"), body="\n".join(lines).strip() or "word")
            for n, lines in enumerate(bodies)
        )
        docs.append(Doc(path=f"{name}.md", title="Guide", chunks=texts))
    snapshot = collection(docs, EMBEDDER)
    found = search(snapshot, "how is the factor reset", k=20, mode="dense", embedder=EMBEDDER)
    return replace(found, hits=tuple(_with_leaf(draw, hit) for hit in found.hits))


def _with_leaf(draw: st.DrawFn, hit: Hit) -> Hit:
    assert hit.span is not None
    start = draw(st.integers(hit.span.start, hit.span.end - 1))
    end = draw(st.integers(start + 1, hit.span.end))
    return replace(hit, leaf=draw(st.sampled_from([None, Span(start=start, end=end)])))


@settings(max_examples=60, deadline=None)
@given(results=answers(), budget=st.integers(0, 600), whole=st.none() | st.integers(0, 6))
def test_sums_choose_what_counting_chooses(results: Results, budget: int, whole: int | None) -> None:
    """`Tokenizer.additive`: "lengths of joined texts come from sums"."""
    by_sums = pack(results, max_tokens=budget, tokenizer=wordpiece(), whole=whole)
    assert by_sums == pack(results, max_tokens=budget, tokenizer=Apart(), whole=whole)


@pytest.mark.parametrize("budget", [90, 200, 900])
def test_a_budget_holds_for_a_tokenizer_that_is_not_as_additive_as_it_says(budget: int) -> None:
    texts = tuple(Text(path=("Guide", f"Part {n}"), body=f"The factor {n} is reset.\n\nAnd so on.") for n in range(20))
    snapshot = collection((Doc(path="a.md", title="Guide", chunks=texts),), EMBEDDER)
    found = search(snapshot, "how is the factor reset", k=20, embedder=EMBEDDER)
    packed = pack(found, max_tokens=budget, tokenizer=Boastful())
    assert packed.tokens == Boastful().count(packed.text) <= budget
    assert packed.items
