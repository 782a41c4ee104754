"""The place of each of very many ids, in 12 bytes an id: a sorted array of their hashes.

A table of Python strings takes some 200 bytes an id, and the search of Arrow makes a table of its own every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Integers = np.ndarray[Any, np.dtype[Any]]

_WORD = 8
#: Odd, and its bits are spread: the multiplier of Fibonacci hashing (Knuth, TAOCP 3, 6.4).
_MULTIPLIER = 0x9E3779B97F4A7C15


class Places:
    """Ids by place. Ids of one length, a multiple of 8 bytes, as ours are, are found by their hash."""

    def __init__(self, ids: pa.Array) -> None:
        """Sort the hashes of ids that are all different."""
        import numpy as np

        self._ids = ids
        self._words = _words(ids)
        if self._words is not None:
            hashes = _hashes(self._words)
            self._order = np.argsort(hashes, kind="stable").astype(np.int32)
            self._hashes = hashes[self._order]

    def of(self, ids: Sequence[str]) -> Integers:
        """Return the place of each id; -1 for one that is not there."""
        import pyarrow as pa

        return self.among(pa.array([i.encode("utf-8", "surrogatepass") for i in ids], type=pa.binary()))

    def among(self, ids: pa.Array) -> Integers:
        """Return the place of each id of a column; -1 for one that is not there."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        asked = _words(ids)
        if self._words is not None and asked is not None and asked.shape[1] == self._words.shape[1]:
            begins = np.flatnonzero(np.concatenate([[True], (asked[1:] != asked[:-1]).any(axis=1)]))
            return np.repeat(
                self._found(asked[begins]), np.diff(begins, append=len(asked))
            )  # neighbours are often equal
        known = pc.index_in(ids.cast(pa.binary()), value_set=self._ids.cast(pa.binary()))
        places: Integers = pc.fill_null(known, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        return places

    def _found(self, words: Integers) -> Integers:
        import numpy as np

        assert self._words is not None
        places, hashes = np.full(len(words), -1, dtype=np.int64), _hashes(words)
        at = np.searchsorted(self._hashes, hashes)
        waiting = np.arange(len(words))
        while len(waiting):  # more than once only where two ids have the same hash
            waiting = waiting[at[waiting] < len(self._hashes)]
            waiting = waiting[self._hashes[at[waiting]] == hashes[waiting]]
            found = self._order[at[waiting]]
            same = (self._words[found] == words[waiting]).all(axis=1)
            places[waiting[same]] = found[same]
            waiting = waiting[~same]
            at[waiting] += 1
        return places


def _words(ids: pa.Array) -> Integers | None:
    """Return the bytes of each id as 64-bit words; None where they are not of one length, a multiple of 8 bytes."""
    import numpy as np

    if not len(ids) or ids.null_count:
        return None
    offsets = np.frombuffer(ids.buffers()[1], dtype=np.int32)[ids.offset : ids.offset + len(ids) + 1]
    size = int(offsets[1] - offsets[0])
    if not size or size % _WORD or not bool((np.diff(offsets) == size).all()):
        return None
    data = np.frombuffer(ids.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]]
    words: Integers = data.view(np.uint64).reshape(len(ids), size // _WORD)
    return words


def _hashes(words: Integers) -> Integers:
    """Return a hash of each row of 64-bit words."""
    import numpy as np

    hashes = np.zeros(len(words), dtype=np.uint64)
    for column in range(words.shape[1]):
        hashes = (hashes + words[:, column]) * np.uint64(_MULTIPLIER)
        hashes ^= hashes >> np.uint64(29)
    return hashes
