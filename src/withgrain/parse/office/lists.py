"""Numbered and bulleted paragraphs as nested lists: Word knows no lists, only paragraphs with a level."""

from __future__ import annotations

from withgrain.parse.office.numbering import Level, Numbering
from withgrain.parse.rendered import Writer

_DECIMAL = "0123456789"


class Lists:
    """The lists that are open while a document is written."""

    def __init__(self, writer: Writer, numbering: Numbering) -> None:
        self._writer = writer
        self._numbering = numbering
        self._open: list[tuple[int, int, bool, int]] = []  # numbering, level, ordered, left edge of the text

    @property
    def open(self) -> bool:
        """Whether a list is open."""
        return bool(self._open)

    def item(self, identity: int, deep: int, left: int = 0) -> None:
        """Begin an item of a numbering at a level; the paragraph that follows is its text.

        Items of one numbering lie in each other by level; those of another one by their left edge, as they are seen.

        Args:
            identity: The numbering.
            deep: The level.
            left: The paragraph's own left edge; 0 for that of the level.
        """
        level = self._numbering.level(identity, deep) or Level()
        left = left or level.indent
        shown = self._numbering.step(identity, deep)
        while self._open and self._is_outside(identity, deep, left):
            self._end()
        bare = shown.strip("().")
        ordered = level.kind != "bullet" and bare.isdecimal() and bare.isascii()
        if self._open and self._open[-1][:3] == (identity, deep, ordered):
            self._writer.end()
        else:
            if self._open and not self._is_inside(identity, deep, left):
                self._end()
            self._writer.begin_list(ordered=ordered, start=int(bare) if ordered else 1)
            self._open.append((identity, deep, ordered, left))
        self._writer.begin_item(number=(bare if ordered else shown) or None)

    def _is_outside(self, identity: int, deep: int, left: int) -> bool:
        """Return whether an item lies further out than the innermost list."""
        inner, depth, _, edge = self._open[-1]
        if inner == identity or not (left and edge):
            return depth > deep
        return edge > left

    def _is_inside(self, identity: int, deep: int, left: int) -> bool:
        """Return whether an item lies further in than the innermost list."""
        inner, depth, _, edge = self._open[-1]
        if inner == identity or not (left and edge):
            return depth < deep
        return edge < left

    def close_unless_indented(self, left: int) -> None:
        """Close the lists to whose text a paragraph with this left edge does not belong."""
        while self._open and (left <= 0 or left < self._open[-1][3] or not self._open[-1][3]):
            self._end()

    def close(self) -> None:
        """Close all lists."""
        while self._open:
            self._end()

    def _end(self) -> None:
        self._writer.end()
        self._writer.end()
        self._open.pop()
