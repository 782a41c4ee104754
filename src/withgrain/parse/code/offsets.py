"""From offsets into UTF-8 bytes, which the syntax tree has, to code points."""

from __future__ import annotations

from itertools import accumulate

_STEP = 1024
_CONTINUATION = bytes(range(0x80, 0xC0))


class Offsets:
    """Converts byte offsets of one text: sums for every `_STEP` bytes, the rest counted when asked."""

    __slots__ = ("_ascii", "_data", "_sums")

    def __init__(self, data: bytes) -> None:
        self._ascii = data.isascii()
        self._data = data
        steps = () if self._ascii else range(0, len(data), _STEP)
        self._sums = [0, *accumulate(len(data[i : i + _STEP].translate(None, _CONTINUATION)) for i in steps)]

    def __call__(self, offset: int) -> int:
        """Return the code point that begins at a byte offset."""
        if self._ascii:
            return offset
        step = offset // _STEP
        rest = self._data[step * _STEP : offset].translate(None, _CONTINUATION)
        return self._sums[step] + len(rest)
