"""What a token means on its own, remembered: most tokens of a text were seen before, and most mean nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import filterfalse
from typing import NamedTuple

from withgrain.signals.family import Family
from withgrain.signals.view import WORD_TABLE
from withgrain.signals.vocabulary import Meanings, Vocabulary

_MAX_REMEMBERED = 65_536
_MAX_LENGTH = 64
_AROUND = r"[{“”‘’«»…—–\-]{0,4}"


#: A token that is longer is nothing that a user's detector is asked about.
LONGEST_OWN = 200

#: A user's detector: returns the identifier in a token, or nothing; and the family that adds it.
Own = tuple[Callable[[str], str | None], Family]


class Reading(NamedTuple):
    """What a token means.

    Attributes:
        raw: The token as it stands in the text.
        text: The identifier in it, without punctuation around it; empty when there is none.
        family: The family that the identifier belongs to; None when there is none.
        meanings: The words of the vocabulary in it.
        phrases: Phrases of the vocabulary that have a word in it.
    """

    raw: str
    text: str
    family: Family | None
    meanings: Meanings
    phrases: tuple[tuple[bytes, Meanings], ...]


class Reader:
    """Reads tokens; the answer depends on the token alone, so remembering it changes nothing but the speed.

    What is remembered is bounded: at most 65,536 tokens of at most 64 bytes; then it begins anew.
    """

    __slots__ = ("_boring", "_families", "_own", "_pattern", "_readings", "_vocabulary")

    def __init__(self, families: tuple[Family, ...], vocabulary: Vocabulary, own: tuple[Own, ...] = ()) -> None:
        self._families = {family.name: family for family in families}
        alternatives = "|".join(f"(?P<{family.name}>{family.pattern})" for family in families)
        self._pattern = re.compile(rf"{_AROUND}?(?:{alternatives})[.:!?&}}”’»…]{{0,8}}", re.ASCII)
        self._vocabulary = vocabulary
        self._own = own
        self._boring: set[bytes] = set()
        self._readings: dict[bytes, Reading] = {}

    def read(self, tokens: list[bytes]) -> Iterator[Reading]:
        """Return the readings of the distinct tokens that mean something, in order of first appearance."""
        distinct = dict.fromkeys(filterfalse(self._boring.__contains__, tokens))
        readings = list(map(self._readings.get, distinct))
        if not all(readings):
            readings = [r or self._learn(token) for r, token in zip(readings, distinct, strict=True)]
            return filter(None, readings)
        return iter(readings)  # type: ignore[arg-type]  # none is None

    def _learn(self, token: bytes) -> Reading | None:
        reading = self._look(token)
        if len(token) <= _MAX_LENGTH:
            if len(self._boring) + len(self._readings) >= _MAX_REMEMBERED:
                self._boring, self._readings = set(), {}
            if reading is None:
                self._boring.add(token)
            else:
                self._readings[token] = reading
        return reading

    def _look(self, token: bytes) -> Reading | None:
        words = dict.fromkeys(token.translate(WORD_TABLE).split())
        meanings = tuple(m for word in words for m in self._vocabulary.words.get(word, ()))
        phrases = tuple(p for word in words for p in self._vocabulary.phrases.get(word, ()))
        raw = token.decode("utf-8", "surrogatepass")
        for matches, family in self._own:
            if len(raw) <= LONGEST_OWN and (identifier := matches(raw)):
                return Reading(raw, identifier, family, meanings, phrases)
        match = self._pattern.fullmatch(raw)
        name = match.lastgroup if match else None
        if match and name:
            identifier = match[name].rstrip(".:!?&")
            if self._families[name].possible(identifier):
                return Reading(raw, identifier, self._families[name], meanings, phrases)
        if meanings or phrases:
            return Reading(raw, "", None, meanings, phrases)
        return None
