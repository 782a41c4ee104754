"""Find where a quote stands: letter for letter, or apart from white space, Markdown and typographic signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from withgrain.model import Span
from withgrain.tokens.invisible import INVISIBLE

#: Most characters of a quote.
MOST = 2000
#: Above so many words and signs, at least one in five must be a new one.
_SHORT = 50
_DISTINCT = 5

_MARKUP = rf"[*`~#>|\[\]\\{INVISIBLE}]"
# A link's target, an HTML tag, a list marker at the start of a line.
_WITHIN = rf"(?:{_MARKUP}|\]\([^()\s]{{0,500}}\)|</?[A-Za-z][^<>\n]{{0,80}}>)*+"
_LIST_ITEM = r"\n[ \t>]*+(?:[-+*]|\d{1,4}[.)])[ \t]"
# An underscore is emphasis beside white space only: inside a name it is a letter.
_BETWEEN = rf"_?(?:{_LIST_ITEM}|\s|\]\([^()\s]{{0,500}}\)|{_MARKUP}|</?[A-Za-z][^<>\n]{{0,80}}>)++_?"
_PIECE = re.compile(rf"(?P<word>\w+)|(?P<gap>(?:\s|{_MARKUP}|⟦[^⟦⟧\n]{{0,500}}⟧)+)|(?P<sign>.)", re.DOTALL)
_LIST_MARKER = re.compile(r"(?:^|(?<=\n))[ \t>]*(?:[-+*]|\d{1,4}[.)])[ \t]+")
_SIGNS = {
    **dict.fromkeys("'‘’‛", "['‘’‛]"),
    **dict.fromkeys('"“”„', '["“”„]'),
    **dict.fromkeys("-‐‑–—", "[-‐‑–—]"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Places of a quote in one text.

    Attributes:
        how: ``exact`` | ``normalised``.
        spans: The places, without overlap, in order.
    """

    how: Literal["exact", "normalised"]
    spans: tuple[Span, ...]


def find(quote: str, text: str, limit: int = 20) -> Found | None:
    """Return up to ``limit`` places of ``quote`` in ``text``; None when it stands there in neither way."""
    exact = _literal(quote, text, limit)
    if exact:
        return Found(how="exact", spans=exact)
    pattern = pattern_of(quote)
    if pattern is None:
        return None
    spans: list[Span] = []
    for match in pattern.finditer(text):
        spans.append(Span(start=match.start(), end=match.end()))
        if len(spans) >= limit:
            break
    return Found(how="normalised", spans=tuple(spans)) if spans else None


def pattern_of(quote: str) -> re.Pattern[str] | None:
    """Return a pattern for the words and signs of a quote, with any white space and Markdown between them.

    Words and signs are literal and none of them can be part of a gap (gaps are possessive): matching at one place is
    linear in the quote. None when the quote has no word, or is long and says little: a text that repeats itself could
    match nearly all of it at every place.
    """
    parts: list[str] = []
    seen: set[str] = set()
    gap, words, pieces = "", 0, 0
    for piece in _PIECE.finditer(_LIST_MARKER.sub(" ", quote)):
        if piece["gap"]:
            gap = _BETWEEN if gap == _BETWEEN or any(c.isspace() for c in piece["gap"]) else _WITHIN
            continue
        words += bool(piece["word"])
        pieces += 1
        seen.add(piece.group())
        if parts:
            parts.append(gap or _WITHIN)
        parts.append(re.escape(piece["word"]) if piece["word"] else _SIGNS.get(piece["sign"], re.escape(piece["sign"])))
        gap = ""
    repetitive = pieces > _SHORT and len(seen) * _DISTINCT < pieces
    return re.compile("".join(parts)) if words and not repetitive else None


def _literal(quote: str, text: str, limit: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = text.find(quote) if quote.strip() else -1
    while start >= 0 and len(spans) < limit:
        spans.append(Span(start=start, end=start + len(quote)))
        start = text.find(quote, start + len(quote))
    return tuple(spans)
