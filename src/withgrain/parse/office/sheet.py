"""The cells of a sheet to text and tables: what stands between empty rows or columns is a table of its own."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from withgrain.parse.office.beside import Beside
from withgrain.parse.rendered import Cell, Inline, Writer

#: Longer values of merged cells are not repeated in their rows; more merged areas than this are left alone.
LONGEST_REPEATED = 120
MAX_MERGED = 20_000
#: A header has at most so many rows.
MAX_HEADER = 4

_NUMBER = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?%?|true|false", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d\d:\d\d:\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")

#: An area: top, left, bottom, right; all of it inside, counted from 0.
Area = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows and columns of a sheet that belong together; counted from 0, all inside."""

    top: int
    left: int
    bottom: int
    right: int

    def name(self, sheet: str) -> str:
        """Return its name: "Fees!A1:C3"."""
        first, last = cell_name(self.top, self.left), cell_name(self.bottom, self.right)
        return f"{sheet}!{first}" if first == last else f"{sheet}!{first}:{last}"


class Sheet:
    """A sheet while it is written."""

    def __init__(self, name: str, rows: Sequence[Sequence[Any]], merged: Sequence[Any], beside: Beside) -> None:
        self._name, self._beside = name, beside
        self._grid = [[shown(value) for value in row] for row in rows]
        for place, error in beside.errors.items():
            row, column = place_of(place)
            if row < len(self._grid) and column < len(self._grid[row]):
                self._grid[row][column] = self._grid[row][column] or error
        self._merged = [area for area in map(_area, merged[:MAX_MERGED]) if area is not None]
        _spread(self._grid, self._merged)

    def write(self, writer: Writer) -> None:
        """Write the sheet as a section; nothing when it is empty, its name when only pictures stand on it."""
        if self._beside.uncalculated:
            first, many = self._beside.uncalculated[0], len(self._beside.uncalculated)
            writer.notice(
                "uncalculated",
                f'In the sheet "{self._name}" {many} formulas have no stored result, the first in {first}: their cells '
                "are read as empty. Open the workbook in a spreadsheet program and save it.",
            )
        if self._beside.comments:
            writer.notice("comments", "Comments on cells are left out.")
        for place, words in self._beside.comments.items():
            writer.drop("comment", f"{place}: {words}")
        whole = _trimmed(self._grid, 0, len(self._grid))
        if whole is None and not (self._beside.charts or self._beside.boxes):
            return
        writer.origin = self._name
        first = cell_name(whole.top, whole.left) if whole else "A1"
        writer.heading(self._name, 1, anchor=f"{quoted(self._name)}!{first}")
        for block in _blocks(self._grid, whole) if whole else ():
            self._block(writer, block)
        writer.origin = self._name

    def _block(self, writer: Writer, block: Block) -> None:
        """Write a block: single cells on top are text, the rest is a table."""
        rows = [self._grid[i][block.left : block.right + 1] for i in range(block.top, block.bottom + 1)]
        start = 0
        while start < len(rows) and sum(1 for cell in rows[start] if cell) == 1:
            start += 1
        places = [next(i for i, cell in enumerate(row) if cell) for row in rows[:start]]
        if start == len(rows) and start > 1 and len(set(places)) == 1:
            start = 0  # a column of values
        for offset in range(start):
            row, column = block.top + offset, block.left + places[offset]
            writer.origin = f"{self._name}!{cell_name(row, column)}"
            writer.paragraph(self._content(row, column))
        body = _trimmed(self._grid, block.top + start, block.bottom + 1, block.left, block.right + 1)
        if start < len(rows) and body is not None:
            self._table(writer, body)

    def _table(self, writer: Writer, block: Block) -> None:
        header = self._header(block)
        rows = [self._row(block, i, header) for i in range(block.top, block.bottom + 1)]
        wide = range(block.left, block.right + 1)
        places: list[str | None] = [
            Block(i, block.left, i, block.right).name(self._name) for i in range(block.top, block.bottom + 1)
        ]
        if not header:
            rows.insert(0, [Cell(content=column_name(column)) for column in wide])
            places.insert(0, None)
        writer.origin = block.name(self._name)
        writer.table(rows, header=max(header, 1), origins=places, anchor=block.name(quoted(self._name)))

    def _row(self, block: Block, row: int, header: int) -> list[Cell]:
        """Return the cells of a row; merged ones of the header span what they name."""
        spans, covered = {}, set()
        if row < block.top + header:
            for top, left, bottom, right in self._merged:
                if top <= row <= bottom and block.left <= left and top >= block.top:
                    down = min(bottom, block.top + header - 1) - top + 1
                    spans[left] = (right - left + 1, down)
                    covered |= set(range(left, right + 1)) if row > top else set(range(left + 1, right + 1))
        cells = []
        for column in range(block.left, block.right + 1):
            if column not in covered:
                across, down = spans.get(column, (1, 1))
                cells.append(Cell(content=self._content(row, column), columns=across, rows=down))
        return cells

    def _content(self, row: int, column: int) -> Inline | str:
        """Return the text of a cell, as a link where it is one."""
        text, links = self._grid[row][column], self._beside.links
        target = links.get(cell_name(row, column)) if links else None
        if not target or not text:
            return text
        inline = Inline()
        inline.begin_link(target)
        inline.text(text)
        inline.end_link()
        return inline

    def _header(self, block: Block) -> int:
        """Return how many rows name the columns: 0 or 1, more where merged cells of the first reach or span others."""
        rows = [self._grid[i][block.left : block.right + 1] for i in range(block.top, block.bottom + 1)]
        if not _is_header(rows):
            return 0
        depth = 1
        for top, left, bottom, right in sorted(self._merged):
            if block.left <= left <= block.right and block.top <= top < block.top + depth:
                spans = right > left and bottom == top and right - left < block.right - block.left
                depth = max(depth, bottom - block.top + 1, 2 if spans else 1)
        names = all(not _is_value(cell) for row in rows[1:depth] for cell in row)
        return depth if depth < len(rows) and depth <= MAX_HEADER and names else 1


