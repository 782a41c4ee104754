"""All vectors of a collection in memory, in the order of the chunks: only those of the chunks inside are compared.

Where very many are inside, a sketch finds some thousands of them, and only these are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from withgrain.model import Span
from withgrain.store.sketch import Sketch

if TYPE_CHECKING:
    from withgrain.store.block import Array, Block

#: Up to so many leaves inside, each is compared; of more, so many times the limit, which a sketch finds.
_EXACT = 50_000
_COMPARED = 8
#: Where more than this share of the leaves is inside, all are compared: one long product beats many short ones.
_NEARLY_ALL = 0.6
#: Up to so many leaves are copied and compared at once; of more, each run of neighbours is compared where it is.
_FEW = 3000
#: Smaller products than this are not spread over threads by the library that makes them.
_SHORT = 9000


class Kept:
    """The leaves of one state by chunk."""

    def __init__(self, block: Block, size: int) -> None:
        """Sort the leaves of a collection of ``size`` chunks; those without a chunk are left out."""
        import numpy as np

        order = np.argsort(block.chunks, kind="stable")
        order = order[np.searchsorted(block.chunks[order], 0) :]
        in_order = len(order) == len(block.chunks) and bool((order[1:] > order[:-1]).all())
        self._matrix = block.matrix if in_order else block.matrix[order]
        self._norms, self._chunks = block.norms[order], block.chunks[order]
        self._ids = block.ids if in_order else block.ids.take(order)
        self._starts, self._ends = block.starts[order], block.ends[order]
        self._first = np.searchsorted(self._chunks, np.arange(size + 1))  # first leaf of each chunk, and the end

    def nearest(self, vector: Sequence[float], inside: Array | None, limit: int) -> list[tuple[int, str, float]]:
        """Return the best leaf of each chunk as (position of the chunk, leaf id, cosine), best first.

        Args:
            vector: The question.
            inside: Positions of the chunks that may answer, ascending; None for all.
            limit: Most chunks to return.
        """
        import numpy as np

        rows = self._rows(inside)
        if not len(rows) or limit <= 0:
            return []
        query = np.asarray(vector, dtype=np.float32)
        query = query / (np.linalg.norm(query) or 1)
        most = limit * _COMPARED
        if len(rows) > max(_EXACT, most):
            rows = self._sketch.best(query, inside, rows, most)
        cosines = _products(self._matrix, rows, query) / self._norms[rows]
        chunks = self._chunks[rows]
        begins = np.flatnonzero(np.diff(chunks, prepend=-1))
        best = np.maximum.reduceat(cosines, begins)
        shown = best >= (np.partition(best, len(best) - limit)[len(best) - limit] if len(best) > limit else -np.inf)
        own = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(rows)))
        places = np.flatnonzero((cosines == best[own]) & shown[own])
        leaves = self._ids.take(rows[places]).to_pylist()
        found: dict[int, tuple[int, str, float]] = {}
        equal = zip((-cosines[places]).tolist(), leaves, chunks[places].tolist(), strict=True)
        for negative, leaf, chunk in sorted(equal):  # of equal leaves of a chunk the one whose id comes first
            found.setdefault(chunk, (chunk, leaf, -negative))
        return list(found.values())[:limit]

    def spans(self, positions: Sequence[int]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id."""
        found: dict[str, Span | None] = {}
        for position in positions:
            rows = slice(self._first[position], self._first[position + 1])
            places = zip(self._starts[rows].tolist(), self._ends[rows].tolist(), strict=True)
            for leaf_id, (start, end) in zip(self._ids[rows].to_pylist(), places, strict=True):
                found[leaf_id] = Span(start=start, end=end) if start >= 0 else None
        return found

    @cached_property
    def _sketch(self) -> Sketch:
        return Sketch(self._matrix)

    def _rows(self, inside: Array | None) -> Array:
        """Return the rows of some chunks, ascending."""
        import numpy as np

        if inside is None:
            return np.arange(len(self._matrix))
        begins = self._first[inside]
        sizes = self._first[inside + 1] - begins
        ends = np.cumsum(sizes)
        rows: Array = np.repeat(begins - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)
        return rows


def _products(matrix: Array, rows: Array, query: Array) -> Array:
    """Return the product of some rows with a vector: copied together where they are few, else run by run in place."""
    import numpy as np

    if len(rows) >= _NEARLY_ALL * len(matrix):
        products = _product(matrix, query)
        return products if len(rows) == len(matrix) else products[rows]
    if len(rows) <= _FEW:
        return _product(matrix[rows], query)
    found = np.empty(len(rows), dtype=np.float32)
    cuts = np.flatnonzero(np.diff(rows) != 1) + 1
    for begin, end, start in zip([0, *cuts], [*cuts, len(rows)], rows[[0, *cuts]].tolist(), strict=True):
        found[begin:end] = _product(matrix[start : start + end - begin], query)
    return found


def _product(matrix: Array, query: Array) -> Array:
    """Return the product of each row with a vector, in this thread: those of a library wait for each other."""
    import numpy as np

    product: Array = matrix @ query if matrix.size < _SHORT else np.einsum("ij,j->i", matrix, query)
    return product
