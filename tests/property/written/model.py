"""The model of a written document, and what must be read of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

from withgrain.model import Block, Document

#: Letters of several scripts, digits, and signs that mean something to Markdown and to XML.
LETTERS = "abcxyzABCXYZ019äßéñłžЖщλΩ漢字ひらकखعب"
SIGNS = "*_#<>&|[]()`~+-!$:;.,'\"=/"
#: What the standard fonts of PDF can show.
LATIN = "abcxyzABCXYZ019äßéñ"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading."""

    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list: texts with their depth, which grows by one at most."""

    items: tuple[tuple[str, int], ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Area:
    """A cell: its text, place and the rows and columns that it covers."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; its first row is the header."""

    rows: int
    columns: int
    cells: tuple[Area, ...]

    def drawn(self) -> list[list[str]]:
        """Return the texts without rows and columns at which no cell begins: nothing shows them on paper."""
        rows, columns = {cell.row for cell in self.cells}, {cell.column for cell in self.cells}
        return [[row[c] for c in sorted(columns)] for r, row in enumerate(self.shown()) if r in rows]

    def shown(self) -> list[list[str]]:
        """Return the texts of its rows: a cell is repeated down its rows, and across its columns in the header only."""
        found = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            for row in range(cell.row, cell.row + cell.rows):
                for column in range(cell.column, cell.column + (cell.columns if cell.row == 0 else 1)):
                    found[row][column] = cell.text
        return found


Part = Heading | Paragraph | Items | Grid


def texts(parts: list[Part]) -> Iterator[str]:
    """Yield all texts in reading order; those of a table once for each cell that was written."""
    for part in parts:
        if isinstance(part, Grid):
            yield from (cell.text for cell in part.cells)
        elif isinstance(part, Items):
            yield from (text for text, _ in part.items)
        else:
            yield part.text


def words(letters: str = LETTERS, signs: str = SIGNS) -> st.SearchStrategy[str]:
    """Return words: letters, sometimes with signs around them."""
    bare = st.text(letters, min_size=1, max_size=7)
    return st.one_of(bare, st.tuples(st.text(signs, max_size=2), bare, st.text(signs, max_size=2)).map("".join))


def phrases(word: st.SearchStrategy[str], most: int = 6) -> st.SearchStrategy[str]:
    """Return a few words with a letter in front, so that no phrase is taken for a mark of a list or a number."""
    return st.lists(word, min_size=1, max_size=most).map(lambda found: "t" + " ".join(found))


@st.composite
def grids(draw: st.DrawFn, phrase: st.SearchStrategy[str], *, header_spans: bool = True) -> Grid:
    """Return a table with up to three cells that cover several places; none reaches from the header into the body."""
    rows, columns = draw(st.integers(2, 5)), draw(st.integers(2, 4))
    taken: dict[tuple[int, int], tuple[int, int]] = {}
    for _ in range(draw(st.integers(0, 3))):
        row = draw(st.integers(0 if header_spans else 1, rows - 1))
        column = draw(st.integers(0, columns - 1))
        high = draw(st.integers(1, 1 if row == 0 else rows - row))
        wide = draw(st.integers(1, columns - column))
        places = [(r, c) for r in range(row, row + high) for c in range(column, column + wide)]
        whole_row = wide == columns and high > 1
        if not whole_row and all(place not in taken for place in places):
            taken.update(dict.fromkeys(places, (row, column)))
    cells = []
    for row in range(rows):
        for column in range(columns):
            first = taken.get((row, column), (row, column))
            if first == (row, column):
                own = [place for place, owner in taken.items() if owner == first] or [first]
                high, wide = max(r for r, _ in own) - row + 1, max(c for _, c in own) - column + 1
                text = f"{draw(phrase)} r{row}c{column}"
                cells.append(Area(text, row, column, high, wide))
    return Grid(rows, columns, tuple(cells))


@st.composite
def lists(draw: st.DrawFn, phrase: st.SearchStrategy[str], deepest: int = 3) -> Items:
    """Return a list whose items nest."""
    items: list[tuple[str, int]] = []
    for text in draw(st.lists(phrase, min_size=2, max_size=5)):
        most = min(items[-1][1] + 1, deepest) if items else 1
        items.append((text, draw(st.integers(1, most))))
    return Items(tuple(items), draw(st.booleans()))


def documents(
    phrase: st.SearchStrategy[str], *, spans_in_header: bool = True, titles: st.SearchStrategy[str] | None = None
) -> st.SearchStrategy[list[Part]]:
    """Return documents: parts under headings, whose texts are ``titles`` where these are given."""
    heading = st.builds(Heading, phrase if titles is None else titles, st.integers(1, 4))
    part = st.one_of(
        heading,
        st.builds(Paragraph, phrase),
        lists(phrase),
        grids(phrase, header_spans=spans_in_header),
    )
    return st.tuples(heading, st.lists(part, min_size=1, max_size=5)).map(lambda found: [found[0], *found[1]])


# -- what was read ---------------------------------------------------------------------------------------------------


def same(text: str) -> str:
    """Return what must be equal of a text: all but white space and the backslashes and entities of Markdown."""
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("<br>", " ")
    return re.sub(r"[\\\s]+", "", text)


def tables(document: Document) -> list[list[list[str]]]:
    """Return the cells of the rows of all tables."""
    return [
        [[same(cell.span.of(document.text)) for cell in row.children] for row in block.children if row.children]
        for block in every(document, "table")
    ]


def every(document: Document, kind: str) -> list[Block]:
    """Return all blocks of a kind in reading order."""
    found, stack = [], list(reversed(document.blocks))
    while stack:
        block = stack.pop()
        if block.kind == kind:
            found.append(block)
        stack.extend(reversed(block.children))
    return found


def depths(document: Document) -> list[tuple[str, int]]:
    """Return the own text of every list item and how deep it stands."""
    found: list[tuple[str, int]] = []
    stack = [(block, 0) for block in reversed(document.blocks)]
    while stack:
        block, depth = stack.pop()
        if block.kind == "list_item":
            own = next((child for child in block.children if child.kind == "paragraph"), None)
            found.append((same(own.span.of(document.text)) if own else "", depth))
        stack.extend((child, depth + (block.kind == "list")) for child in reversed(block.children))
    return found


def in_order(found: str, wanted: Iterator[str]) -> str:
    """Return the first of the wanted texts that does not follow the one before it; empty when all do."""
    at = 0
    for text in wanted:
        place = found.find(same(text), at)
        if place < 0:
            return text
        at = place + len(same(text))
    return ""
