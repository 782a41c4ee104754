"""Nearest leaves by exact cosines.

Vectors are read in blocks. Up to `KEPT_BYTES` they stay in memory (see `withgrain.store.kept`), so that the second
question of a process costs a matrix product; a larger collection is read again for every question, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from withgrain.model import Span
from withgrain.store.kept import Kept

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]

KEPT_BYTES = 1 << 30


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


class Vectors:
    """The leaves of one state."""

    def __init__(self, read: Callable[[], Iterator[pa.RecordBatch]], rows: int, dims: int) -> None:
        """Prepare for so many leaves, which ``read`` reads from the disk; nothing is read yet."""
        self._read = read
        self._kept: Kept | None = None
        self._keep = rows * dims * 4 <= KEPT_BYTES

    @property
    def loaded(self) -> bool:
        """Whether the vectors are in memory."""
        return self._kept is not None

    def nearest(
        self, vector: Sequence[float], chunk_ids: pa.Array, inside: Array | None, limit: int
    ) -> list[tuple[int, str, float]]:
        """Return the best leaf of each chunk as (position of the chunk, leaf id, cosine), best first.

        Args:
            vector: The question.
            chunk_ids: Ids of the chunks by position.
            inside: Positions of the chunks that may answer, ascending; None for all.
            limit: Most chunks to return.
        """
        kept = self._in_memory(chunk_ids)
        if kept is not None:
            return kept.nearest(vector, inside, limit)
        parts = (scored(block(batch, chunk_ids), vector) for batch in self._read())
        return nearest(parts, len(chunk_ids), inside, limit)

    def spans(self, positions: Sequence[int]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id, when they are in memory."""
        return self._kept.spans(positions) if self._kept is not None else {}

    def _in_memory(self, chunk_ids: pa.Array) -> Kept | None:
        """Return all leaves in memory; None where they are too large for that, or there are none."""
        import pyarrow as pa

        if self._kept is None and self._keep:
            batches = list(self._read())
            if batches:
                self._kept = Kept(block(pa.Table.from_batches(batches), chunk_ids), len(chunk_ids))
        return self._kept


def scored(part: Block, vector: Sequence[float]) -> Scored:
    """Return a block and the cosine of each of its leaves to the question."""
    import numpy as np

    query = np.asarray(vector, dtype=np.float32)
    query = query / (np.linalg.norm(query) or 1)
    return part, part.matrix @ query / part.norms


def nearest(scores: Iterable[Scored], size: int, inside: Array | None, limit: int) -> list[tuple[int, str, float]]:
    """Return the best leaf of each chunk as (position of the chunk, leaf id, cosine), best first.

    Args:
        scores: The leaves with their cosines.
        size: Number of chunks.
        inside: Positions of the chunks that may answer; None for all.
        limit: Most chunks to return.
    """
    import numpy as np

    allowed = np.ones(size + 1, dtype=bool) if inside is None else np.zeros(size + 1, dtype=bool)
    if inside is not None:
        allowed[inside] = True
    allowed[size] = False  # position -1: a leaf without a chunk
    best = np.full(size, -np.inf, dtype=np.float32)
    candidates: list[tuple[float, int, str]] = []
    for part, cosines in scores:
        rows = np.flatnonzero(allowed[part.chunks])
        chunks, own = part.chunks[rows], cosines[rows]
        np.maximum.at(best, chunks, own)
        first = (own >= best[chunks]) & (own >= _floor(best, limit))
        ids = part.ids.take(rows[first]).to_pylist()
        candidates.extend(zip((-own[first]).tolist(), chunks[first].tolist(), ids, strict=True))
    return _first(candidates, limit)


def _floor(best: Array, limit: int) -> float:
    """Return the score below which a leaf can no longer be among the answers."""
    import numpy as np

    if limit >= len(best):
        return -np.inf
    return float(np.partition(best, len(best) - limit)[len(best) - limit]) if limit > 0 else np.inf


def _first(candidates: list[tuple[float, int, str]], limit: int) -> list[tuple[int, str, float]]:
    """Keep the best candidate of each chunk; a later block may have had a better one than an earlier."""
    found: dict[int, tuple[int, str, float]] = {}
    for negative, position, leaf in sorted(candidates, key=lambda c: (c[0], c[2])):
        found.setdefault(position, (position, leaf, -negative))
    return list(found.values())[:limit]
