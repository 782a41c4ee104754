"""Issue 3: sizes in characters need no tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from withgrain.chunk import POLICIES, STRUCTURE_AWARE, Policy, chunk_document
from withgrain.parse import parse

TEXT = "# T\n\n" + "\n\n".join(f"Paragraph {i} says that something is so, again and again." for i in range(60))


class Refusing:
    """A tokenizer that is not to be asked."""

    name = "refusing"
    version = "1"
    additive = False

    def count(self, text: str) -> int:
        raise AssertionError("tokens were counted")

    def count_many(self, texts: Sequence[str]) -> list[int]:
        assert not texts, "tokens were counted"
        return []


CHARACTERS = [p for p in POLICIES.values() if p.unit == "characters"]


@pytest.mark.parametrize(
    "policy", [*CHARACTERS, replace(STRUCTURE_AWARE, unit="characters").with_maximum(400)], ids=lambda p: p.name
)
def test_nothing_is_tokenised(policy: Policy) -> None:
    """No count is asked for, and none is claimed."""
    chunks = chunk_document(parse(TEXT.encode(), uri="a.md"), policy, Refusing()).chunks
    assert len(chunks) > 2
    assert all(c.tokens is None for c in chunks)
    assert all(len(c.embed_text) <= policy.budget.maximum for c in chunks)


def test_with_a_window_tokens_are_counted() -> None:
    """The embedder's window is in tokens, so then they are counted exactly."""
    policy = replace(STRUCTURE_AWARE, unit="characters", classes=()).with_maximum(2000)
    chunks = chunk_document(parse(TEXT.encode(), uri="a.md"), policy, limit=100).chunks
    assert all(c.tokens is not None and c.tokens <= 100 for c in chunks)
