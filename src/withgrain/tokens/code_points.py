"""Makes one engine read Unicode as another does, and leaves out what is no text.

The model's tokenizer was fixed with one version of the Unicode tables, the fast engine has another one. They differ on
unassigned and recently assigned code points only, and every one of those ends in the unknown token; so each is replaced
by a stand-in of the class that the model's tokenizer puts it in, before the fast engine sees it. Lone surrogates are
dropped.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from operator import itemgetter

from withgrain.tokens.resources import checked

_SHA256 = "7ed3d13c860a07a8a316b14d49a0522e90863e3e558ce9adfae365ad50e9437e"
#: A letter and an ideograph that are in no vocabulary, and nothing.
_STAND_INS = {"word": "\u1401", "apart": "\U00020000", "gone": ""}
#: The only ASCII character that is replaced.
DELETE = "\x7f"
_ASCII = bytes(range(128))
_FIRST = itemgetter(0)
_SURROGATES = (0xD800, 0xDFFF, "")


class CodePoints:
    """Replaces the code points on which the engines differ. Linear; what is in ASCII costs next to nothing."""

    def __init__(self, ranges: dict[str, list[list[int]]]) -> None:
        differing = ((first, last, _STAND_INS[name]) for name, many in ranges.items() for first, last in many)
        self._ranges = sorted([*differing, _SURROGATES])

    def replace(self, text: str) -> str:
        """Return ``text`` with every such code point replaced, and without surrogates."""
        if DELETE in text:
            text = text.replace(DELETE, "")
        if text.isascii():
            return text
        found = {ord(c): self._stand_in(ord(c)) for c in set(_beyond_ascii(text))}
        table = {point: stand_in for point, stand_in in found.items() if stand_in is not None}
        return text.translate(table) if table else text

    def _stand_in(self, point: int) -> str | None:
        """Return what is written in the place of a code point; None where the engines agree."""
        first, last, stand_in = self._ranges[max(0, bisect_right(self._ranges, point, key=_FIRST) - 1)]
        return stand_in if first <= point <= last else None


def _beyond_ascii(text: str) -> str:
    """Return the characters that are not in ASCII. By bytes: fifty times as fast as a search for them."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


def load_code_points() -> CodePoints:
    """Read the table that ``tools/build_wordpiece.py`` made."""
    return CodePoints(json.loads(checked("withgrain.tokens", "code_points.json", _SHA256).read_text(encoding="utf-8")))
