"""The inverted index holds what the chunks have, term by term."""

from __future__ import annotations

import random

import numpy as np
import pytest

from withgrain.store.inverted import inverted


@pytest.mark.parametrize("terms", [3, 300, 70_000], ids=["few", "many", "more than 16 bits"])
def test_a_term_has_the_chunks_that_have_it(terms: int) -> None:
    """In the order of the chunks, with the counts; an unknown term has none."""
    draw = random.Random(terms)
    names = [draw.randrange(-(2**63), 2**63) for _ in range(terms)]
    size = min(terms, 400)
    chunks = [draw.sample(names, draw.randrange(size)) for _ in range(400)]
    counts = [[draw.randrange(1, 9) for _ in own] for own in chunks]
    index = inverted(
        np.array([key for own in chunks for key in own], dtype=np.int64),
        np.array([count for own in counts for count in own], dtype=np.uint8),
        np.cumsum([len(own) for own in chunks]),
    )
    for key in draw.sample(names, min(terms, 50)):
        expected = [(n, counts[n][own.index(key)]) for n, own in enumerate(chunks) if key in own]
        found = index.postings(key)
        assert list(zip(found.positions.tolist(), found.counts.tolist(), strict=True)) == expected
    assert not len(index.postings(5).positions)


def test_no_chunks_are_an_empty_index() -> None:
    """A collection without a word."""
    none = np.empty(0, dtype=np.int64)
    assert not len(inverted(none, none.astype(np.uint8), none).postings(1).positions)
