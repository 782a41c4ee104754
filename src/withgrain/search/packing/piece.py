"""A piece of a hit: all of it, or the part that is nearest to the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from withgrain.model import Hit, Span

#: A part that is nearly the whole hit is no gain: the hit stays whole.
_NEARLY_ALL = 0.8
#: What a beginning shows of a body at least: so many words, or characters of a script without spaces.
_FEW_WORDS = re.compile(r"(?:\W*\w+){4}")
_FEW_CHARACTERS = 40
_HEADER = re.compile(r"[ \t]*\|[^\n]*\n[ \t|:-]+\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What of a hit is shown; ``span`` is where that stands, None for a generated summary."""

    hit: Hit
    text: str
    span: Span | None
    whole: bool

    def least(self) -> int:
        """Return how long a beginning must be to say something: a few words, not only a table's header or a number."""
        header = _HEADER.match(self.text, self._ahead())
        start = header.end() if header else self._ahead()
        words = _FEW_WORDS.match(self.text, start)
        return min(words.end() + 1 if words else len(self.text), start + _FEW_CHARACTERS)

    def beginning(self, length: int) -> Piece:
        """Return the first ``length`` characters, cut behind a line or a word where there is one."""
        text = self.text[:length]
        cut = max(text.rfind("\n"), text.rfind(" "))
        ahead = self._ahead()
        text = text[:cut].rstrip() if cut > ahead else text
        span = self.span
        if span is not None:
            span = Span(start=span.start, end=min(span.end, span.start + max(0, len(text) - ahead)))
        return replace(self, text=text + " …", span=span, whole=False)

    def _ahead(self) -> int:
        """Return where the body begins, behind what is shown above it: a table's header, a list's stem."""
        return max(0, self.text.find(self.hit.body))


def pieces_of(hit: Hit, part: Piece | None) -> list[Piece]:
    """Return the ways to show a hit, longest first."""
    whole = Piece(hit=hit, text=hit.text, span=hit.span, whole=True)
    return [whole, part] if part is not None else [whole]


def parts_of(hits: Sequence[Hit]) -> dict[int, Piece]:
    """Return the nearest part of each hit that has one which is much shorter, by rank.

    A table row keeps its header, a list item its stem: what the chunk shows beside its body stays.
    """
    found: dict[int, Piece] = {}
    for hit in hits:
        if hit.leaf is None or hit.span is None or not hit.span.contains(hit.leaf):
            continue
        start, end = _whole_lines(hit.body, hit.leaf.start - hit.span.start, hit.leaf.end - hit.span.start)
        if end - start > _NEARLY_ALL * len(hit.body):
            continue
        before = hit.text[: max(0, hit.text.find(hit.body))]
        span = Span(start=hit.span.start + start, end=hit.span.start + end)
        text = f"{before}{hit.body[start:end]}"
        found[hit.rank] = Piece(hit=hit, text=text, span=span, whole=False)
    return found


def _whole_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """Return the range widened to whole lines, so that a list marker or the bars of a table row stay."""
    first = body.rfind("\n", 0, start) + 1
    behind = body.find("\n", end)
    return first, len(body) if behind < 0 else behind
