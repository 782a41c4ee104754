"""Where a piece of Markdown stands in the document."""

from __future__ import annotations

from bisect import bisect_right


class Place:
    """Maps offsets of a piece of text to offsets of the document.

    A piece is a slice of the document (``base`` is its start), or the lines of one with some indentation taken away
    (the body of ``!!! note``); then the start of a line maps to the start of the whole line, indentation included.
    """

    __slots__ = ("base", "cuts", "local", "origin")

    def __init__(self, base: int, local: list[int] | None = None, origin: list[int] | None = None) -> None:
        self.base = base
        self.local = local
        self.origin = origin or []
        self.cuts: list[int] = []

    def at(self, offset: int) -> int:
        """Return the document's offset for an offset of the piece."""
        if self.local is None:
            return self.base + offset
        line = bisect_right(self.local, offset) - 1
        inside = offset - self.local[line]
        return self.origin[line] + (inside + self.cuts[line] if inside else 0)


def dedent(text: str, start: int, end: int, width: int) -> tuple[str, Place]:
    """Take up to ``width`` columns of indentation from every line of ``text[start:end]``.

    A tab counts as the whole width. ``start`` is the beginning of a line.
    """
    pieces: list[str] = []
    place = Place(start, [], [])
    at = length = 0
    at = start
    while at < end:
        newline = text.find("\n", at, end)
        stop = end if newline < 0 else newline + 1
        cut = 0
        while cut < width and at + cut < stop and text[at + cut] in " \t":
            cut += 1
            if text[at + cut - 1] == "\t":
                break
        pieces.append(text[at + cut : stop])
        place.local.append(length)  # type: ignore[union-attr]
        place.origin.append(at)
        place.cuts.append(cut)
        length += stop - at - cut
        at = stop
    place.local.append(length)  # type: ignore[union-attr]
    place.origin.append(end)
    place.cuts.append(0)
    return "".join(pieces), place
