"""Nearest leaves by exact cosines.

Vectors are read in blocks. Up to `KEPT_BYTES` they stay in memory (see `withgrain.store.kept`), so that the second
question of a process costs a matrix product; a larger collection is read again for every question, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from withgrain.model import Span
from withgrain.store.block import Block, Scored, block
from withgrain.store.kept import Kept

if TYPE_CHECKING:
    import pyarrow as pa

    from withgrain.store.block import Array

KEPT_BYTES = 1 << 30


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
        self,
        vector: Sequence[float],
        chunk_ids: pa.Array,
        inside: Array | None,
        limit: int,
        beside: Array | None = None,
    ) -> list[tuple[int, str, float]]:
        """Return the best leaf of each chunk as (position of the chunk, leaf id, cosine), best first.

        Args:
            vector: The question.
            chunk_ids: Ids of the chunks by position.
            inside: Positions of the chunks that may answer, ascending; None for all.
            limit: Most chunks to return.
            beside: Positions of chunks inside, ascending, that are returned, too, after the others.
        """
        kept = self._in_memory(chunk_ids)
        if kept is not None:
            return kept.nearest(vector, inside, limit, beside)
        parts = (scored(block(batch, chunk_ids), vector) for batch in self._read())
        return nearest(parts, len(chunk_ids), inside, limit, beside)

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


def nearest(
    scores: Iterable[Scored], size: int, inside: Array | None, limit: int, beside: Array | None = None
) -> list[tuple[int, str, float]]:
    """Return the best leaf of each chunk as (position of the chunk, leaf id, cosine), best first.

    Args:
        scores: The leaves with their cosines.
        size: Number of chunks.
        inside: Positions of the chunks that may answer; None for all.
        limit: Most chunks to return.
        beside: Positions of chunks inside that are returned, too, after the others.
    """
    import numpy as np

    wanted = np.zeros(size + 1, dtype=bool)
    if beside is not None:
        wanted[beside] = True
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
        first = (own >= best[chunks]) & ((own >= _floor(best, limit)) | wanted[chunks])
        ids = part.ids.take(rows[first]).to_pylist()
        candidates.extend(zip((-own[first]).tolist(), chunks[first].tolist(), ids, strict=True))
    found = _first(candidates)
    return [*found[:limit], *(hit for hit in found[limit:] if wanted[hit[0]])]


def _floor(best: Array, limit: int) -> float:
    """Return the score below which a leaf can no longer be among the answers."""
    import numpy as np

    if limit >= len(best):
        return -np.inf
    return float(np.partition(best, len(best) - limit)[len(best) - limit]) if limit > 0 else np.inf


def _first(candidates: list[tuple[float, int, str]]) -> list[tuple[int, str, float]]:
    """Keep the best candidate of each chunk; a later block may have had a better one than an earlier."""
    found: dict[int, tuple[int, str, float]] = {}
    for negative, position, leaf in sorted(candidates, key=lambda c: (c[0], c[2])):
        found.setdefault(position, (position, leaf, -negative))
    return list(found.values())
