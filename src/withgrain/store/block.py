"""Leaves as columns: their vectors, and which chunk and place each belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from withgrain.store.idplaces import Places

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
#: Rows whose lengths are computed at once.
_AT_ONCE = 16384
#: Columns that a block is made from.
COLUMNS = ("leaf_id", "chunk_id", "vector", "start", "end")


def block(batch: pa.RecordBatch | pa.Table, chunk_ids: pa.Array | Places) -> Block:
    """Make a block of rows with `COLUMNS`.

    Args:
        batch: The rows.
        chunk_ids: Ids of the chunks by position; as `Places` for who makes many blocks.
    """
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
    owners = column("chunk_id")
    chunks = (chunk_ids if isinstance(chunk_ids, Places) else Places(chunk_ids)).among(owners)
    starts, ends = (pc.fill_null(column(n), -1).to_numpy(zero_copy_only=False) for n in ("start", "end"))
    return Block(matrix=matrix, norms=norms, chunks=chunks, ids=column("leaf_id"), starts=starts, ends=ends)


def stacked(batches: Iterable[pa.RecordBatch], matrix: Array, chunk_ids: pa.Array) -> Block:
    """Make one block of rows with `COLUMNS`, read one after the other.

    Args:
        batches: The rows.
        matrix: Takes their vectors: as many rows as there are, or more.
        chunk_ids: Ids of the chunks by position.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    beside, size = [], 0
    for batch in batches:
        there = batch.filter(batch.column("vector").is_valid()) if batch.column("vector").null_count else batch
        vectors = there.column("vector").flatten().to_numpy(zero_copy_only=False)
        matrix[size : size + len(there)] = vectors.reshape(len(there), matrix.shape[1])
        size += len(there)
        beside.append(there.drop_columns(["vector"]))
    matrix = matrix[:size]
    if not size:
        none = np.empty(0, dtype=np.int64)
        return Block(matrix=matrix, norms=none, chunks=none, ids=pa.array([], pa.string()), starts=none, ends=none)
    table = pa.Table.from_batches(beside)
    norms = np.empty(size, dtype=np.float32)
    for some in (slice(start, start + _AT_ONCE) for start in range(0, size, _AT_ONCE)):
        norms[some] = np.sqrt(np.einsum("ij,ij->i", matrix[some], matrix[some]))
    norms[norms == 0] = 1
    chunks = Places(chunk_ids).among(table.column("chunk_id").combine_chunks())
    starts, ends = (pc.fill_null(table.column(n), -1).to_numpy() for n in ("start", "end"))
    ids = table.column("leaf_id").combine_chunks()
    return Block(matrix=matrix, norms=norms, chunks=chunks, ids=ids, starts=starts, ends=ends)


def by_chunk(part: Block, empty: Callable[[], Array | None] = lambda: None) -> Block:
    """Return the leaves in the order of their chunks, without those that have none.

    Args:
        part: The leaves; nearly always they are in this order already.
        empty: Makes the matrix that takes the vectors, where they are not.
    """
    import numpy as np

    chunks = part.chunks
    if not len(chunks) or (chunks[0] >= 0 and bool((chunks[1:] >= chunks[:-1]).all())):
        return part
    order = np.argsort(chunks, kind="stable")
    order = order[np.searchsorted(chunks[order], 0) :]
    made = empty()
    moved = np.empty((len(order), part.matrix.shape[1]), dtype=np.float32) if made is None else made[: len(order)]
    for some in (slice(start, start + _AT_ONCE) for start in range(0, len(order), _AT_ONCE)):
        moved[some] = part.matrix[order[some]]
    return Block(
        matrix=moved,
        norms=part.norms[order],
        chunks=chunks[order],
        ids=part.ids.take(order),
        starts=part.starts[order],
        ends=part.ends[order],
    )
