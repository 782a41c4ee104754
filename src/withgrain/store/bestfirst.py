"""The chunks with the best BM25 scores, from the postings of the terms.

The rare terms come first. As soon as the frequent ones that are left cannot lift a chunk among the best any more, only
the chunks that still can be are looked up in them (MaxScore: Turtle and Flood, 1995): the answer is the same. What a
term adds to the chunks inside a filter can be kept: adding it once more is one addition a chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from withgrain.store.inverted import Postings

if TYPE_CHECKING:
    import numpy as np

    Integers = np.ndarray[Any, np.dtype[Any]]

#: Where fewer postings than these are left, adding them up costs less than a look at the bound.
_BOUNDED = 100_000
#: Postings that are read at once: small copies use the same memory again.
_AT_ONCE = 16_384
#: Looking one chunk up in the postings of a term costs as much as adding so many of them, which are then known.
_LOOK_UP = 32
#: One score of so many tells about where the best begin; so many more than that share are taken.
_SAMPLE = 32
_SPARE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """What a term adds to the score of each chunk inside that has it.

    Attributes:
        places: Of these chunks among those inside, ascending.
        numbers: What it adds.
    """

    places: Integers
    numbers: Integers

    def __len__(self) -> int:
        """Return how many chunks inside have it."""
        return len(self.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """A term of the question.

    Attributes:
        name: The term.
        postings: Where it stands.
        weight: What it adds to a score at most.
    """

    name: str
    postings: Postings
    weight: float

    def __len__(self) -> int:
        """Return how many chunks have it."""
        return len(self.postings.positions)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inside:
    """The chunks that may answer.

    Attributes:
        size: How many there are.
        positions: Of these, ascending; None for all of the collection.
        places: For every chunk of the collection its place among them, -1 for one that is outside; None for all.
    """

    size: int
    positions: Integers | None = None
    places: Integers | None = None


def best_first(
    terms: Sequence[Weighted], norms: Integers, inside: Inside, limit: int, known: dict[str, Gains] | None = None
) -> tuple[Integers, Integers]:
    """Return positions and scores of the best chunks that have a term; more than ``limit`` for equal scores.

    Args:
        terms: Of the question.
        norms: What the length of each chunk adds to the count of a term.
        inside: The chunks that may answer.
        limit: How many are wanted.
        known: What terms add to those inside, by name; what had to be computed is added.
    """
    import numpy as np

    known = {} if known is None else known
    scores = np.zeros(inside.size)
    waiting = sorted(terms, key=len)
    while waiting:
        unknown = sum(len(term) for term in waiting if term.name not in known)
        if unknown >= max(_BOUNDED, inside.size) and waiting[0].name not in known:
            found = _looked_up(waiting, unknown, scores, norms, inside, limit)
            if found is not None:
                return found
        term = waiting.pop(0)
        if term.name not in known:
            known[term.name] = _gains(term, norms, inside)
        gains = known[term.name]
        scores[gains.places] += gains.numbers
    rows = _high(scores, limit)
    return _first(rows, scores[rows], inside, limit)


def _looked_up(
    waiting: Sequence[Weighted], unknown: int, scores: Integers, norms: Integers, inside: Inside, limit: int
) -> tuple[Integers, Integers] | None:
    """Return the best by looking up those that still can be; None where adding the unknown up costs less."""
    import numpy as np

    rows = _high(scores, limit)
    if len(rows) < limit:
        return None
    lowest = _lowest(scores[rows], limit) - sum(term.weight for term in waiting)
    if lowest <= 0:
        return None
    rows = np.flatnonzero(scores >= lowest - 1e-9 * lowest)
    if len(rows) * _LOOK_UP * len(waiting) >= unknown:
        return None
    own = scores[rows]
    for term in waiting:
        _look_up(term, rows if inside.positions is None else inside.positions[rows], own, norms)
    return _first(rows, own, inside, limit)


def _high(scores: Integers, limit: int) -> Integers:
    """Return the places of the best scores above 0: so many as wanted, where there are, and some more."""
    import numpy as np

    sample = scores[::_SAMPLE]
    wanted = 2 * limit // _SAMPLE + _SPARE
    if len(sample) > 2 * wanted:
        floor = _lowest(sample, wanted)
        if floor > 0:
            rows = np.flatnonzero(scores >= floor)
            if len(rows) >= limit:
                return rows
    return np.flatnonzero(scores > 0)


def _first(rows: Integers, scores: Integers, inside: Inside, limit: int) -> tuple[Integers, Integers]:
    if len(rows) > limit:
        kept = scores >= _lowest(scores, limit)
        rows, scores = rows[kept], scores[kept]
    return rows if inside.positions is None else inside.positions[rows], scores


def _lowest(scores: Integers, limit: int) -> float:
    """Return the score of the last of the best."""
    import numpy as np

    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _gains(term: Weighted, norms: Integers, inside: Inside) -> Gains:
    """Return what a term adds to each chunk inside that has it."""
    import numpy as np

    places, numbers = [np.empty(0, dtype=np.int32)], [np.empty(0)]
    for start in range(0, len(term), _AT_ONCE):
        positions = own = term.postings.positions[start : start + _AT_ONCE]
        counts = term.postings.counts[start : start + _AT_ONCE]
        if inside.places is not None:
            own = inside.places.take(positions)
            kept = np.flatnonzero(own >= 0)
            positions, own, counts = positions.take(kept), own.take(kept), counts.take(kept)
        places.append(own)
        numbers.append(_numbers(term, counts, norms.take(positions)))
    return Gains(places=np.concatenate(places), numbers=np.concatenate(numbers))


def _look_up(term: Weighted, positions: Integers, scores: Integers, norms: Integers) -> None:
    """Add what a term gives to each of some chunks."""
    import numpy as np

    own = term.postings.positions
    places = np.minimum(np.searchsorted(own, positions.astype(own.dtype)), len(own) - 1)
    has = np.flatnonzero(own[places] == positions)
    scores[has] += _numbers(term, term.postings.counts[places[has]], norms[positions[has]])


def _numbers(term: Weighted, counts: Integers, norms: Integers) -> Integers:
    count = counts.astype(float)
    numbers: Integers = term.weight * count / (count + norms)
    return numbers
