"""All vectors of a collection in memory, in the order of the chunks: only those of the chunks inside are compared.

Where very many are inside, a sketch finds some thousands of them, and only these are compared exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from withgrain.model import Span
from withgrain.store.block import by_chunk
from withgrain.store.sketch import Sketch

if TYPE_CHECKING:
    from withgrain.store.block import Array, Block

#: Up to so many leaves inside, each is compared; of more, so many times the limit, and at least one of so many, which a
#: sketch finds.
_EXACT = 50_000
_COMPARED = 8
#: Who asks after so many times gets a sketch: to make it costs as much as comparing all some dozens of times.
_ASKED_BEFORE = 2
_SHARE = 200
#: Where more than this share of the leaves is inside, all are compared: one long product beats many short ones.
_NEARLY_ALL = 0.6
#: Up to so many leaves are copied and compared, some at a time; of more, each run of neighbours is compared in place.
_FEW = 8000
_AT_ONCE = 512
#: Smaller products than this are not spread over threads by the library that makes them.
_SHORT = 9000


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """The leaves of the chunks inside a filter.

    Attributes:
        chunks: Positions of the chunks, as they were asked for; None for all.
        rows: Their leaves that are compared, ascending.
        matrix: The vectors of these side by side; None where they are compared where they stand.
        owners: The chunks that have one of these.
        begins: Where the leaves of each of these begin among the rows.
        own: For each row the place of its chunk among the owners.
    """

    chunks: Array | None
    rows: Array
    matrix: Array | None
    owners: Array
    begins: Array
    own: Array


class Kept:
    """The leaves of one state by chunk."""

    def __init__(self, block: Block, size: int) -> None:
        """Sort the leaves of a collection of ``size`` chunks; those without a chunk are left out."""
        import numpy as np

        ordered = by_chunk(block)
        self._matrix, self._norms, self._chunks = ordered.matrix, ordered.norms, ordered.chunks
        self._ids, self._starts, self._ends = ordered.ids, ordered.starts, ordered.ends
        self._first = np.searchsorted(self._chunks, np.arange(size + 1))  # first leaf of each chunk, and the end
        self._last: Inside | None = None
        self._made: Sketch | None = None
        self._asked = 0
        self._making = Lock()

    def nearest(
        self, vector: Sequence[float], inside: Array | None, limit: int, beside: Array | None = None
    ) -> list[tuple[int, str, float]]:
        """Return the best leaf of each chunk as (position of the chunk, leaf id, cosine), best first.

        Args:
            vector: The question.
            inside: Positions of the chunks that may answer, ascending; None for all.
            limit: Most chunks to return.
            beside: Positions of chunks inside, ascending, that are returned, too, after the others.
        """
        import numpy as np

        found = self._inside(inside)
        most = max(limit * _COMPARED, len(found.rows) // _SHARE)
        if not len(found.rows) or limit <= 0:
            return []
        query = np.asarray(vector, dtype=np.float32)
        query = query / (np.linalg.norm(query) or 1)
        self._asked += 1
        if len(found.rows) > max(_EXACT, most) and (self._made is not None or self._asked > _ASKED_BEFORE):
            rows = self._sketch.best(query, inside, found.rows, most)
            found = self._compared(inside, rows if beside is None else np.union1d(rows, self._rows(beside)))
        matrix = found.matrix
        products = _products(self._matrix, found.rows, query) if matrix is None else _product(matrix, query)
        return self._best(found, products / self._norms[found.rows], limit, beside)

    def _best(self, found: Inside, cosines: Array, limit: int, beside: Array | None) -> list[tuple[int, str, float]]:
        """Return the best leaves of the best chunks and of those ``beside``."""
        import numpy as np

        chunks, best = found.owners, np.maximum.reduceat(cosines, found.begins)
        floor = np.partition(best, len(best) - limit)[len(best) - limit] if len(best) > limit else -np.inf
        shown, wanted = best >= floor, np.zeros(len(chunks), dtype=bool)
        if beside is not None:
            at = np.minimum(np.searchsorted(chunks, beside), len(chunks) - 1)
            wanted[at[chunks[at] == beside]] = True
        places = np.flatnonzero((cosines == best[found.own]) & (shown | wanted)[found.own])
        places = places[np.argsort(-cosines[places], kind="stable")]
        leaves: list[str] = self._ids.take(found.rows[places]).to_pylist()
        scores, own = cosines[places], found.own[places]
        if bool((scores[1:] == scores[:-1]).any()):
            order = _untied(scores, leaves, own)
            leaves, scores, own = [leaves[n] for n in order], scores[order], own[order]
        hits = list(zip(chunks[own].tolist(), leaves, scores.tolist(), strict=True))
        return [*hits[:limit], *itertools.compress(hits[limit:], wanted[own[limit:]].tolist())]

    def spans(self, positions: Sequence[int]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id."""
        rows = self._rows(_array(positions))
        places = zip(self._starts[rows].tolist(), self._ends[rows].tolist(), strict=True)
        return {
            leaf_id: Span(start=start, end=end) if start >= 0 else None
            for leaf_id, (start, end) in zip(self._ids.take(rows).to_pylist(), places, strict=True)
        }

    def warm(self) -> None:
        """Have the sketch made, where questions will need it."""
        if len(self._matrix) > _EXACT:
            self._sketch  # noqa: B018  # made on first use

    @property
    def _sketch(self) -> Sketch:
        with self._making:
            if self._made is None:
                self._made = Sketch(self._matrix)
            return self._made

    def _inside(self, chunks: Array | None) -> Inside:
        """Return the leaves of some chunks. Who asks for the same chunks again finds their vectors side by side."""
        last = self._last
        again = last is not None and last.chunks is chunks
        if last is not None and again and (last.matrix is not None or len(last.rows) > _EXACT):
            return last
        rows = self._rows(chunks)
        matrix = self._matrix if chunks is None else self._matrix.take(rows, axis=0) if again else None
        found = self._compared(chunks, rows, matrix)
        if len(rows) > _FEW:
            self._last = found
        return found

    def _compared(self, chunks: Array | None, rows: Array, matrix: Array | None = None) -> Inside:
        import numpy as np

        owners = self._chunks[rows]
        begins = np.flatnonzero(np.diff(owners, prepend=-1))
        own = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(rows)))
        return Inside(chunks=chunks, rows=rows, matrix=matrix, owners=owners[begins], begins=begins, own=own)

    def _rows(self, inside: Array | None) -> Array:
        """Return the rows of some chunks, ascending where the chunks are."""
        import numpy as np

        if inside is None:
            return np.arange(len(self._matrix))
        begins = self._first[inside]
        sizes = self._first[inside + 1] - begins
        ends = np.cumsum(sizes)
        rows: Array = np.repeat(begins - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)
        return rows


