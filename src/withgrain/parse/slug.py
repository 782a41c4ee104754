"""Anchors of headings, as GitHub makes them."""

from __future__ import annotations

import unicodedata

#: ASCII: letters, digits, ``_`` and ``-`` stay, a space becomes a hyphen, the rest goes.
_ASCII = {
    code: "-" if chr(code) == " " else chr(code).lower() if chr(code).isalnum() or chr(code) in "_-" else None
    for code in range(128)
}


def slug(text: str) -> str:
    """Return the anchor of a heading: lower case, without punctuation, a hyphen for every space.

    Letters, marks, digits and the underscore of every script stay (the rule of GitHub's ``html-pipeline``).
    """
    if text.isascii():
        return text.strip().translate(_ASCII)
    lowered = text.strip().lower()
    return "".join("-" if sign == " " else sign for sign in lowered if _stays(sign))


def _stays(sign: str) -> bool:
    return sign in " -" or unicodedata.category(sign)[0] in "LMN" or unicodedata.category(sign) == "Pc"


class Slugs:
    """Gives every heading of one document its own anchor: the second ``setup`` is ``setup-1``."""

    __slots__ = ("_next",)

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def reserve(self, anchor: str) -> str:
        """Note an anchor that the document wrote itself, and return it."""
        self._next.setdefault(anchor, 1)
        return anchor

    def unique(self, text: str) -> str:
        """Return the anchor of the next heading with this text."""
        base = slug(text)
        if base not in self._next:
            self._next[base] = 1
            return base
        while (candidate := f"{base}-{self._next[base]}") in self._next:
            self._next[base] += 1
        self._next[base] += 1
        self._next[candidate] = 1
        return candidate
