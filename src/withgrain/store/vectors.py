"""Nearest leaves by exact cosines.

Vectors are read in blocks. Up to `KEPT_BYTES` they stay in memory (see `withgrain.store.kept`), so that the second
question of a process costs a matrix product. Larger ones are read once more into a file without a name, which the
system maps into memory and takes back when it needs the room; what stays is their sketch, a quarter of a byte a number.
Where the disk has no room for that, or the sketch is too large, they are read again for every question, in bounded
memory.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from withgrain.model import Span
from withgrain.store.block import Block, Scored, block, by_chunk, stacked
from withgrain.store.idplaces import Places
from withgrain.store.kept import Kept
from withgrain.store.mapped import unnamed

if TYPE_CHECKING:
    import pyarrow as pa

    from withgrain.store.block import Array

KEPT_BYTES = 1 << 30
#: A mapped file holds at most so many times of that: its sketch then needs as much memory as vectors that are kept.
_MAPPED = 12
#: Larger ones than this are not kept for who asks for the first time, who may be a single command.
_AT_ONCE = 64 << 20
#: Who asks after so many times gets them kept, or mapped.
_ASKED_BEFORE = 1


class Vectors:
    """The leaves of one state."""

    def __init__(self, read: Callable[[], Iterator[pa.RecordBatch]], rows: int, dims: int, folder: Path) -> None:
        """Prepare for so many leaves, which ``read`` reads from the disk; nothing is read yet.

        Args:
            read: Reads the leaves, every time in the same order.
            rows: How many there are.
            dims: Numbers of a vector.
            folder: Where a file for them may be made.
        """
        self._read, self._rows, self._dims, self._folder = read, rows, dims, folder
        self._kept: Kept | None = None
        self._places: Places | None = None
        self._asked = 0
        self._making = Lock()
        bytes_ = rows * dims * 4
        self._keep = bytes_ <= KEPT_BYTES
        self._map = not self._keep and bytes_ <= KEPT_BYTES * _MAPPED

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
        kept = self._at_hand(chunk_ids, often=self._asked >= _ASKED_BEFORE)
        self._asked += 1
        if kept is not None:
            return kept.nearest(vector, inside, limit, beside)
        self._places = self._places or Places(chunk_ids)
        parts = (scored(block(batch, self._places), vector) for batch in self._read())
        return nearest(parts, len(chunk_ids), inside, limit, beside)

    def warm(self, chunk_ids: pa.Array) -> None:
        """Have the vectors at hand now, for who will ask often."""
        kept = self._at_hand(chunk_ids, often=True)
        if kept is not None:
            kept.warm()

    def spans(self, positions: Sequence[int]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id, when they are in memory."""
        return self._kept.spans(positions) if self._kept is not None else {}

    def _at_hand(self, chunk_ids: pa.Array, *, often: bool) -> Kept | None:
        """Return all leaves in memory, or mapped for who asks often; None where they are too large for that, or none.

        Threads that ask meanwhile wait: it would take as long again to read for each of them.
        """
        wanted = self._keep or self._map if often else self._keep and self._rows * self._dims * 4 <= _AT_ONCE
        if self._kept is not None or not self._rows or not wanted:
            return self._kept
        with self._making:
            if self._kept is None:
                matrix = self._empty()
                if matrix is not None:
                    found = stacked(self._read(), matrix, chunk_ids)
                    ordered = found if self._keep else by_chunk(found, self._empty)
                    self._kept = Kept(ordered, len(chunk_ids)) if len(found.chunks) else None
        return self._kept

    def _empty(self) -> Array | None:
        """Return a matrix for all vectors, in memory or in a file; None where there is no room for the file."""
        import numpy as np

        shape, size = (self._rows, self._dims), self._rows * self._dims * 4
        if self._keep:
            return np.empty(shape, dtype=np.float32)
        file = unnamed(self._folder, size)
        if file is not None:
            with file, suppress(OSError):
                file.truncate(size)
                return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.float32).reshape(shape)
        self._map = False
        return None


def scored(part: Block, vector: Sequence[float]) -> Scored:
    """Return a block and the cosine of each of its leaves to the question."""
    import numpy as np

    query = np.asarray(vector, dtype=np.float32)
    query = query / (np.linalg.norm(query) or 1)
    return part, np.einsum("ij,j->i", part.matrix, query) / part.norms  # a sum of each row alone, whatever is beside it


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
    floor, known = -np.inf, 0
    for part, cosines in scores:
        rows = np.flatnonzero(allowed[part.chunks])
        chunks, own = part.chunks[rows], cosines[rows]
        np.maximum.at(best, chunks, own)
        if len(candidates) >= known:  # so many are new that it can have risen a lot
            floor, known = _floor(best, limit, floor), len(candidates) + limit
        first = (own >= best[chunks]) & ((own >= floor) | wanted[chunks])
        ids = part.ids.take(rows[first]).to_pylist()
        candidates.extend(zip((-own[first]).tolist(), chunks[first].tolist(), ids, strict=True))
    found = _first(candidates)
    return [*found[:limit], *(hit for hit in found[limit:] if wanted[hit[0]])]


def _floor(best: Array, limit: int, floor: float) -> float:
    """Return the score below which a leaf can no longer be among the answers, which was at least ``floor`` before."""
    import numpy as np

    if limit >= len(best):
        return -np.inf
    able = best if floor == -np.inf else best[best >= floor]  # as many as wanted, and few more
    return float(np.partition(able, len(able) - limit)[len(able) - limit]) if limit > 0 else np.inf


def _first(candidates: list[tuple[float, int, str]]) -> list[tuple[int, str, float]]:
    """Keep the best candidate of each chunk; a later block may have had a better one than an earlier."""
    found: dict[int, tuple[int, str, float]] = {}
    for negative, position, leaf in sorted(candidates, key=lambda c: (c[0], c[2])):
        found.setdefault(position, (position, leaf, -negative))
    return list(found.values())
