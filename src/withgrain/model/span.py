"""Half-open ranges of code points."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """A half-open range ``[start, end)`` of code-point offsets into a text.

    Offsets count Python characters (Unicode code points), never bytes or UTF-16 units.
    """

    start: int
    end: int

    def __len__(self) -> int:
        """Return the number of code points covered."""
        return self.end - self.start

    def of(self, text: str) -> str:
        """Return the slice of ``text`` that this span covers."""
        return text[self.start : self.end]

    def contains(self, other: Span) -> bool:
        """Return whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Return whether the two spans share at least one code point."""
        return self.start < other.end and other.start < self.end
