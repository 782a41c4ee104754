"""Chunks that say the same twice: exactly, or nearly. For a report; nothing is ever dropped because of it.

Near pairs are found by MinHash (Broder 1997): the share of equal minima of random hash functions estimates the share of
common word triples. Bands of minima lead to candidates, whose triples are then really compared; so the cost grows with
the number of chunks, not with its square.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from zlib import crc32

from withgrain.model import ChunkRecord, content_key
from withgrain.types import Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Hash functions, and how many of them make a band: of texts that are half alike 99 in 100 meet in one of 32 bands.
HASHES = 96
ROWS = 3
#: Words of a shingle.
SHINGLE = 3
#: Shorter texts are alike by chance.
FEWEST_WORDS = 8
#: So many neighbours are compared in a band that very many texts share.
NEIGHBOURS = 32

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a text stands."""

    chunk_id: str
    document: str
    root: str
    heading_path: tuple[str, ...]
    lines: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two chunks that say the same.

    Attributes:
        kind: ``exact`` (but for case and white space) or ``near``.
        similarity: Share of the word triples of both that are in both; 1 for exact ones.
        first: The one with the smaller document path.
        second: The other.
    """

    kind: Literal["exact", "near"]
    similarity: float
    first: Place
    second: Place


def duplicates(snapshot: Snapshot, *, similarity: float = 0.8) -> tuple[Pair, ...]:
    """Return the pairs, the most alike first. Of more than two equal texts, each is paired with the first.

    Args:
        snapshot: The state to look at.
        similarity: Near pairs must be at least so much alike; from 0.5 on nearly all are found.
    """
    records = sorted(_records(snapshot), key=lambda r: (r.root, r.path, r.chunk.ordinal))
    by_key: dict[str, list[ChunkRecord]] = defaultdict(list)
    for record in records:
        by_key[content_key(record.chunk.body)].append(record)
    pairs = [_pair("exact", 1.0, group[0], other) for group in by_key.values() for other in group[1:]]
    distinct = [group[0] for group in by_key.values()]
    pairs += [_pair("near", s, distinct[a], distinct[b]) for a, b, s in _near(distinct, similarity)]
    return tuple(sorted(pairs, key=lambda p: (-p.similarity, p.first.document, p.first.chunk_id, p.second.chunk_id)))


def _records(snapshot: Snapshot) -> Iterator[ChunkRecord]:
    for document in snapshot.documents():
        for record in snapshot.chunks(doc_id=document.id):
            if record.chunk.kind != "document_summary" and len(_words(record.chunk.body)) >= FEWEST_WORDS:
                yield record


def _near(records: Sequence[ChunkRecord], similarity: float) -> Iterator[tuple[int, int, float]]:
    """Yield (number, number, similarity) of texts that are alike but not equal."""
    shingles = [_shingles(r.chunk.body) for r in records]
    if len(shingles) < 2:
        return
    for a, b in sorted(_candidates([_minima(some) for some in shingles])):
        common = len(shingles[a] & shingles[b])
        share = common / (len(shingles[a]) + len(shingles[b]) - common)
        if share >= similarity:
            yield a, b, round(share, 4)


def _candidates(minima: Sequence[NDArray[np.uint64]]) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for start in range(0, HASHES, ROWS):
        buckets: dict[bytes, list[int]] = defaultdict(list)
        for number, some in enumerate(minima):
            buckets[some[start : start + ROWS].tobytes()].append(number)
        for numbers in buckets.values():
            for at, a in enumerate(numbers):
                found.update((a, b) for b in numbers[at + 1 : at + 1 + NEIGHBOURS])
    return found


def _minima(shingles: Iterable[int]) -> NDArray[np.uint64]:
    """Return the least value of each hash function over the shingles."""
    import numpy as np

    values = np.fromiter(shingles, dtype=np.uint64)
    steps = np.arange(1, HASHES + 1, dtype=np.uint64)
    factors = steps * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
    mixed = (values[:, None] * factors) ^ (steps * np.uint64(0xD6E8FEB86659FD93))
    mixed ^= mixed >> np.uint64(29)
    least: NDArray[np.uint64] = (mixed * np.uint64(0xBF58476D1CE4E5B9)).min(axis=0)
    return least


def _shingles(text: str) -> frozenset[int]:
    words = _words(text)
    runs = (words[n : n + SHINGLE] for n in range(len(words) - SHINGLE + 1))
    return frozenset(crc32(" ".join(run).encode("utf-8", "surrogatepass")) for run in runs)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _pair(kind: Literal["exact", "near"], similarity: float, first: ChunkRecord, second: ChunkRecord) -> Pair:
    return Pair(kind=kind, similarity=similarity, first=_place(first), second=_place(second))


def _place(record: ChunkRecord) -> Place:
    chunk = record.chunk
    return Place(
        chunk_id=chunk.id, document=record.path, root=record.root, heading_path=chunk.heading_path, lines=chunk.lines
    )
