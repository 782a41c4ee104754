"""Where the things of a document are that references point to, and where no references are looked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from withgrain.model import Block, Span

_ANCHOR_TAG = re.compile(r"<a\s[^>]*?(?:id|name)=[\"']([^\"']+)[\"']", re.IGNORECASE)
_OPAQUE = frozenset({"code", "front_matter", "comment", "link_definition", "html", "math"})


_CLAUSES = frozenset({"step", "clause", "section", "paragraph", "article", "§"})


class Places:
    """An index of one document.

    Attributes:
        anchors: Block by anchor.
        footnotes: Footnote by label, case-folded.
    """

    __slots__ = ("_clauses", "_ends", "_headings", "_items", "_starts", "anchors", "footnotes")

    def __init__(self, opaque: list[tuple[int, int]]) -> None:
        self.anchors: dict[str, Span] = {}
        self.footnotes: dict[str, Span] = {}
        self._headings: dict[str, Span] = {}
        self._items: dict[str, list[Span]] = {}
        self._clauses = False
        opaque.sort()
        self._starts = [start for start, _ in opaque]
        self._ends: list[int] = []
        reach = 0
        for _, end in opaque:
            reach = end if end > reach else reach
            self._ends.append(reach)

    @property
    def has_numbers(self) -> bool:
        """Whether a heading or a clause prints a number (items of ordinary lists do not count)."""
        return self._clauses or bool(self._headings)

    def open(self, offset: int) -> bool:
        """Return whether a reference may stand here: outside of code, comments, markup and other links."""
        index = bisect_right(self._starts, offset) - 1
        return index < 0 or offset >= self._ends[index]

    def add(self, block: Block) -> None:
        """Note a block that has an anchor, a number or a label."""
        if block.anchor:
            self.anchors.setdefault(block.anchor, block.span)
        if block.kind == "footnote":
            self.footnotes.setdefault(block.attrs["label"].casefold(), block.span)
        elif block.number and block.kind == "heading":
            self._headings.setdefault(block.number.lower().replace("\u00a0", " "), block.span)
        elif block.number:
            self._clauses = self._clauses or block.kind == "paragraph"
            self._items.setdefault(block.number.lower(), []).append(block.span)

    def numbered(self, word: str, number: str, offset: int) -> Span | None:
        """Return the heading with this number, printed alone or behind ``word``; else the nearest such clause.

        A step is looked for among list items and numbered paragraphs before headings that print its number alone.
        """
        key = number.lower()
        labelled = self._headings.get(f"{word} {key}")
        heading = self._headings.get(key)
        if labelled is not None or (heading is not None and word != "step"):
            return labelled or heading
        items = self._items.get(f"{word} {key}") or self._items.get(key, []) if word in _CLAUSES else []
        return items[max(0, bisect_right(items, offset, key=_start) - 1)] if items else heading


def _start(span: Span) -> int:
    return span.start


def places_of(text: str, blocks: Sequence[Block], taken: list[tuple[int, int]]) -> Places:
    """Return the index of a document; ``taken`` are ranges that are references already."""
    noted: list[Block] = []
    opaque = taken
    stack = list(reversed(blocks))
    while stack:
        block = stack.pop()
        kind = block.kind
        if kind in _OPAQUE:
            opaque.append((block.span.start, block.span.end))
        elif block.anchor or block.number or kind == "footnote":
            noted.append(block)
        if block.children and kind != "table":
            stack.extend(reversed(block.children))
    places = Places(opaque)
    for block in noted:
        places.add(block)
    if "<a " in text:
        for block in blocks:
            if block.kind not in ("code", "blank"):
                for match in _ANCHOR_TAG.finditer(text, block.span.start, block.span.end):
                    places.anchors.setdefault(match.group(1), block.span)
    return places
