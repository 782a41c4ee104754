"""Tables of a DOCX: spans, merged cells, header rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from withgrain.parse.office.package import attribute, child, local, number, value
from withgrain.parse.rendered import Cell, Inline

#: A cell spans at most so many columns.
MAX_SPAN = 1_000


def table_rows(table: Any, read: Callable[[Any], Inline]) -> list[list[Cell]]:
    """Return the rows of a table; vertically merged cells are one that spans rows."""
    rows: list[list[Cell]] = []
    above: dict[int, tuple[int, int]] = {}  # grid column -> (row, index) of the cell that goes on downwards
    for element in _rows(table):
        row: list[Cell] = []
        column = min(number(value(child(element, "trPr"), "gridBefore")), MAX_SPAN)
        row.extend([Cell(content="")] * column)
        now: dict[int, tuple[int, int]] = {}
        for cell in _cells(element):
            properties = child(cell, "tcPr")
            wide = min(max(number(value(properties, "gridSpan"), 1), 1), MAX_SPAN)
            merge = child(properties, "vMerge")
            goes_on = merge is not None and (attribute(merge, "val") or "continue") == "continue"
            owner = above.get(column) if goes_on else None
            if owner is not None:
                first, index = owner
                rows[first][index] = replace(rows[first][index], rows=len(rows) - first + 1)
                now[column] = owner
            else:
                if merge is not None:
                    now[column] = (len(rows), len(row))
                row.append(Cell(content=read(cell), columns=wide))
            column += wide
        above = now
        rows.append(row)
    return rows


def header_rows(table: Any, rows: list[list[Cell]]) -> int:
    """Return how many rows are the header: those marked to be repeated on every page; else the first one."""
    count = 0
    for element in _rows(table):
        marked = child(child(element, "trPr"), "tblHeader")
        if marked is None or (attribute(marked, "val") or "1") in ("0", "false", "off"):
            break
        count += 1
    return min(count, max(len(rows) - 1, 1)) or 1


def _rows(table: Any) -> list[Any]:
    found = []
    for element in table:
        name = local(element)
        if name == "tr":
            found.append(element)
        elif name in ("sdt", "customXml", "ins"):
            inner = child(element, "sdtContent") if name == "sdt" else element
            found.extend(e for e in (inner if inner is not None else ()) if local(e) == "tr")
    return [row for row in found if child(child(row, "trPr"), "del") is None]


def _cells(row: Any) -> list[Any]:
    found = []
    for element in row:
        name = local(element)
        if name == "tc":
            found.append(element)
        elif name in ("sdt", "customXml"):
            inner = child(element, "sdtContent") if name == "sdt" else element
            found.extend(e for e in (inner if inner is not None else ()) if local(e) == "tc")
    return found
