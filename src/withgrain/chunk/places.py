"""Where a chunk stands: lines, pages, anchor and origin, from the blocks that it touches."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from withgrain.model import Block, Document, Section, Span

#: More than any page number.
_NO_PAGE = 1 << 60
#: The marker of a list item, which prints a number or nothing.
_ITEM = re.compile(r"[ \t]*(?:[-*+]|(?P<number>\d{1,9})[.)])(?=[ \t\n])")


class Places:
    """Finds lines, blocks and sections of a span by bisection; what it looks at is what the span touches."""

    def __init__(self, document: Document, parts: tuple[Section, ...]) -> None:
        self.document, self.parts = document, parts
        self._at, self._line = 0, 1  # spans come in order: lines are counted on from the last one
        self.starts_of_sections = [s.span.start for s in parts]
        content = self._content = document.content
        self._starts = [b.span.start for b in content]
        anchored = [b for b in (_nested(content) if document.rendered else content) if b.anchor]
        self._anchors = [b.anchor for b in anchored]
        self._anchor_starts = [b.span.start for b in anchored]
        # The blocks of Markdown, which has neither pages nor origins, are made when somebody looks; so nobody looks.
        made = content if isinstance(document.blocks, tuple) else ()
        self._has_pages = any(b.page is not None for b in made)
        self._has_origins = any(b.origin is not None or b.kind == "table" for b in made)
        self._clauses: dict[int, str | None] = {}

    def lines(self, span: Span) -> tuple[int, int] | None:
        """Return the 1-based first and last line; None for rendered formats."""
        if self.document.rendered:
            return None
        text = self.document.text
        if span.start < self._at:
            self._at, self._line = 0, 1
        first = self._line + text.count("\n", self._at, span.start)
        self._at, self._line = span.start, first
        return first, first + text.count("\n", span.start, max(span.start, span.end - 1))

    def _touched(self, span: Span) -> Sequence[Block]:
        """Return the blocks that are not blank and share a character with the span."""
        first = max(0, bisect_right(self._starts, span.start) - 1)
        last = bisect_left(self._starts, span.end)
        if first < last and self._content[first].span.end <= span.start:
            first += 1
        return self._content[first:last]

    def kinds(self, span: Span) -> tuple[str, ...]:
        """Return the distinct kinds of the blocks that the span touches, in order."""
        return tuple(dict.fromkeys([block.kind for block in self._touched(span)]))

    def pages(self, span: Span) -> tuple[int, ...]:
        """Return the pages that the span touches, in order; a table over pages has them on its rows."""
        known = self.document.pages(span)
        if known or not self._has_pages:
            return known
        pages: set[int] = set()
        for block in self._touched(span):
            inner = {child.page for child in _touched(block.children, span)} - {None}
            pages |= {page for page in inner or {block.page} if page is not None}
        return tuple(sorted(pages))

    def page_starts(self, span: Span) -> tuple[int, ...]:
        """Return where each page of `pages` but the first begins; nothing where that is not known."""
        starts = self.document.page_starts
        first, last = bisect_right(starts, (span.start, _NO_PAGE)), bisect_left(starts, (span.end, 0))
        if first >= last:
            return ()
        turned = [page for _, page in starts[max(0, first - 1) : last]]
        rising = all(a < b for a, b in pairwise(turned))
        return tuple(offset for offset, _ in starts[first:last]) if rising and first else ()

    def origin(self, span: Span) -> str | None:
        """Return where the source has the first row, item or block that the span touches."""
        if not self._has_origins:
            return None
        for block in self._touched(span):
            for inner in (*_touched(block.children, span), block):
                if inner.origin is not None:
                    return inner.origin
        return None

    def anchor(self, at: int, section: int) -> str | None:
        """Return the nearest anchor at or before an offset of a section, else that of an outer section."""
        last = bisect_right(self._anchor_starts, at) - 1
        index: int | None = section
        if last >= 0 and self._anchor_starts[last] >= self.starts_of_sections[section]:
            return self._anchors[last]
        while index is not None:
            heading = self.parts[index].heading
            if heading is not None and heading.anchor:
                return heading.anchor
            index = self.parts[index].parent
        return None

    def clause(self, span: Span, index: int) -> str | None:
        """Return the printed number of the innermost numbered heading, else of the first block of the span."""
        number = self._clauses[index] if index in self._clauses else self._numbered(index)
        if number is not None:
            return number
        block = self._first(span)
        if block is None:
            return None
        if block.kind != "list":
            return block.number
        item = _ITEM.match(self.document.text, max(span.start, block.span.start))
        if item is not None:
            return item["number"]
        items = _touched(block.children, span)[:1]
        return (items[0] if items else block).number

    def _first(self, span: Span) -> Block | None:
        """Return the first of the blocks that `_touched` returns."""
        at = max(0, bisect_right(self._starts, span.start) - 1)
        if at < len(self._content) and self._content[at].span.end <= span.start:
            at += 1
        return self._content[at] if at < len(self._content) and self._starts[at] < span.end else None

    def _numbered(self, index: int) -> str | None:
        at: int | None = index
        number: str | None = None
        while at is not None and number is None:
            heading = self.parts[at].heading
            if heading is not None and heading.number:
                number = heading.number
            at = self.parts[at].parent
        self._clauses[index] = number
        return number

    def section(self, at: int) -> int:
        """Return the index of the section that the offset stands in."""
        return max(0, bisect_right(self.starts_of_sections, at) - 1)


def _nested(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks and those inside them, in order: parsers of rendered formats note anchors there."""
    for block in blocks:
        yield block
        stack = list(reversed(block.children)) if block.kind != "table" else []
        while stack:
            inner = stack.pop()
            yield inner
            if inner.kind != "table":
                stack.extend(reversed(inner.children))


def _start(block: Block) -> int:
    return block.span.start


def _touched(blocks: Sequence[Block], span: Span) -> Sequence[Block]:
    """Return the blocks, which are in order and do not overlap, that share a character with the span."""
    first = max(0, bisect_right(blocks, span.start, key=_start) - 1)
    last = bisect_left(blocks, span.end, key=_start)
    if first < last and blocks[first].span.end <= span.start:
        first += 1
    return blocks[first:last]
