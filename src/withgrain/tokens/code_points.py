"""Makes one engine read Unicode as another does.

The model's tokenizer was fixed with one version of the Unicode tables, the fast engine has another one. They differ on
unassigned and recently assigned code points only, and every one of those ends in the unknown token; so each is replaced
by a stand-in of the class that the model's tokenizer puts it in, before the fast engine sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from withgrain.tokens.resources import checked

_SHA256 = "7ed3d13c860a07a8a316b14d49a0522e90863e3e558ce9adfae365ad50e9437e"
#: A letter and an ideograph that are in no vocabulary, and nothing.
_STAND_INS = {"word": "\u1401", "apart": "\U00020000", "gone": ""}
#: The only ASCII character that is replaced.
DELETE = "\x7f"


class CodePoints:
    """Replaces the code points on which the engines differ. Linear; text in ASCII costs next to nothing."""

    def __init__(self, ranges: dict[str, list[list[int]]]) -> None:
        self._ranges = sorted((first, last, _STAND_INS[name]) for name, many in ranges.items() for first, last in many)
        inside = [(first, last) for first, last, _ in self._ranges]
        # One class for both planes would be searched range by range: the basic plane has a bitmap, the rest is rare.
        self._basic = re.compile(_character_class([(a, min(b, 0xFFFF)) for a, b in inside if a < 0x10000]))
        self._beyond = re.compile("[\U00010000-\U0010ffff]")
        self._all = re.compile(_character_class(inside))

    def replace(self, text: str) -> str:
        """Return ``text`` with every such code point replaced."""
        if text.isascii():
            return text.replace(DELETE, "") if DELETE in text else text
        if self._basic.search(text) or self._beyond.search(text):
            return self._all.sub(lambda match: self._stand_in(ord(match[0])), text)
        return text

    def _stand_in(self, point: int) -> str:
        low, high = 0, len(self._ranges) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._ranges[middle][0] <= point else (low, middle - 1)
        return self._ranges[low][2]


def _character_class(ranges: Sequence[tuple[int, int]]) -> str:
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"


def load_code_points() -> CodePoints:
    """Read the table that ``tools/build_wordpiece.py`` made."""
    return CodePoints(json.loads(checked("withgrain.tokens", "code_points.json", _SHA256).read_text(encoding="utf-8")))
