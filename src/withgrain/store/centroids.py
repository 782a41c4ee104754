"""The vector of a document: the mean of the vectors of its leaves, weighted by their tokens, of unit length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from withgrain.model import LeafRecord

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Matrix = np.ndarray[Any, np.dtype[Any]]

#: Columns of the leaves that the means are made from.
COLUMNS = ("doc_id", "tokens", "vector")


def mean(leaves: Iterable[LeafRecord]) -> tuple[float, ...]:
    """Return the vector of a document in plain Python; empty when no leaf has one, or when they cancel out."""
    rows = [(leaf.tokens or 1, leaf.vector) for leaf in leaves if leaf.vector]
    if not rows:
        return ()
    sums = [
        math.fsum(weight * value for (weight, _), value in zip(rows, column, strict=True))
        for column in zip(*(v for _, v in rows), strict=True)
    ]
    length = math.sqrt(math.fsum(x * x for x in sums))
    return tuple(x / length for x in sums) if length else ()


def means(batches: Iterable[pa.RecordBatch], dims: int) -> tuple[list[str], Matrix]:
    """Return the ids of documents and their vectors, one row each; memory grows with the documents, not the leaves."""
    import numpy as np

    places: dict[str, int] = {}
    sums = np.zeros((64, dims))
    for batch in batches:
        vectors = batch.column("vector")
        made = np.flatnonzero(vectors.is_valid().to_numpy(zero_copy_only=False))
        if not len(made):
            continue
        matrix = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, dims).astype(np.float64)
        weights = _weights(batch)[made]
        coded = batch.column("doc_id").dictionary_encode()
        rows = np.array([places.setdefault(i, len(places)) for i in coded.dictionary.to_pylist()])
        while len(sums) < len(places):
            sums = np.concatenate([sums, np.zeros_like(sums)])
        np.add.at(sums, rows[coded.indices.to_numpy()[made]], matrix * weights[:, None])
    sums = sums[: len(places)]
    lengths = np.linalg.norm(sums, axis=1)
    good = lengths > 0
    return [i for i, n in places.items() if good[n]], (sums[good] / lengths[good, None]).astype(np.float32)


def _weights(batch: pa.RecordBatch) -> Matrix:
    import numpy as np

    if "tokens" not in batch.schema.names:
        return np.ones(batch.num_rows)
    tokens: Matrix = batch.column("tokens").to_numpy(zero_copy_only=False).astype(np.float64)
    return np.maximum(tokens, 1)


def most_similar(ids: Sequence[str], matrix: Matrix, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
    """Return the ids of the rows with the greatest cosines, best first."""
    import numpy as np

    query = np.asarray(vector, dtype=np.float32)
    scores = matrix @ (query / (np.linalg.norm(query) or 1))
    order = sorted(zip((-scores).tolist(), ids, strict=True))[: max(0, limit)]
    return [(i, -negative) for negative, i in order]
