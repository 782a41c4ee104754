"""Words to lines: words on one base line without a wide gap between them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from withgrain.parse.pdf.page import Face, Page, Word

#: A gap wider than so many font sizes ends a line: another column or cell begins behind it.
WIDE_GAP = 1.25
#: Words whose base lines differ by less than this share of the font size stand on one line.
SAME_BASE = 0.3


@dataclass(frozen=True, slots=True)
class Line:
    """Words that are read without a break.

    Attributes:
        words: From left to right as they are read.
        x0: Left edge.
        x1: Right edge.
        base: ``y`` of the base line.
        page: 1-based page.
    """

    words: tuple[Word, ...]
    x0: float
    x1: float
    base: float
    page: int

    @property
    def size(self) -> float:
        """Font size of most of its characters."""
        return self.face.size

    @property
    def face(self) -> Face:
        """The face of most of its characters."""
        if len(self.words) == 1:
            return self.words[0].face
        counts: Counter[Face] = Counter()
        for word in self.words:
            counts[word.face] += len(word.text)
        return counts.most_common(1)[0][0]

    @property
    def text(self) -> str:
        """The words with one space between them; glued ones (a footnote mark, a bold half) without."""
        return joined(self.words)

    @property
    def top(self) -> float:
        """``y`` above its letters."""
        return self.base - 0.8 * self.size

    @property
    def mono(self) -> bool:
        """Whether nine tenths of it are set in a typewriter face."""
        every = sum(len(w.text) for w in self.words)
        return sum(len(w.text) for w in self.words if w.face.mono) >= 0.9 * every

    @property
    def bold(self) -> bool:
        """Whether all of it is bold, punctuation and numbers aside."""
        letters = [w for w in self.words if any(c.isalpha() for c in w.text)]
        return bool(letters) and all(w.face.bold for w in letters)


def joined(words: Sequence[Word]) -> str:
    """Return the text of words; those that touch are one."""
    out: list[str] = []
    before: Word | None = None
    for word in words:
        if before is not None and not touching(before, word):
            out.append(" ")
        out.append(word.text)
        before = word
    return "".join(out)


def touching(left: Word, right: Word) -> bool:
    """Return whether no space stands between two words of a line."""
    gap = max(right.x0 - left.x1, left.x0 - right.x1)
    # Boxes are those of the ink: in a typewriter face there is room beside it.
    room = 0.22 if right.text[0] in ".,;:)!?" or left.text[-1] in "(" else 0.1
    return gap < room * min(left.face.size, right.face.size)


def lines_of(page: Page, words: Iterable[Word]) -> list[Line]:
    """Return the lines of a page from top to bottom, those on one height from left to right."""
    rows: list[list[Word]] = []
    base = size = 0.0
    for word in sorted(words, key=lambda w: (w.base, w.x0)):
        if rows and word.base - base <= SAME_BASE * min(size, word.face.size):
            rows[-1].append(word)
            continue
        rows.append([word])
        base, size = word.base, word.face.size
    return [line for row in rows for line in _cut(row, page.number)]


def _cut(row: list[Word], page: int) -> list[Line]:
    row.sort(key=lambda w: w.x0)
    lines: list[Line] = []
    start = 0
    for index in range(1, len(row) + 1):
        if index < len(row):
            left, right = row[index - 1], row[index]
            if right.x0 - left.x1 <= WIDE_GAP * max(left.face.size, right.face.size):
                continue
        lines.append(make_line(row[start:index], page))
        start = index
    return lines


def make_line(words: Sequence[Word], page: int) -> Line:
    """Return the line of words that are given from left to right; a right-to-left line is turned round."""
    ordered = tuple(_logical(words))
    return Line(ordered, min(w.x0 for w in words), max(w.x1 for w in words), words[0].base, page)


def _logical(words: Sequence[Word]) -> Sequence[Word]:
    """Return words in the order in which they are read: right to left where most letters are Hebrew or Arabic.

    Numbers and Latin words inside keep their own order, as the Unicode bidirectional algorithm has it (UAX #9).
    """
    if all(w.text.isascii() for w in words):
        return words
    directions = [_direction(w.text) for w in words]
    if directions.count("R") <= directions.count("L"):
        return words
    out: list[Word] = []
    run: list[Word] = []
    for word, direction in zip(reversed(words), reversed(directions), strict=True):
        if direction == "R":
            out.extend(reversed(run))
            run = []
            out.append(word)
        else:
            run.append(word)
    out.extend(reversed(run))
    return out


def _direction(text: str) -> str:
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind in ("R", "AL"):
            return "R"
        if kind == "L":
            return "L"
    return ""
