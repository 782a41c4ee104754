"""An inverted index: for every term the chunks that have it, as slices of flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Integers = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term stands: positions of chunks, ascending, and how often each has it."""

    positions: Integers
    counts: Integers


@dataclass(frozen=True, slots=True)
class Inverted:
    """The postings of every term, side by side (5 bytes each where no count is above 255).

    Attributes:
        keys: Of the terms, ascending.
        begins: Where the postings of each begin, and where the last ones end.
        positions: Of the chunks, as 32-bit numbers.
        counts: How often each has the term.
    """

    keys: Integers
    begins: Integers
    positions: Integers
    counts: Integers

    def postings(self, key: int) -> Postings:
        """Return where a term stands."""
        import numpy as np

        place = int(np.searchsorted(self.keys, key))
        there = place < len(self.keys) and int(self.keys[place]) == key
        rows = slice(int(self.begins[place]), int(self.begins[place + 1])) if there else slice(0, 0)
        return Postings(self.positions[rows], self.counts[rows])


def inverted(keys: Integers, counts: Integers, ends: Integers) -> Inverted:
    """Make an index of the terms of one chunk after the other.

    Args:
        keys: The key of every term of every chunk.
        counts: How often the chunk has it.
        ends: Where the keys of each chunk end.
    """
    import numpy as np
    import pyarrow as pa

    coded = pa.array(keys).dictionary_encode()
    names = coded.dictionary.to_numpy(zero_copy_only=False).astype(np.int64)
    by_name = np.argsort(names)
    ranks = np.empty(len(names), dtype=np.int32)
    ranks[by_name] = np.arange(len(names), dtype=np.int32)
    codes = ranks[coded.indices.to_numpy()]
    del coded
    begins = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(names)))])
    order = _order(codes)
    sizes = np.diff(ends, prepend=0)
    chunks = np.repeat(np.arange(len(ends), dtype=np.int32), sizes)
    return Inverted(names[by_name], begins, chunks[order], counts[order])


def _order(codes: Integers) -> Integers:
    """Return the places in the order of their codes, equal ones as they stand: 16 bits at a time, which is linear."""
    import numpy as np

    order: Integers = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    if len(codes) and int(codes.max()) > 0xFFFF:
        order = order[np.argsort((codes[order] >> 16).astype(np.uint16), kind="stable")]
    return order