def _blocks(grid: Sequence[Sequence[str]], area: Block) -> Iterator[Block]:
    """Yield what stands between empty rows; there, what stands beside each other with other rows than its neighbour."""
    for rows in _between_empty_rows(grid, area):
        parts = _beside_each_other(grid, rows)
        if len(parts) == 1:
            yield rows
            continue
        for part in parts:
            yield from _between_empty_rows(grid, part)


def _between_empty_rows(grid: Sequence[Sequence[str]], area: Block) -> Iterator[Block]:
    start = area.top
    for row in range(area.top, area.bottom + 2):
        if row <= area.bottom and any(grid[row][area.left : area.right + 1]):
            continue
        found = _trimmed(grid, start, row, area.left, area.right + 1)
        if found is not None:
            yield found
        start = row + 1


def _beside_each_other(grid: Sequence[Sequence[str]], area: Block) -> list[Block]:
    """Cut at empty columns where the sides do not have the same rows: a spacer inside a table is none."""
    parts: list[Block] = []
    start = area.left
    for column in range(area.left, area.right + 2):
        if column <= area.right and any(grid[row][column] for row in range(area.top, area.bottom + 1)):
            continue
        found = _trimmed(grid, area.top, area.bottom + 1, start, column)
        if found is not None:
            parts.append(found)
        start = column + 1
    heights = {(part.top, part.bottom) for part in parts}
    return parts if len(heights) > 1 and all(part.right > part.left for part in parts) else [area]


def _trimmed(
    grid: Sequence[Sequence[str]], top: int, stop: int, left: int = 0, right: int | None = None
) -> Block | None:
    """Return the smallest block that holds all that is filled; None where nothing is."""
    rows = [row for row in range(top, stop) if any(grid[row][left:right])]
    if not rows:
        return None
    columns = [left + i for row in rows for i, cell in enumerate(grid[row][left:right]) if cell]
    return Block(rows[0], min(columns), rows[-1], max(columns))


def _area(given: Any) -> Area | None:
    try:
        (top, left), (bottom, right) = given
    except (TypeError, ValueError):
        return None
    return int(top), int(left), int(bottom), int(right)


def _spread(grid: list[list[str]], merged: Sequence[Area]) -> None:
    """Repeat the value of a merged cell downwards, so that each row can be read alone."""
    for top, left, bottom, _ in merged:
        if top < len(grid) and left < len(grid[top]) and len(grid[top][left]) <= LONGEST_REPEATED:
            for row in range(top + 1, min(bottom + 1, len(grid))):
                if left < len(grid[row]) and not grid[row][left]:
                    grid[row][left] = grid[top][left]


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns: each name another one, and more rows follow.

    Years are names where the first column has words; dates are where the values below them are none.
    """
    filled = [cell for cell in rows[0] if cell]
    if len(rows) < 2 or len(set(filled)) < len(filled):
        return False
    values = [i for i, cell in enumerate(rows[0]) if _is_value(cell)]
    if not values:
        return True
    below = [row[i] for row in rows[1:] for i in values]
    years = all(_YEAR.fullmatch(rows[0][i]) for i in values) and not all(_YEAR.fullmatch(v) for v in below if v)
    dates = all(_DATE.fullmatch(rows[0][i]) for i in values) and not any(_DATE.fullmatch(v) for v in below)
    return 0 not in values and len(values) > 1 and (years or dates)


def _is_value(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def shown(value: Any) -> str:
    """Return a value as text: whole numbers without a point, dates in ISO 8601."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return "\n".join(" ".join(line.split()) for line in str(value).splitlines()).strip()


def quoted(sheet: str) -> str:
    """Return the name of a sheet as a reference writes it: in quotation marks unless it is one word."""
    return sheet if sheet.isidentifier() else "'" + sheet.replace("'", "''") + "'"


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell by its row and column from 0: "B4"."""
    return f"{column_name(column)}{row + 1}"


def place_of(name: str) -> tuple[int, int]:
    """Return row and column, from 0, of the cell with a name."""
    letters = name.rstrip("0123456789")
    return int(name[len(letters) :]) - 1, column_number(letters) - 1


def column_number(name: str) -> int:
    """Return the 1-based number of a column ("A" is 1, "XFD" 16384)."""
    found = 0
    for sign in name:
        found = found * 26 + ord(sign) - 64
    return found


def column_name(index: int) -> str:
    """Return the name of a 0-based column."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name
