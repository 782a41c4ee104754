"""Keep an answer below its budget: the most that fits, found by bisection over answers that are really rendered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from withgrain.types import Count

#: Longest run without white space that a vocabulary counts fairly; WordPiece takes a long word for one unknown token.
_LONGEST = 64
_LONG = re.compile(rf"\S{{{_LONGEST + 1},}}")
_CHARACTERS_A_TOKEN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a tool.

    Attributes:
        data: The structured form: JSON values.
        text: The compact text form, which says the same.
    """

    data: Mapping[str, Any]
    text: str


def tokens(text: str, count: Count) -> int:
    """Return the tokens of ``text``: as counted, but never fewer than half the characters of a long unbroken run.

    Each run counts for itself, so that a counting that is additive stays so.
    """
    if max(map(len, text.split()), default=0) <= _LONGEST:
        return count(text)
    runs = _LONG.findall(text)
    return count(_LONG.sub(" ", text)) + sum(max(count(run), -(-len(run) // _CHARACTERS_A_TOKEN)) for run in runs)


def cost(answer: Answer, count: Count) -> int:
    """Return the tokens of the larger of the two forms: a client may show its model either."""
    return max(tokens(answer.text, count), tokens(json.dumps(answer.data, ensure_ascii=False), count))


def largest(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number from ``low`` to ``high`` that fits, by bisection; ``low`` when no larger one does.

    ``fits`` is taken to be monotone; where it is not, what is returned still fits (or is ``low``).
    """
    if high <= low or fits(high):
        return max(low, high)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def break_before(text: str, end: int) -> int:
    """Return where to cut ``text`` at or before ``end``: behind a line or a word, if one ends in the last quarter."""
    if end >= len(text):
        return len(text)
    lowest = end - end // 4
    for separator in ("\n", " "):
        place = text.rfind(separator, lowest, end)
        if place >= 0:
            return place + 1
    return end
