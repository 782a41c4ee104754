"""The text nearest to a quote that stands nowhere, and how the two differ; bounded work."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from withgrain.model import Span
from withgrain.tokens.terms import UNSPACED

# A character of a script without spaces between words, a word with the accents that stand by themselves, a sign.
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w[\u0300-\u036f]*)+|[^\w\s]")
#: Words of a quote that are compared; a comparison costs at most the square of them.
WORDS = 200
DIFFERENCES = 12
_CLIP = 120

#: A word as it is compared, and where it begins and ends.
_Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Words of the quote, and what stands in their place; one of the two may be empty."""

    quote: str
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The nearest text.

    Attributes:
        span: Where it stands.
        similarity: 0-1: twice the words in common, in order and in any case, over the words of both (difflib's ratio).
        differences: The first ones, in order; words that differ by case or spelling of letters alone are among them.
        complete: All words of the quote were compared.
    """

    span: Span
    similarity: float
    differences: tuple[Difference, ...]
    complete: bool = True


def nearest(quote: str, text: str) -> Near | None:
    """Return the part of ``text`` nearest to the first 200 words of ``quote``; None when they share no word.

    Both as a reader sees them: every sign counts.

    The window with the most words in common is found by one pass; inside it difflib aligns the words (Ratcliff and
    Metzener, Pattern matching: the gestalt approach, Dr. Dobb's Journal, 1988).
    """
    asked = _words(quote)
    complete, asked = len(asked) <= WORDS, asked[:WORDS]
    there = _words(text)
    if not asked or not there:
        return None
    start = _best_window([w for w, *_ in asked], [w for w, *_ in there])
    if start is None:
        return None
    slack = len(asked) // 4 + 2
    window = there[max(0, start - slack) : start + len(asked) + slack]
    matcher = SequenceMatcher(None, [w for w, *_ in asked], [w for w, *_ in window], autojunk=False)
    blocks = [b for b in matcher.get_matching_blocks() if b.size]
    if not blocks:
        return None
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size
    # What the quote has before and after the words in common may have been other words in the text.
    first = max(0, first - blocks[0].a)
    last = min(len(window), last + len(asked) - blocks[-1].a - blocks[-1].size)
    window = window[first:last]
    matcher = SequenceMatcher(None, [w for w, *_ in asked], [w for w, *_ in window], autojunk=False)
    return Near(
        span=Span(start=window[0][1], end=window[-1][2]),
        similarity=round(matcher.ratio(), 3),
        differences=_differences(matcher, quote, asked, text, window),
        complete=complete,
    )


def _words(text: str) -> list[_Place]:
    return [(_folded(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]


def _folded(word: str) -> str:
    return word.casefold() if word.isascii() else _composed(word).casefold()


def _best_window(asked: list[str], there: list[str]) -> int | None:
    """Return where the window of as many words as asked begins that shares most of them; the first of several."""
    wanted, size = Counter(asked), len(asked)
    inside: Counter[str] = Counter()
    shared, best, best_at = 0, 0, None
    for n, word in enumerate(there):
        if word in wanted:
            inside[word] += 1
            shared += inside[word] <= wanted[word]
        if n >= size and (gone := there[n - size]) in wanted:
            shared -= inside[gone] <= wanted[gone]
            inside[gone] -= 1
        if shared > best:
            best, best_at = shared, max(0, n - size + 1)
    return best_at


def _differences(
    matcher: SequenceMatcher[str], quote: str, asked: list[_Place], text: str, there: list[_Place]
) -> tuple[Difference, ...]:
    found: list[Difference] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        same = kind == "equal"
        pairs = zip(range(a, b), range(c, d), strict=True) if same else ()
        cuts = [(asked[i : i + 1], there[j : j + 1]) for i, j in pairs] if same else [(asked[a:b], there[c:d])]
        each = (Difference(quote=_slice(quote, x), document=_slice(text, y)) for x, y in cuts)
        found += [e for e in each if _composed(e.quote) != _composed(e.document)]
    return tuple(found[:DIFFERENCES])


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _slice(text: str, words: list[_Place]) -> str:
    if not words:
        return ""
    part = text[words[0][1] : words[-1][2]]
    return part if len(part) <= _CLIP else part[: _CLIP - 1] + "…"
