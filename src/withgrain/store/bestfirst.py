"""The chunks with the best BM25 scores, from the postings of the terms.

The rare terms come first. As soon as the frequent ones that are left cannot lift a chunk among the best any more, only
the chunks that still can be are looked up in them (MaxScore: Turtle and Flood, 1995): the answer is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from withgrain.store.inverted import Postings

if TYPE_CHECKING:
    import numpy as np

    Integers = np.ndarray[Any, np.dtype[Any]]
    Flags = np.ndarray[Any, np.dtype[np.bool_]]

#: Where fewer postings than these are left, adding them up costs less than a look at the bound.
_BOUNDED = 100_000
#: Postings that are added at once: small copies use the same memory again.
_AT_ONCE = 16_384
#: Looking one chunk up in the postings of a term costs as much as adding so many of them.
_LOOK_UP = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """A term of the question.

    Attributes:
        postings: Where it stands.
        weight: What it adds to a score at most.
    """

    postings: Postings
    weight: float

    def __len__(self) -> int:
        """Return how many chunks have it."""
        return len(self.postings.positions)


def best_first(
    terms: Sequence[Weighted], norms: Integers, allowed: Flags | None, limit: int
) -> tuple[Integers, Integers]:
    """Return positions and scores of the best chunks that have a term; more than ``limit`` for equal scores.

    Args:
        terms: Of the question.
        norms: What the length of each chunk adds to the count of a term.
        allowed: Which chunks may answer; None for all.
        limit: How many are wanted.
    """
    import numpy as np

    scores = np.zeros(len(norms))
    waiting = sorted(terms, key=len)
    while waiting:
        left = sum(map(len, waiting))
        if left >= _BOUNDED:
            rows = _found(scores, allowed)
            own = scores[rows]
            if len(rows) > limit:
                lowest = _lowest(own, limit) - sum(term.weight for term in waiting)
                able = own >= lowest - 1e-9 * abs(lowest)
                if lowest > 0 and int(able.sum()) * _LOOK_UP * len(waiting) < left:
                    rows, own = rows[able], own[able]
                    for term in waiting:
                        _look_up(term, rows, own, norms)
                    return _first(rows, own, limit)
        _add(waiting.pop(0), scores, norms, allowed)
    rows = _found(scores, allowed)
    return _first(rows, scores[rows], limit)


def _found(scores: Integers, allowed: Flags | None) -> Integers:
    import numpy as np

    return np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)


def _first(rows: Integers, scores: Integers, limit: int) -> tuple[Integers, Integers]:
    if len(rows) > limit:
        kept = scores >= _lowest(scores, limit)
        rows, scores = rows[kept], scores[kept]
    return rows, scores


def _lowest(scores: Integers, limit: int) -> float:
    """Return the score of the last of the best."""
    import numpy as np

    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _add(term: Weighted, scores: Integers, norms: Integers, allowed: Flags | None) -> None:
    """Add what a term gives to each allowed chunk that has it."""
    import numpy as np

    for start in range(0, len(term), _AT_ONCE):
        positions = term.postings.positions[start : start + _AT_ONCE]
        counts = term.postings.counts[start : start + _AT_ONCE]
        if allowed is not None:
            inside = np.flatnonzero(allowed.take(positions))
            positions, counts = positions.take(inside), counts.take(inside)
        np.add.at(scores, positions, _gains(term, counts, norms.take(positions)))


def _look_up(term: Weighted, rows: Integers, scores: Integers, norms: Integers) -> None:
    """Add what a term gives to each of some chunks."""
    import numpy as np

    positions = term.postings.positions
    places = np.minimum(np.searchsorted(positions, rows.astype(positions.dtype)), len(positions) - 1)
    has = np.flatnonzero(positions[places] == rows)
    scores[has] += _gains(term, term.postings.counts[places[has]], norms[rows[has]])


def _gains(term: Weighted, counts: Integers, norms: Integers) -> Integers:
    count = counts.astype(float)
    gains: Integers = term.weight * count / (count + norms)
    return gains
