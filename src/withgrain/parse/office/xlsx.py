"""Spreadsheets: each sheet a section, each block of cells a table with its header row."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from withgrain.errors import DocumentError, MissingExtra
from withgrain.model import Document, Source
from withgrain.parse.office.package import Package, refuse_document_type
from withgrain.parse.rendered import Cell, Writer

#: A sheet whose used area holds more cells than this is refused: one cell in the far corner makes billions.
MAX_AREA = 5_000_000

_REFERENCE = re.compile(rb'<(?:\w+:)?c\b[^>]{0,200}?\br="([A-Z]{1,3})(\d{1,7})"')


def parse_xlsx(data: bytes, source: Source) -> Document:
    """Parse an XLSX workbook: values as they are stored, dates in ISO 8601.

    Raises:
        DocumentError: Encrypted, damaged, or a sheet with a cell too far away.
        MissingExtra: The extra ``office`` is not installed.
    """
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtra("office", need="spreadsheets") from None
    package = Package(data, "XLSX")
    _check_area(package)
    properties = package.properties()
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = list(workbook.sheet_names)
        states = {sheet.name: str(sheet.visible) for sheet in workbook.sheets_metadata}
    except (calamine.CalamineError, ValueError, OSError) as error:
        raise DocumentError(f"The workbook is damaged: {error}.", kind="damaged") from None
    writer = Writer()
    writer.meta.update({k: v for k, v in properties.items() if k != "title"})
    for name in names:
        try:
            sheet = workbook.get_sheet_by_name(name)
            rows = sheet.to_python(skip_empty_area=False)
            merged = getattr(sheet, "merged_cell_ranges", None) or []
        except (calamine.CalamineError, ValueError, OSError) as error:
            writer.notice("damaged_sheet", f'The sheet "{name}" cannot be read: {error}.')
            continue
        if states.get(name, "").rpartition(".")[2].lower() not in ("visible", ""):
            writer.notice("hidden_sheet", f'The sheet "{name}" is hidden; it is read like the others.')
        _sheet(writer, name, rows, merged)
    return writer.document(source, title=properties.get("title", ""))


def _check_area(package: Package) -> None:
    """Refuse sheets whose used area is too large, before a library makes room for it; and what declares entities."""
    for part in ("xl/workbook.xml", "xl/sharedstrings.xml", "xl/styles.xml"):
        if package.has(part):
            refuse_document_type(package.read(part), part)
    for part in package.names("xl/worksheets/"):
        if not part.endswith(".xml"):
            continue
        wide = high = 0
        far = ""
        content = package.read(part)
        refuse_document_type(content, part)
        for match in _REFERENCE.finditer(content):
            column, row = column_number(match[1].decode()), int(match[2])
            if column > wide or row > high:
                far = (match[1] + match[2]).decode()
            wide, high = max(wide, column), max(high, row)
        if wide * high > MAX_AREA:
            raise DocumentError(
                f'The sheet in "{part}" spans {wide * high:,} cells (one stands at {far}); at most {MAX_AREA:,} are '
                "read. Delete the far cells and save the workbook again.",
                kind="too_large",
            )


def _sheet(writer: Writer, name: str, rows: Sequence[Sequence[Any]], merged: Sequence[Any]) -> None:
    grid = [[shown(value) for value in row] for row in rows]
    _spread(grid, merged)
    if not any(any(row) for row in grid):
        return
    writer.origin = name
    writer.heading(name, 1)
    for first, block in _blocks(grid):
        _block(writer, name, first, block)


def _spread(grid: list[list[str]], merged: Sequence[Any]) -> None:
    """Repeat the value of a merged cell downwards, so that each row can be read alone."""
    for area in merged[:20_000]:
        try:
            (top, left), (bottom, _) = area
        except (TypeError, ValueError):
            continue
        if top < len(grid) and left < len(grid[top]) and len(grid[top][left]) <= 120:
            for row in range(top + 1, min(bottom + 1, len(grid))):
                if left < len(grid[row]) and not grid[row][left]:
                    grid[row][left] = grid[top][left]


def _blocks(grid: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[Sequence[str]]]]:
    """Yield (index of the first row, rows) of what stands between empty rows."""
    block: list[Sequence[str]] = []
    for index, row in enumerate(grid):
        if any(row):
            block.append(row)
        elif block:
            yield index - len(block), block
            block = []
    if block:
        yield len(grid) - len(block), block


def _block(writer: Writer, name: str, first: int, block: Sequence[Sequence[str]]) -> None:
    """Write rows: single cells on top are text, the rest is a table."""
    start = 0
    while start < len(block) and sum(1 for cell in block[start] if cell) == 1:
        start += 1
    if start == len(block) and start > 1 and len({next(i for i, c in enumerate(r) if c) for r in block}) == 1:
        start = 0  # a column of values
    for offset, row in enumerate(block[:start]):
        column = next(i for i, cell in enumerate(row) if cell)
        writer.origin = f"{name}!{column_name(column)}{first + offset + 1}"
        writer.paragraph(row[column])
    body = block[start:]
    if not body:
        return
    left = min(i for row in body for i, cell in enumerate(row) if cell)
    right = max(i for row in body for i, cell in enumerate(row) if cell)
    header = 1 if _is_header(body) else 0
    top = first + start
    writer.origin = f"{name}!{column_name(left)}{top + 1}:{column_name(right)}{top + len(body)}"
    rows: list[list[Cell | str]] = [list(row[left : right + 1]) for row in body]
    places: list[str | None] = [
        f"{name}!{column_name(left)}{top + i + 1}:{column_name(right)}{top + i + 1}" for i in range(len(body))
    ]
    if not header:
        rows.insert(0, [column_name(column) for column in range(left, right + 1)])
        places.insert(0, None)
    writer.table(rows, header=1, origins=places)


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns: words only, each different, and more rows follow."""
    filled = [cell for cell in rows[0] if cell]
    if len(rows) < 2 or len(set(filled)) < len(filled):
        return False
    return all(not _NUMBER.fullmatch(cell) for cell in filled)


_NUMBER = re.compile(r"[-+]?[\d.,]+%?|\d{4}-\d\d-\d\d.*|true|false", re.IGNORECASE)


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
    return " ".join(str(value).split()) if "\n" not in str(value) else "\n".join(str(value).split("\n"))


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
