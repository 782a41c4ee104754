"""All vectors of a collection in memory, in the order of the chunks: only those of the chunks inside are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from withgrain.model import Span

if TYPE_CHECKING:
    from withgrain.store.vectors import Array, Block

#: Where more than this share of the leaves is inside, all are compared: one long product beats many short ones.
_NEARLY_ALL = 0.6
#: Up to so many leaves are copied and compared at once; of more, each run of neighbours is compared where it is.
_FEW = 2000
#: Fewer rows than this are multiplied without further threads.
_SHORT = 24


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

        first = self._first
        chunks = np.arange(len(first) - 1) if inside is None else inside
        chunks = chunks[first[chunks + 1] > first[chunks]]
        if not len(chunks):
            return []
        cosines, begins = self._compared(vector, chunks)
        best = np.maximum.reduceat(cosines, begins)
        shown = np.ones(len(best), dtype=bool)
        if len(best) > limit:
            shown = best >= np.partition(best, len(best) - limit)[len(best) - limit]
        sizes = first[chunks + 1] - first[chunks]
        places = np.flatnonzero((cosines == np.repeat(best, sizes)) & np.repeat(shown, sizes))
        own = np.searchsorted(begins, places, side="right") - 1
        leaves = self._ids.take(places + (first[chunks] - begins)[own]).to_pylist()
        found: dict[int, tuple[int, str, float]] = {}
        equal = zip((-best[own]).tolist(), leaves, chunks[own].tolist(), strict=True)
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

    def _compared(self, vector: Sequence[float], chunks: Array) -> tuple[Array, Array]:
        """Return the cosines of the leaves of some chunks, and where those of each chunk begin."""
        import numpy as np

        query = np.asarray(vector, dtype=np.float32)
        query = query / (np.linalg.norm(query) or 1)
        first, matrix = self._first, self._matrix
        sizes = first[chunks + 1] - first[chunks]
        ends = np.cumsum(sizes)
        begins, total = ends - sizes, int(ends[-1])
        if total >= _NEARLY_ALL * len(matrix):
            cosines = _product(matrix, query) / self._norms
            return (cosines, begins) if total == len(matrix) else (cosines[self._rows(chunks, begins)], begins)
        rows = self._rows(chunks, begins)
        if total <= _FEW:
            return _product(matrix[rows], query) / self._norms[rows], begins
        cosines = np.empty(total, dtype=np.float32)
        cuts = np.flatnonzero(np.diff(rows) != 1) + 1
        for begin, end in pairwise([0, *cuts.tolist(), total]):
            start = rows[begin]
            cosines[begin:end] = _product(matrix[start : start + end - begin], query)
        return cosines / self._norms[rows], begins

    def _rows(self, chunks: Array, begins: Array) -> Array:
        """Return the rows of some chunks, one chunk after the other."""
        import numpy as np

        first = self._first
        sizes = first[chunks + 1] - first[chunks]
        rows: Array = np.repeat(first[chunks] - begins, sizes) + np.arange(int(sizes.sum()))
        return rows


def _product(matrix: Array, query: Array) -> Array:
    """Return the product of each row with the question, in this thread: those of a library wait for each other."""
    import numpy as np

    product: Array = matrix @ query if len(matrix) < _SHORT else np.einsum("ij,j->i", matrix, query)
    return product
