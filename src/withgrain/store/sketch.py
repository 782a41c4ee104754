"""Vectors in fewer and smaller numbers, in lists of neighbours, to find which of very many are worth comparing exactly.

Principal components (Pearson 1901): of all directions the few along which the vectors differ most. The inner product of
two shortened vectors is nearly that of the whole ones, so the best few thousand by it hold the best few hundred. The
shortened vectors are kept as bytes, in lists around centres (an inverted file, Sivic and Zisserman 2003; the centres by
spherical k-means): a question looks through the lists that are nearest to it until it has seen enough rows inside its
filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

#: Numbers of a shortened vector; measured in docs/results/search.md.
_NUMBERS = 96
#: Vectors that the directions and the centres are learnt from.
_SAMPLE = 20_000
#: Rows of a list, about, as long as there are no more than so many lists.
_LISTED = 500
_LISTS = 512
_ROUNDS = 4
#: For each row to return, so many are looked at, and at least one of so many that are inside.
_LOOKED_AT = 12
_SHARE = 8
#: Rows that are shortened at once, and rows that are compared at once: small copies use the same memory again.
_TOGETHER = 8192
_AT_ONCE = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The rows inside a filter, list by list.

    Attributes:
        inside: The filter; None for all rows.
        rows: Of the matrix.
        begins: Where each list begins, and where the last one ends.
        matrix: The shortened vectors.
    """

    inside: Array | None
    rows: Array
    begins: Array
    matrix: Array


class Sketch:
    """The shortened rows of a matrix: 100 bytes a row."""

    def __init__(self, matrix: Array) -> None:
        """Learn the directions from every n-th row: the same matrix always gives the same sketch."""
        import numpy as np

        sample = np.asarray(matrix[:: -(-len(matrix) // _SAMPLE)])
        _, directions = np.linalg.eigh(sample.T @ sample)  # ascending: the last ones tell most
        self._directions = np.ascontiguousarray(directions[:, -_NUMBERS:], dtype=np.float32)
        short = sample @ self._directions
        self._scale = np.maximum(np.abs(short).max(axis=0), 1e-9) / 127
        self._centres = _centres(short, min(_LISTS, -(-len(matrix) // _LISTED)))
        small, lists = np.empty((len(matrix), short.shape[1]), dtype=np.int8), np.empty(len(matrix), dtype=np.int32)
        for rows in _slices(len(matrix)):
            part = matrix[rows] @ self._directions
            small[rows] = np.clip(np.rint(part / self._scale), -127, 127)
            lists[rows] = (part @ self._centres.T).argmax(axis=1)
        order = np.argsort(lists, kind="stable").astype(np.int32)
        begins = np.searchsorted(lists[order], np.arange(len(self._centres) + 1))
        self._all = _Part(inside=None, rows=order, begins=begins, matrix=small.take(order, axis=0))
        self._last = self._all

    def best(self, query: Array, inside: Array | None, rows: Array, most: int) -> Array:
        """Return those of the rows, ascending, whose shortened vectors are nearest, as far as their lists are near.

        All in this thread: the threads of the library of matrices wait for each other.

        Args:
            query: The whole vector of the question.
            inside: What the rows belong to, None for all: who asks for the same again finds its rows side by side.
            rows: The rows that compete, ascending.
            most: How many are returned; fewer where fewer compete.
        """
        import numpy as np

        part, short = self._part(inside, rows), np.einsum("i,ij->j", query, self._directions)
        places = self._places(part, short, max(most * _LOOKED_AT, len(rows) // _SHARE))
        near, weights = np.empty(len(places), dtype=np.float32), short * self._scale
        for some in _slices(len(places), _AT_ONCE):
            taken = part.matrix.take(places[some], axis=0).astype(np.float32)
            near[some] = np.einsum("ij,j->i", taken, weights)
        if len(near) > most:
            places = places[np.argpartition(near, len(near) - most)[len(near) - most :]]
        found: Array = np.sort(part.rows[places])
        return found

    def _places(self, part: _Part, short: Array, enough: int) -> Array:
        """Return the places of the rows in the lists nearest to a question, until there are enough."""
        import numpy as np

        sizes = np.diff(part.begins)
        nearest = np.argsort(-np.einsum("ij,j->i", self._centres, short), kind="stable")
        until = int(np.searchsorted(np.cumsum(sizes[nearest]), enough)) + 1
        chosen = nearest[:until]
        ends = np.cumsum(sizes[chosen])
        places: Array = np.repeat(part.begins[chosen] - (ends - sizes[chosen]), sizes[chosen]) + np.arange(ends[-1])
        return places

    def _part(self, inside: Array | None, rows: Array) -> _Part:
        import numpy as np

        if inside is None:
            return self._all
        last = self._last
        if last.inside is inside:
            return last
        flags = np.zeros(len(self._all.rows), dtype=bool)
        flags[rows] = True
        kept = np.flatnonzero(flags[self._all.rows])
        found = _Part(
            inside=inside,
            rows=self._all.rows.take(kept),
            begins=np.searchsorted(kept, self._all.begins),
            matrix=self._all.matrix.take(kept, axis=0),
        )
        self._last = found
        return found


def _centres(short: Array, count: int) -> Array:
    """Return the middles of clusters of a sample, of unit length, from points that lie evenly in the sample."""
    import numpy as np

    centres = _unit(short[np.linspace(0, len(short) - 1, count).astype(np.int64)])
    for _ in range(_ROUNDS):
        own = np.concatenate([(short[rows] @ centres.T).argmax(axis=1) for rows in _slices(len(short))])
        order = np.argsort(own, kind="stable")
        taken, begins = np.unique(own[order], return_index=True)
        centres[taken] = np.add.reduceat(short[order], begins)
        centres = _unit(centres)
    return centres


def _unit(rows: Array) -> Array:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def _slices(size: int, together: int = _TOGETHER) -> Iterator[slice]:
    return (slice(start, start + together) for start in range(0, size, together))
