"""Exact lexical statistics of one state: which chunks have a term, how often, and how long the chunks are.

Holds for every chunk the 64-bit keys of its distinct terms with their counts, as flat arrays (about 1.6 kB a chunk),
and answers by comparing integers; who asks often (not a single command) gets the keys sorted, as an inverted index. Row
numbers ("positions") are those of the chunks table in the order of its row ids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from withgrain.store.rows import term_key
from withgrain.store.statistics import K1, B

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from withgrain.model.candidates import Occurrences

    Positions = np.ndarray[Any, np.dtype[np.int64]]
    Integers = np.ndarray[Any, np.dtype[Any]]
    Flags = np.ndarray[Any, np.dtype[np.bool_]]

#: Columns of the chunks that a lexicon is built from.
COLUMNS = ("length", "term_keys", "term_counts")
#: Postings are remembered up to this many entries in all (17 bytes each).
_REMEMBERED = 4_000_000
#: After so many terms were looked for one by one, the keys are sorted, where there are no more than so many of them.
_SCANS = 64
_SORTED = 40_000_000


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term stands: positions of chunks, ascending, how often each has it, and what that adds to its BM25 score.

    The count is 1 where it was not counted. Length and frequency are those of all chunks.
    """

    positions: Positions
    counts: Integers
    scores: Integers


class Lexicon:
    """The terms of every chunk, by key."""

    def __init__(self, table: pa.Table) -> None:
        """Build from the `COLUMNS` of the chunks, ordered by row id; tables of an old schema have no counts."""
        import numpy as np

        self.lengths = table.column("length").to_numpy().astype(np.int64)
        lists = table.column("term_keys").combine_chunks()
        halves = lists.flatten().to_numpy().view(np.int32)
        # Half of a key is compared first: half the memory to read, and few rows left for the other half.
        self._first, self._second = halves[0::2].copy(), halves[1::2].copy()
        self._counts = (
            _smallest(table.column("term_counts").combine_chunks()) if "term_counts" in table.schema.names else None
        )
        sizes = lists.value_lengths().to_numpy()
        self._ends = np.cumsum(sizes)  # end of each chunk's keys in the flat array
        self._postings: dict[int, Postings] = {}
        self._size = 0
        self._scans = 0

    @property
    def counted(self) -> bool:
        """Whether the counts are known."""
        return self._counts is not None

    def having(self, term: str) -> Positions:
        """Return the positions of the chunks that have a term, ascending."""
        return self.postings(term).positions

    def postings(self, term: str) -> Postings:
        """Return where a term stands."""
        import numpy as np

        key = term_key(term)
        found = self._postings.get(key)
        if found is None:
            hits = self._hits(key)
            counts = np.ones(len(hits), dtype=np.uint8) if self._counts is None else self._counts[hits]
            at = np.searchsorted(self._ends, hits, side="right")
            found = Postings(at, counts, self._scores(at, counts))
            if self._size + len(hits) > _REMEMBERED:
                self._postings, self._size = {}, 0
            self._postings[key] = found
            self._size += len(hits)
        return found

    def _hits(self, key: int) -> Integers:
        """Return where a key stands in the flat array, ascending."""
        import numpy as np

        if self._scans >= _SCANS and len(self._first) <= _SORTED:
            keys, order = self._sorted
            begin, end = np.searchsorted(keys, key, side="left"), np.searchsorted(keys, key, side="right")
            places: Integers = np.sort(order[begin:end])
            return places
        self._scans += 1
        first, second = np.array([key], dtype=np.int64).view(np.int32)
        hits = np.flatnonzero(self._first == first)
        exact: Integers = hits[self._second[hits] == second]
        return exact

    @cached_property
    def _sorted(self) -> tuple[Integers, Integers]:
        """The keys in ascending order, and where each stands in the flat array; 12 bytes a key."""
        import numpy as np

        keys = np.column_stack([self._first, self._second]).view(np.int64).ravel()
        order = np.argsort(keys)
        return keys[order], order.astype(np.int32)

    def counts(self, positions: Positions, terms: Sequence[str]) -> dict[str, Occurrences]:
        """Return, for each term that some of the chunks have, at which places of ``positions``, and how often."""
        import numpy as np

        result: dict[str, Occurrences] = {}
        for term in dict.fromkeys(terms):
            found = self.postings(term)
            if not len(found.positions):
                continue
            places = np.minimum(np.searchsorted(found.positions, positions), len(found.positions) - 1)
            rows: Any = np.flatnonzero(found.positions[places] == positions)
            if len(rows):
                counts: Any = found.counts[places[rows]]
                result[term] = rows, counts
        return result

    def best(self, terms: Sequence[str], allowed: Flags | None, limit: int) -> tuple[Positions, Integers]:
        """Return positions and BM25 scores of the best chunks that have a term; more than ``limit`` for equal scores.

        Length and frequency are those of all chunks, whatever is allowed, so that a filter changes no score.
        """
        import numpy as np

        scores = np.zeros(len(self.lengths))
        for term in dict.fromkeys(terms):
            found = self.postings(term)
            scores[found.positions] += found.scores
        rows = np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)
        if len(rows) > limit:
            own = scores[rows]
            rows = rows[own >= np.partition(own, len(own) - limit)[len(own) - limit]]
        return rows, scores[rows]

    def _scores(self, positions: Positions, counts: Integers) -> Integers:
        size, frequency, count = len(self.lengths), len(positions), counts.astype(float)
        idf = math.log1p((size - frequency + 0.5) / (frequency + 0.5))
        scores: Integers = idf * count * (K1 + 1) / (count + self._norms[positions])
        return scores

    @cached_property
    def _norms(self) -> Integers:
        norms: Integers = K1 * (1 - B + B * self.lengths / (self.average_length(None) or 1.0))
        return norms

    def average_length(self, inside: Positions | None) -> float:
        """Return the mean number of terms of some chunks (all for None); 0 for none."""
        lengths = self.lengths if inside is None else self.lengths[inside]
        return float(lengths.mean()) if len(lengths) else 0.0


def _smallest(lists: pa.Array) -> Integers:
    """Return the counts in as few bytes as the largest needs."""
    import numpy as np

    counts: Integers = lists.flatten().to_numpy()
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))
