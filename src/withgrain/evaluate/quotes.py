"""Where a quote stands in a text, though people and other tools copy without marks and line breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from withgrain.model import Span

# Marks of Markdown that a reader does not see, and marks that word processors replace.
_UNSEEN = frozenset("*_`~\\|>#[]")
# The target of a link, which a reader does not see either.
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_AS = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"})
_IGNORED = frozenset("\u00ad\u200b\u200c\u200d\ufeff")


@dataclass(frozen=True)
class Quotable:
    """A text in which quotes are looked up."""

    text: str

    def find(self, quote: str) -> list[Span]:
        """Return every place of a quote: word for word if there is one, else the same words with other marks."""
        return self._exact(quote) or self._loose(quote)

    def _exact(self, quote: str) -> list[Span]:
        return [Span(start=at, end=at + len(quote)) for at in _all(self.text, quote)] if quote.strip() else []

    def _loose(self, quote: str) -> list[Span]:
        wanted, _ = _seen(quote)
        text, offsets = self._plain
        wanted = wanted.strip()
        return [
            Span(start=offsets[at], end=offsets[at + len(wanted) - 1] + 1)
            for at in (_all(text, wanted) if wanted else ())
        ]

    @cached_property
    def _plain(self) -> tuple[str, list[int]]:
        return _seen(self.text)


def _all(text: str, wanted: str) -> list[int]:
    places, at = [], text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + len(wanted))
    return places


def _seen(text: str) -> tuple[str, list[int]]:
    """Return what a reader sees, in lower case with single spaces, and where each character of it comes from."""
    characters: list[str] = []
    offsets: list[int] = []
    hidden = [m.span() for m in _TARGET.finditer(text)]
    hidden.reverse()
    for at, character in enumerate(text.translate(_AS)):
        while hidden and hidden[-1][1] <= at:
            hidden.pop()
        if character in _IGNORED or (hidden and hidden[-1][0] <= at):
            continue
        if character.isspace() or character in _UNSEEN:
            if characters and characters[-1] != " " and (character.isspace() or character == "|"):
                characters.append(" ")
                offsets.append(at)
            continue
        folded = character.lower()
        characters.append(folded if len(folded) == 1 else character)
        offsets.append(at)
    return "".join(characters), offsets
