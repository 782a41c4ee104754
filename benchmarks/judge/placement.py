"""Where a piece stands in its source: at its claimed offsets when they are right, else where its text is."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.judge.source import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A piece and its place.

    Attributes:
        piece: As given.
        ranges: Where its body stands; several when only its lines were found, none when nothing was.
        exact: The claimed offsets give the body; without a claim: the body is a verbatim part of the source.
    """

    piece: Piece
    ranges: tuple[tuple[int, int], ...]
    exact: bool


class Squeezed:
    """A text without its white space, with the way back."""

    def __init__(self, text: str) -> None:
        self.places = [i for i, c in enumerate(text) if not c.isspace()]
        self.text = "".join(text.split())

    def find(self, wanted: str, after: int) -> tuple[int, int] | None:
        """Return the first range at or behind an offset that holds ``wanted``, whatever the white space inside."""
        wanted = "".join(wanted.split())
        if not wanted:
            return None
        at = self.text.find(wanted, bisect_left(self.places, after))
        return None if at < 0 else (self.places[at], self.places[at + len(wanted) - 1] + 1)


def place(text: str, pieces: Iterable[Piece]) -> list[Placed]:
    """Place the pieces of one source. Equal texts are looked for in order, so that repeated ones do not coincide."""
    squeezed = Squeezed(text)
    last = (0, 0)
    result = []
    for piece in pieces:
        placed = _claimed(text, piece) or _found(text, squeezed, piece, last)
        if placed.ranges:
            last = (placed.ranges[0][0], placed.ranges[-1][1])
        result.append(placed)
    return result


def covered(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of some ranges, ascending."""
    union: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((start, end))
    return union


def inside(union: list[tuple[int, int]], offset: int) -> bool:
    """Return whether an offset is in a union of ranges."""
    at = bisect_right(union, (offset, 1 << 62)) - 1
    return at >= 0 and union[at][0] <= offset < union[at][1]


def _claimed(text: str, piece: Piece) -> Placed | None:
    if piece.start is None or piece.end is None or text[piece.start : piece.end] != piece.body:
        return None
    return Placed(piece=piece, ranges=((piece.start, piece.end),), exact=True)


def _found(text: str, squeezed: Squeezed, piece: Piece, last: tuple[int, int]) -> Placed:
    body = piece.body.strip()
    for after in (last[1], last[0], 0):
        at = text.find(body, after)
        if body and at >= 0:
            return Placed(piece=piece, ranges=((at, at + len(body)),), exact=piece.start is None)
    for after in (last[1], last[0], 0):
        found = squeezed.find(body, after)
        if found:
            return Placed(piece=piece, ranges=(found,), exact=False)
    ranges = []
    after = last[0]
    for line in body.split("\n"):
        found = squeezed.find(line, after) or squeezed.find(line, 0)
        if found:
            ranges.append(found)
            after = found[1]
    return Placed(piece=piece, ranges=tuple(covered(ranges)), exact=False)
