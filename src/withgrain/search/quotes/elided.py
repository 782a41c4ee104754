"""Quotes that leave words out and say so: "The term is five years … with a written notice"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise, takewhile

from withgrain.model import Span
from withgrain.tokens.terms import UNSPACED

#: Most characters that one ellipsis may stand for: about a section.
LEFT_OUT = 1_000
#: Fewest words of each part; less stands in order somewhere in any text.
_WORDS = 3
#: Most parts, and most places of one part that are looked at.
_PARTS, _PLACES = 10, 200

_DOTS = r"(?:…|\.\s?\.\s?\.(?:\s?\.)?)"
_ELLIPSIS = re.compile(rf"\[\s?{_DOTS}\s?\]|\(\s?{_DOTS}\s?\)|{_DOTS}")
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+")

#: Returns up to so many places of a part, in order.
Places = Callable[[str, int], tuple[Span, ...]]


def elided(quote: str, limit: int, places: Places) -> tuple[Span, ...]:
    """Return where the parts of a quote between its ellipses stand one behind the other, each from first to last part.

    Of several beginnings before the same end the nearest counts. Nothing for a quote without an ellipsis, or with a
    part that says too little.

    Args:
        quote: The quote.
        limit: Most places.
        places: Finds a part.
    """
    parts = [part.strip() for part in _ELLIPSIS.split(quote)]
    parts = [part for part in parts if _WORD.search(part)]
    brief = any(len(_WORD.findall(part)) < _WORDS for part in parts)
    if not parts or parts == [quote.strip()] or brief or len(parts) > _PARTS:
        return ()
    found = list(takewhile(bool, (places(part, _PLACES) for part in parts)))
    if len(found) < len(parts):
        return ()
    chains = ((first.start, _end(first.end, found[1:])) for first in found[0])
    nearest = {end: start for start, end in chains if end is not None}
    spans = [Span(start=start, end=end) for end, start in nearest.items()]
    apart = [*spans[:1], *(b for a, b in pairwise(spans) if a.end <= b.start)]
    return tuple(apart[:limit])


def omissions(quote: str) -> int:
    """Return how many ellipses a quote has."""
    return sum(1 for _ in _ELLIPSIS.finditer(quote))


def _end(at: int, others: list[tuple[Span, ...]]) -> int | None:
    """Return where the last part ends when each stands soon behind the one before; else None."""
    for spans in others:
        place = bisect_left(spans, at, key=lambda s: s.start)
        if place == len(spans) or spans[place].start - at > LEFT_OUT:
            return None
        at = spans[place].end
    return at
