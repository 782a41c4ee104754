"""Exact lexical statistics of one state: which chunks have a term, and how long the chunks are.

Holds for every chunk the 64-bit keys of its distinct terms, as one flat array (about 1.4 kB a chunk), and answers by
comparing integers. Row numbers ("positions") are those of the chunks table in the order of its row ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from withgrain.store.rows import term_key

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Positions = np.ndarray[Any, np.dtype[np.int64]]

#: Postings are remembered up to this many entries in all (8 bytes each).
_REMEMBERED = 4_000_000


class Lexicon:
    """The terms of every chunk, by key."""

    def __init__(self, table: pa.Table) -> None:
        """Build from the columns ``length`` and ``term_keys`` of the chunks, ordered by row id."""
        import numpy as np

        self._lengths = table.column("length").to_numpy().astype(np.int64)
        lists = table.column("term_keys").combine_chunks()
        halves = lists.flatten().to_numpy().view(np.int32)
        # Half of a key is compared first: half the memory to read, and few rows left for the other half.
        self._first, self._second = halves[0::2].copy(), halves[1::2].copy()
        sizes = lists.value_lengths().to_numpy()
        self._ends = np.cumsum(sizes)  # end of each chunk's keys in the flat array
        self._postings: dict[int, Positions] = {}
        self._size = 0

    def having(self, term: str) -> Positions:
        """Return the positions of the chunks that have a term, ascending."""
        import numpy as np

        key = term_key(term)
        found = self._postings.get(key)
        if found is None:
            first, second = np.array([key], dtype=np.int64).view(np.int32)
            hits = np.flatnonzero(self._first == first)
            found = np.searchsorted(self._ends, hits[self._second[hits] == second], side="right")
            if self._size + len(found) > _REMEMBERED:
                self._postings, self._size = {}, 0
            self._postings[key] = found
            self._size += len(found)
        return found

    def average_length(self, inside: Positions | None) -> float:
        """Return the mean number of terms of some chunks (all for None); 0 for none."""
        lengths = self._lengths if inside is None else self._lengths[inside]
        return float(lengths.mean()) if len(lengths) else 0.0