def _untied(scores: Array, leaves: Sequence[str], owners: Array) -> Array:
    """Return places by falling score, equal ones by the id of the leaf, only the first of each owner."""
    import numpy as np

    keys = list(zip((-scores).tolist(), leaves, strict=True))
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__))
    _, first = np.unique(owners[order], return_index=True)
    found: Array = order[np.sort(first)]
    return found


def _array(positions: Sequence[int]) -> Array:
    import numpy as np

    return np.asarray(positions, dtype=np.int64)


def _products(matrix: Array, rows: Array, query: Array) -> Array:
    """Return the product of some rows with a vector: copied together where they are few, else run by run in place."""
    import numpy as np

    if len(rows) >= _NEARLY_ALL * len(matrix):
        products = _product(matrix, query)
        return products if len(rows) == len(matrix) else products[rows]
    found = np.empty(len(rows), dtype=np.float32)
    if len(rows) <= _FEW:
        for some in (slice(start, start + _AT_ONCE) for start in range(0, len(rows), _AT_ONCE)):
            found[some] = _product(matrix.take(rows[some], axis=0), query)
        return found
    cuts = np.flatnonzero(np.diff(rows) != 1) + 1
    for begin, end, start in zip([0, *cuts], [*cuts, len(rows)], rows[[0, *cuts]].tolist(), strict=True):
        found[begin:end] = _product(matrix[start : start + end - begin], query)
    return found


def _product(matrix: Array, query: Array) -> Array:
    """Return the product of each row with a vector, in this thread: those of a library wait for each other."""
    import numpy as np

    product: Array = matrix @ query if matrix.size < _SHORT else np.einsum("ij,j->i", matrix, query)
    return product
