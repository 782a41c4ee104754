"""Tables: from rows with spanning cells to a grid, and from a grid to the lines of a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from withgrain.parse.rendered.inline import Inline

#: A cell that spans more rows is repeated in as many; HTML allows 65534.
MAX_ROW_SPAN = 1_000
#: A table has at most so many columns; the text of further cells joins the last one.
MAX_COLUMNS = 1_000
#: Cells that spanning ones may cover in a table; further ones are taken as single cells.
MAX_COVERED = 200_000
#: In a table with more columns those without a value vanish: they come from spans that mean nothing.
WIDE = 64
#: Longer texts are not repeated in the rows that their cell spans.
LONGEST_REPEATED = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell.

    Attributes:
        content: Its text.
        columns: Columns that it spans.
        rows: Rows that it spans; 0 means: to the end of the table.
    """

    content: Inline | str
    columns: int = 1
    rows: int = 1


Row = Sequence[Cell | Inline | str]


@dataclass(frozen=True, slots=True)
class Text:
    """A cell as it is written, and its links."""

    markdown: str = ""
    links: tuple[tuple[int, int, str], ...] = ()

    def __bool__(self) -> bool:
        """Return whether it holds anything."""
        return bool(self.markdown)


_EMPTY = Text()
_DELIMITER = Text("---")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a Markdown table.

    Attributes:
        role: ``header``, ``delimiter`` or ``body``.
        cells: One for every column.
        origin: Where the source has the row.
        page: 1-based page of the row; None for the one that is being written.
    """

    role: str
    cells: tuple[Text, ...]
    origin: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table without spans: every row has a cell for every column; ``place`` is where the source has its header."""

    header: tuple[Text, ...]
    rows: tuple[Line, ...]
    place: str | None = None


def grid(
    rows: Sequence[Row], header: int, origins: Sequence[str | None] = (), pages: Sequence[int | None] = ()
) -> Grid:
    """Resolve the spans of a table; empty rows vanish.

    A cell that spans rows is repeated in each, so that every row can be read alone; one that spans columns stands in
    the first of them, and in the header in all of them.
    """
    laid = _lay(rows, header)
    width = max((max(row, default=-1) for row in laid), default=-1) + 1
    full = [tuple([row.get(column, _EMPTY) for column in range(width)]) for row in laid]
    names = tuple([_joined([row[column] for row in full[:header]]) for column in range(width)])
    if width > WIDE:
        kept = [column for column in range(width) if _says_something(column, names, full[header:])]
        full = [tuple([row[column] for column in kept]) for row in full]
        names = tuple([names[column] for column in kept])
    places = [*origins, *([None] * (len(full) - len(origins)))]
    turned = [*pages, *([None] * (len(full) - len(pages)))]
    lines = [Line("body", row, place, page) for row, place, page in zip(full, places, turned, strict=False)]
    body = tuple([line for line in lines[header:] if any(line.cells)])
    return Grid(header=names, rows=body, place=places[0] if header and places else None)


def table_lines(table: Grid) -> Iterator[Line]:
    """Yield the lines of a Markdown table."""
    yield Line("header", table.header, table.place)
    yield Line("delimiter", (_DELIMITER,) * len(table.header))
    yield from table.rows


#: What a cell may not hold to be written as it is: see `Inline.text`.
_NOT_PLAIN = ("  ", "!", "[", "|")


def _says_something(column: int, names: Sequence[Text], rows: Sequence[Sequence[Text]]) -> bool:
    """Return whether a column has a value, or a name that the column in front of it has not."""
    if column == 0 or any(row[column] for row in rows):
        return True
    return bool(names[column]) and names[column].markdown != names[column - 1].markdown


def _lay(rows: Sequence[Row], header: int) -> list[dict[int, Text]]:
    laid: list[dict[int, Text]] = []
    covered = 0
    spanning: dict[int, tuple[int, Text]] = {}  # column: rows that the cell goes on for, its text
    for index, row in enumerate(rows):
        line: dict[int, Text] = {}
        still: dict[int, tuple[int, Text]] = {}
        for column, (left, text) in spanning.items():
            line[column] = text if len(text.markdown) <= LONGEST_REPEATED else _EMPTY
            if left > 1:
                still[column] = (left - 1, text)
        column = 0
        for given in row:
            cell = given if isinstance(given, Cell) else Cell(content=given)
            while column in spanning:
                column += 1
            if column >= MAX_COLUMNS:
                last = line.get(MAX_COLUMNS - 1, _EMPTY)
                line[MAX_COLUMNS - 1] = _joined([last, _text(cell.content)], " ")
                continue
            text = _text(cell.content)
            columns = min(max(1, cell.columns), MAX_COLUMNS - column)
            down = min(cell.rows if cell.rows > 0 else len(rows), MAX_ROW_SPAN, len(rows) - index)
            covered += columns * down
            if covered > MAX_COVERED:
                columns = down = 1
            for offset in range(columns):
                if column + offset in spanning:
                    columns = offset
                    break
                line[column + offset] = text if offset == 0 or index < header else _EMPTY
                if down > 1:
                    still[column + offset] = (down - 1, line[column + offset])
            column += max(columns, 1)
        spanning = still
        laid.append(line)
    return laid


def _text(content: Inline | str) -> Text:
    if isinstance(content, str) and _is_plain(content):
        return Text(content)
    inline = Inline(content) if isinstance(content, str) else content
    inline.finish()
    markdown = inline.markdown
    if "|" not in markdown and "\n" not in markdown:
        return Text(markdown, tuple(inline.links))
    pieces: list[str] = []
    places: list[int] = []
    length = 0
    for sign in markdown:
        places.append(length)
        piece = "\\|" if sign == "|" else "<br>" if sign == "\n" else sign
        pieces.append(piece)
        length += len(piece)
    places.append(length)
    return Text("".join(pieces), tuple((places[a], places[b], target) for a, b, target in inline.links))


def _is_plain(content: str) -> bool:
    """Return whether words stand in a table as they are: nothing to clean, to collapse or to escape. Nearly all do."""
    return content.isprintable() and content == content.strip() and not any(sign in content for sign in _NOT_PLAIN)


def _joined(texts: Sequence[Text], between: str = " / ") -> Text:
    """Join the distinct texts of header cells above each other; their links are not kept apart."""
    distinct: dict[str, Text] = {text.markdown: text for text in texts if text}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    return Text(between.join(distinct))
