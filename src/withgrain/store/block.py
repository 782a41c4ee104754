"""Leaves as columns: their vectors, and which chunk and place each belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some leaves.

    Attributes:
        matrix: One row a leaf, 32-bit floats.
        norms: Length of each row; 1 for an all-zero row, so that its cosine is 0.
        chunks: Position of each leaf's chunk; -1 for a leaf without one.
        ids: Ids of the leaves.
        starts: Where each leaf begins in its document's text; -1 for one without a place.
        ends: Where each leaf ends.
    """

    matrix: Array
    norms: Array
    chunks: Array
    ids: pa.Array
    starts: Array
    ends: Array


#: A block, and the cosine of each of its leaves to a question.
Scored = tuple[Block, "Array"]
#: Columns that a block is made from.
COLUMNS = ("leaf_id", "chunk_id", "vector", "start", "end")


def block(batch: pa.RecordBatch | pa.Table, chunk_ids: pa.Array) -> Block:
    """Make a block of rows with `COLUMNS`."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    def column(name: str) -> Any:
        values = batch.column(name)
        return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values

    if batch.column("vector").null_count:
        batch = batch.filter(column("vector").is_valid())
    vectors = column("vector")
    matrix = vectors.flatten().to_numpy(zero_copy_only=False).reshape(len(vectors), vectors.type.list_size)
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    norms[norms == 0] = 1
    chunks = pc.fill_null(pc.index_in(column("chunk_id"), value_set=chunk_ids), -1).to_numpy(zero_copy_only=False)
    starts, ends = (pc.fill_null(column(n), -1).to_numpy(zero_copy_only=False) for n in ("start", "end"))
    return Block(matrix=matrix, norms=norms, chunks=chunks, ids=column("leaf_id"), starts=starts, ends=ends)
