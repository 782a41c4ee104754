"""A budget that is being filled: by sums where the tokenizer allows it, else by laying out and counting each time."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.model import Hit
from withgrain.search.packing.layout import mark, ordered, path, place, render
from withgrain.search.packing.piece import Piece
from withgrain.types import Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """What a piece adds to a layout: the path above it, and the tokens of that, of its place and of its text."""

    path: str
    above: int
    own: int


class Room:
    """The pieces that were taken, and whether one more fits.

    Paths, marks, places and texts of a layout are parted by white space. So an additive tokenizer has to count each of
    them once, however many layouts are tried. Two sums decide nearly always: with no path and no mark it is too much,
    or with a path above every piece it fits; only between the two the pieces are put in order.

    Attributes:
        chosen: The pieces, by the rank of their hit.
    """

    def __init__(self, tokenizer: Tokenizer, max_tokens: int, *, by_sums: bool = True) -> None:
        self.chosen: dict[int, Piece] = {}
        self._tokenizer, self._most = tokenizer, max_tokens
        self._by_sums = by_sums and tokenizer.additive
        self._taken: dict[int, int] = {}
        self._own = self._above = self._mark = 0
        self._counts: dict[str, int] = {}
        self._lines: dict[tuple[int, bool, int], _Line] = {}

    def take(self, piece: Piece) -> bool:
        """Take a piece, in place of another one of its hit, if it fits."""
        if not self._by_sums:
            pieces = {**self.chosen, piece.hit.rank: piece}
            fits = self._tokenizer.count(render(list(pieces.values()))) <= self._most
            if fits:
                self._choose(pieces, piece)
            return fits
        line, before = self._line(piece), self.chosen.get(piece.hit.rank)
        old = self._line(before) if before is not None else _Line(path="", above=0, own=0)
        own, above = self._own + line.own - old.own, self._above + line.above - old.above
        pieces = {**self.chosen, piece.hit.rank: piece}
        if own > self._most or (own + above + self._marks(len(pieces)) > self._most < self._exactly(own, pieces)):
            return False
        self._own, self._above = own, above
        self._choose(pieces, piece)
        return True

    def used(self) -> float:
        """Return the share of the budget that the pieces have, each with a path above it; marks not counted."""
        return sum(self._taken.values()) / self._most if self._most else 1.0

    def tokens(self, hit: Hit) -> int:
        """Return the tokens of the whole text of a hit."""
        return self._count(hit.text.strip()) if self._by_sums else self._tokenizer.count(hit.text)

    def _choose(self, pieces: dict[int, Piece], last: Piece) -> None:
        self.chosen = pieces
        line = self._line(last)
        self._taken[last.hit.rank] = line.own + line.above

    def _exactly(self, own: int, pieces: dict[int, Piece]) -> int:
        """Return the tokens of the layout of pieces whose places and texts have ``own``."""
        total, above = own, None
        for number, piece in enumerate(ordered(list(pieces.values())), start=1):
            line = self._line(piece)
            total += self._count(mark(number)) + (line.above if line.path != above else 0)
            above = line.path
        return total

    def _marks(self, pieces: int) -> int:
        """Return what the marks of so many pieces have at most."""
        self._mark = max(self._mark, self._count(mark(pieces)))
        return pieces * self._mark

    def _line(self, piece: Piece) -> _Line:
        key = piece.hit.rank, piece.whole, len(piece.text)
        if key not in self._lines:
            above = path(piece.hit.citation)
            own = self._count(place(piece)) + self._count(piece.text.strip())
            self._lines[key] = _Line(path=above, above=self._count(above), own=own)
        return self._lines[key]

    def _count(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = self._tokenizer.count(text)
        return self._counts[text]
