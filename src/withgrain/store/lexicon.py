"""Exact lexical statistics of one state: which chunks have a term, how often, and how long the chunks are.

Holds for every chunk the 64-bit keys of its distinct terms with their counts, as flat arrays (about 1.6 kB a chunk),
and answers by comparing integers; who asks often (not a single command) gets an inverted index instead (about 500 bytes
a chunk). Row numbers ("positions") are those of the chunks table in the order of its row ids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from withgrain.store.bestfirst import Gains, Inside, Weighted, best_first
from withgrain.store.inverted import Inverted, Postings, inverted
from withgrain.store.remembered import Remembered
from withgrain.store.rows import term_key
from withgrain.store.statistics import K1, B

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from withgrain.model.candidates import Occurrences

    Positions = np.ndarray[Any, np.dtype[np.int64]]
    Integers = np.ndarray[Any, np.dtype[Any]]

#: Columns of the chunks that a lexicon is built from.
COLUMNS = ("length", "term_keys", "term_counts")
#: Postings are remembered up to this many entries in all (5 bytes each).
_REMEMBERED = 4_000_000
#: After so many terms were looked for one by one, the inverted index is made.
_SCANS = 64
#: What terms add to the chunks inside a filter is remembered up to this many entries in all (12 bytes each).
_GAINS = 8_000_000


@dataclass(frozen=True, slots=True)
class _Terms:
    """The keys of every chunk's terms, one chunk after the other.

    Half of a key is compared first: half the memory to read, and few rows left for the other half.
    """

    first: Integers
    second: Integers
    counts: Integers
    ends: Integers

    def postings(self, key: int) -> Postings:
        """Return where a key stands, by reading all."""
        import numpy as np

        first, second = np.array([key], dtype=np.int64).view(np.int32)
        hits = np.flatnonzero(self.first == first)
        hits = hits[self.second[hits] == second]
        return Postings(np.searchsorted(self.ends, hits, side="right").astype(np.int32), self.counts[hits])

    def inverted(self) -> Inverted:
        """Return the same by key."""
        import numpy as np

        keys = np.column_stack([self.first, self.second]).view(np.int64).ravel()
        return inverted(keys, self.counts, self.ends)


class Lexicon:
    """The terms of every chunk, by key."""

    def __init__(self, table: pa.Table) -> None:
        """Build from the `COLUMNS` of the chunks, ordered by row id; tables of an old schema have no counts."""
        import numpy as np

        self.lengths = table.column("length").to_numpy().astype(np.int64)
        lists = table.column("term_keys").chunks
        ends = np.cumsum(np.concatenate([[0], *(some.value_lengths().to_numpy() for some in lists)]))[1:]
        first, second = _halves(lists, int(ends[-1]) if len(ends) else 0)
        self.counted = "term_counts" in table.schema.names
        counts = _smallest(table.column("term_counts").chunks) if self.counted else np.ones(len(first), "u1")
        self._terms: _Terms | Inverted = _Terms(first, second, counts, ends)
        self._known: dict[int, Postings] = {}
        self._size = 0
        self._scans = 0
        self._making = Lock()
        self._gains: Remembered[tuple[Inside, str], Gains] = Remembered(_GAINS, len)

    def having(self, term: str) -> Positions:
        """Return the positions of the chunks that have a term, ascending."""
        return self.postings(term).positions

    def postings(self, term: str) -> Postings:
        """Return where a term stands; the count is 1 where it was not counted."""
        key, terms = term_key(term), self._terms
        if isinstance(terms, Inverted):
            return terms.postings(key)
        found = self._known.get(key)
        if found is None:
            self._scans += 1
            if self._scans > _SCANS:
                return self.warm().postings(key)
            found = terms.postings(key)
            if self._size + len(found.positions) > _REMEMBERED:
                self._known, self._size = {}, 0
            self._known[key] = found
            self._size += len(found.positions)
        return found

    def warm(self) -> Inverted:
        """Make the inverted index now, for who will ask often; threads that ask meanwhile wait for it."""
        with self._making:
            terms = self._terms
            if isinstance(terms, _Terms):
                terms = terms.inverted()
                self._terms, self._known = terms, {}
            return terms

    def counts(self, positions: Positions, terms: Sequence[str]) -> dict[str, Occurrences]:
        """Return, for each term that some of the chunks have, at which places of ``positions``, and how often."""
        import numpy as np

        result: dict[str, Occurrences] = {}
        wanted = positions.astype(np.int32)  # the type of the postings: another one would copy them
        for term in dict.fromkeys(terms):
            found = self.postings(term)
            if not len(found.positions):
                continue
            places = np.minimum(np.searchsorted(found.positions, wanted), len(found.positions) - 1)
            rows: Any = np.flatnonzero(found.positions[places] == wanted)
            if len(rows):
                counts: Any = found.counts[places[rows]]
                result[term] = rows, counts
        return result

    def best(self, terms: Sequence[str], inside: Inside, limit: int, *, again: bool) -> tuple[Positions, Integers]:
        """Return positions and BM25 scores of the best chunks that have a term; more than ``limit`` for equal scores.

        Length and frequency are those of all chunks, whatever is inside, so that a filter changes no score.

        Args:
            terms: Of the question.
            inside: The chunks that may answer.
            limit: How many are wanted.
            again: Whether others will ask for the same inside: then what the terms add is remembered.
        """
        names = list(dict.fromkeys(terms))
        known = self._gains.known([(inside, name) for name in names]) if again else {}
        gains = {name: found for (_, name), found in known.items()}
        result = best_first([self._weighted(name) for name in names], self._norms, inside, limit, gains)
        if again:
            self._gains.add({(inside, name): found for name, found in gains.items() if (inside, name) not in known})
        return result

    def _weighted(self, term: str) -> Weighted:
        postings = self.postings(term)
        frequency = len(postings.positions)
        idf = math.log1p((len(self.lengths) - frequency + 0.5) / (frequency + 0.5))
        return Weighted(name=term, postings=postings, weight=idf * (K1 + 1))

    @cached_property
    def _norms(self) -> Integers:
        norms: Integers = K1 * (1 - B + B * self.lengths / (self.average_length(None) or 1.0))
        return norms

    def average_length(self, inside: Positions | None) -> float:
        """Return the mean number of terms of some chunks (all for None); 0 for none."""
        lengths = self.lengths if inside is None else self.lengths[inside]
        return float(lengths.mean()) if len(lengths) else 0.0


def _halves(lists: Sequence[pa.Array], size: int) -> tuple[Integers, Integers]:
    """Return both halves of so many keys, taken from where they were read: they are most of what a collection has."""
    import numpy as np

    first, second, start = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32), 0
    for some in lists:
        halves = some.flatten().to_numpy().view(np.int32)
        end = start + len(halves) // 2
        first[start:end], second[start:end] = halves[0::2], halves[1::2]
        start = end
    return first, second


def _smallest(lists: Sequence[pa.Array]) -> Integers:
    """Return the counts in as few bytes as the largest needs."""
    import numpy as np

    parts = [some.flatten().to_numpy() for some in lists]
    kind = np.min_scalar_type(max((int(part.max(initial=0)) for part in parts), default=0))
    return np.concatenate([np.empty(0, dtype=kind), *(part.astype(kind) for part in parts)])
