"""A table on a page, and what ruled and unruled ones share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from withgrain.parse.pdf.lines import joined, make_line
from withgrain.parse.pdf.page import Word
from withgrain.parse.rendered import Cell


@dataclass(frozen=True, slots=True)
class Table:
    """A table on one page.

    Attributes:
        rows: Its cells.
        header: How many rows are the header; 0 when none could be told.
        x0: Left edge.
        x1: Right edge.
        top: Upper edge.
        bottom: Lower edge.
        page: 1-based page.
        boxes: (x0, top, x1, bottom) of each of its rows.
        ruled: Whether lines are drawn around its cells.
    """

    rows: tuple[tuple[Cell, ...], ...]
    header: int
    x0: float
    x1: float
    top: float
    bottom: float
    page: int
    boxes: tuple[tuple[float, float, float, float], ...]
    ruled: bool = True

    @property
    def columns(self) -> int:
        """Number of columns."""
        return max(sum(cell.columns for cell in row) for row in self.rows)


def cell_text(words: Sequence[Word], page: int) -> str:
    """Return the text of a cell, its lines joined."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (w.base, w.x0)):
        if rows and word.base - rows[-1][0].base <= 0.3 * word.face.size:
            rows[-1].append(word)
        else:
            rows.append([word])
    texts = [joined(make_line(sorted(row, key=lambda w: w.x0), page).words) for row in rows]
    return join_lines(texts)


def join_lines(texts: Sequence[str]) -> str:
    """Return the lines of a cell as one text; a word that a hyphen cut is whole again."""
    out = ""
    for text in texts:
        if out.endswith("-") and len(out) > 1 and out[-2].isalpha() and text[:1].islower():
            out = out[:-1] + text
        else:
            out = f"{out} {text}" if out else text
    return out


def header_rows(rows: Sequence[Sequence[Word]]) -> int:
    """Return how many first rows are a header: set in bold or tagged as such; else the first one."""
    count = 0
    for row in rows[:3]:
        letters = [w for w in row if any(c.isalpha() for c in w.text)]
        if letters and (all(w.face.bold for w in letters) or all(w.face.tag == "TH" for w in letters)):
            count += 1
        else:
            break
    if count and count < len(rows):
        return count
    return 1
