"""Vectors in fewer numbers, to find which of very many are worth comparing exactly.

Principal components (Pearson 1901): of all directions the few along which the vectors differ most. The inner product of
two shortened vectors is nearly that of the whole ones, so the best few thousand by it hold the best few hundred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

#: Numbers of a shortened vector; measured in docs/results/search.md.
_NUMBERS = 96
#: Vectors that the directions are learnt from.
_SAMPLE = 20_000


class Sketch:
    """The shortened rows of a matrix."""

    def __init__(self, matrix: Array) -> None:
        """Learn the directions from every n-th row: the same matrix always gives the same sketch."""
        import numpy as np

        sample = matrix[:: -(-len(matrix) // _SAMPLE)]
        _, directions = np.linalg.eigh(sample.T @ sample)  # ascending: the last ones tell most
        self._directions = np.ascontiguousarray(directions[:, -_NUMBERS:], dtype=np.float32)
        self._matrix = matrix @ self._directions
        self._part: tuple[Array | None, Array] = (None, self._matrix)

    def best(self, query: Array, inside: Array | None, rows: Array, most: int) -> Array:
        """Return those of the rows, ascending, whose shortened vectors are nearest.

        Args:
            query: The whole vector of the question.
            inside: What the rows belong to, None for all: who asks for the same again finds its rows side by side.
            rows: The rows that compete, ascending.
            most: How many are returned.
        """
        import numpy as np

        known, part = self._part
        if known is not inside:
            part = self._matrix if inside is None else self._matrix[rows]
            self._part = inside, part
        near = np.einsum("ij,j->i", part, query @ self._directions)
        found: Array = np.sort(rows[np.argpartition(near, len(near) - most)[len(near) - most :]])
        return found
