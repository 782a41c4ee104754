"""Find where a quote stands: letter for letter, or apart from white space, Markdown, typography and omissions."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from withgrain.model import Span
from withgrain.search.quotes.elided import elided
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
# The row of dashes below the header of a table, which no reader sees.
_RULE = r"\n[ \t>]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?)?[ \t]*+(?=\n)"
_RULE_IN_QUOTE = re.compile(r"(?:\|?[ \t]*+:?-{2,}+:?[ \t]*+\|)(?:[ \t]*+:?-++:?[ \t]*+\|?)*+")
# An underscore is emphasis beside white space only: inside a name it is a letter.
_BETWEEN = rf"_?(?:{_LIST_ITEM}|{_RULE}|\s|\]\([^()\s]{{0,500}}\)|{_MARKUP}|</?[A-Za-z][^<>\n]{{0,80}}>)++_?"
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
    spans = _spans(quote, text, limit) or elided(quote, text, limit, _spans)
    return Found(how="normalised", spans=spans) if spans else None


def _spans(quote: str, text: str, limit: int) -> tuple[Span, ...]:
    pattern = pattern_of(quote)
    matches = islice(pattern.finditer(text), limit) if pattern else ()
    return tuple(Span(start=match.start(), end=match.end()) for match in matches)


def pattern_of(quote: str) -> re.Pattern[str] | None:
    """Return a pattern for the words and signs of a quote, with any white space and Markdown between them.

    Words and signs are literal and none of them can be part of a gap (gaps are possessive): matching at one place is
    linear in the quote. None when the quote has no word, or is long and says little: a text that repeats itself could
    match nearly all of it at every place.
    """
    parts: list[str] = []
    seen: set[str] = set()
    gap, words, pieces = "", 0, 0
    plain = _RULE_IN_QUOTE.sub(" ", _LIST_MARKER.sub(" ", unicodedata.normalize("NFC", quote)))
    for piece in _PIECE.finditer(plain):
        if piece["gap"]:
            gap = _BETWEEN if gap == _BETWEEN or any(c.isspace() for c in piece["gap"]) else _WITHIN
            continue
        words += bool(piece["word"])
        pieces += 1
        seen.add(piece.group())
        if parts:
            parts.append(gap or _WITHIN)
        parts.append(_letters(piece["word"]) if piece["word"] else _SIGNS.get(piece["sign"], re.escape(piece["sign"])))
        gap = ""
    repetitive = pieces > _SHORT and len(seen) * _DISTINCT < pieces
    return re.compile("".join(parts)) if words and not repetitive else None


def _letters(word: str) -> str:
    """Return a pattern for a word whose accented letters may be one character or several."""
    forms = ((re.escape(c), unicodedata.normalize("NFD", c)) for c in word)
    return "".join(c if len(apart) == 1 else f"(?:{c}|{apart})" for c, apart in forms)


def _literal(quote: str, text: str, limit: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = text.find(quote) if quote.strip() else -1
    while start >= 0 and len(spans) < limit:
        spans.append(Span(start=start, end=start + len(quote)))
        start = text.find(quote, start + len(quote))
    return tuple(spans)
