"""Measuring: every piece of text is encoded once, joined lengths come from sums, the final string is counted again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from withgrain.chunk.notes import Notes
from withgrain.chunk.unit import Unit
from withgrain.model import Part
from withgrain.types import Tokenizer

#: A text of more visible characters than these times the maximum is longer than the maximum, so it is not encoded whole
#: before it is split: (blocks, prose). English has 3-5 characters a token; scripts without spaces about one. (Spaces do
#: not count: padded tables and indented code have many.) Pieces of a block that would have fitted after all are packed
#: together again; a paragraph that is cut at a sentence although it might just have fitted loses nothing.
ASCII_CHARACTERS_PER_TOKEN: tuple[float, float] = (5, 4)
OTHER_CHARACTERS_PER_TOKEN: tuple[float, float] = (3, 1.5)
_FEW = 0.1  # bytes of UTF-8 a character beyond one


def _mostly_ascii(text: str) -> bool:
    """Return whether at most one character in twenty or so is no ASCII: quotes and dashes do not make a script."""
    return text.isascii() or len(text.encode("utf-8", "surrogatepass")) - len(text) <= len(text) * _FEW


class Ruler:
    """Sizes of units and parts of one text, in tokens or characters; each is measured once.

    Attributes:
        text: The text.
        notes: Its footnotes, when some are referred to.
        records: Whether the rows of tables are read as records.
        additive: Whether the tokens of a text are those of its pieces between white space.
    """

    def __init__(self, text: str, tokenizer: Tokenizer, unit: Literal["tokens", "characters"]) -> None:
        self.text = text
        self.notes: Notes | None = None
        self.records = False
        self.additive = tokenizer.additive
        self._tokenizer = tokenizer
        self._characters = unit == "characters"
        self._parts: dict[str, int] = {}
        ratios = ASCII_CHARACTERS_PER_TOKEN if _mostly_ascii(text) else OTHER_CHARACTERS_PER_TOKEN
        self._block: float = 1 if self._characters else ratios[0]
        self._prose: float = 1 if self._characters else ratios[1]

    def measure(self, units: Iterable[Unit]) -> None:
        """Fill in the sizes that are missing, in one call of the tokenizer."""
        missing = [u for u in units if u.size < 0]
        if self._characters:
            for unit in missing:
                unit.size = self.parts(unit.instead) if unit.instead else unit.end - unit.start
                self._measure_extras(unit)
            return
        sizes = self._tokenizer.count_many([self.text[u.start : u.end].strip() for u in missing if not u.instead])
        counted = iter(sizes)
        for unit in missing:
            unit.size = self.parts(unit.instead) if unit.instead else next(counted)
            if self.notes is not None or unit.label:
                self._measure_extras(unit)

    def _measure_extras(self, unit: Unit) -> None:
        """Add what a unit takes along wherever it goes: the name of its column, the footnotes that it refers to."""
        if self.notes is not None:
            unit.notes = self.notes.of(unit.start, unit.end, self)
            unit.size += self.parts(unit.notes)
        if unit.label and not unit.instead:
            unit.size += self.label(unit.label)

    def surely_longer(self, unit: Unit, maximum: int) -> bool:
        """Return whether ``unit`` is longer than ``maximum``, without measuring it, by its visible characters."""
        prose = unit.block is None or unit.block.kind == "paragraph"
        most = maximum * (self._prose if prose else self._block)
        length = unit.end - unit.start
        return length > most and length - self.text.count(" ", unit.start, unit.end) > most

    def surely_short(self, maximum: int) -> float:
        """Return a length in characters up to which `surely_longer` says no."""
        return maximum * self._prose

    def part(self, text: str) -> int:
        """Return the size of a repeated text."""
        size = self._parts.get(text)
        if size is None:
            size = self._parts[text] = len(text) + 1 if self._characters else self._tokenizer.count(text)
        return size

    def label(self, name: str) -> int:
        """Return the size of the header of one column."""
        return self.part(f"| {name} |---|")

    def joined(self, texts: Sequence[str], separator: str) -> int:
        """Return the size of the texts joined by a separator that has white space around it."""
        if self._characters or not self.additive:
            return self.part(separator.join(texts))
        return sum(map(self.part, texts)) + (len(texts) - 1) * self.part(separator.strip())

    def know(self, text: str, size: int) -> None:
        """Remember the size of a text as the sum of its pieces (parted at white space), where such sums are exact."""
        if not self._characters and self.additive:
            self._parts[text] = size

    def parts(self, parts: tuple[Part, ...]) -> int:
        """Return the summed size of some parts."""
        if not parts:
            return 0
        return sum([self.part(p.text) for p in parts])

    def count(self, text: str) -> int:
        """Return the exact size of a final string."""
        return len(text) if self._characters else self._tokenizer.count(text)
