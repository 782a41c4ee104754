"""Events of a table: rows and cells."""

from __future__ import annotations

from typing import Any

from withgrain.model import Block
from withgrain.parse.build import make_block
from withgrain.parse.markdown.cursor import Cursor


def table(cursor: Cursor, at: Any, alignments: Any) -> None:
    """Add a table; its rows are whole lines with the delimiter row among them, its cells are without their padding."""
    text = cursor.text
    rows: list[Block] = []
    cells: list[Block] = []
    row_start = 0
    row_end = cursor.line_start(at["start"])
    for event, where in cursor.events:
        if "Text" in event:
            continue
        if "Start" in event:
            tag = event["Start"]
            if tag == "TableCell":
                cells.append(_cell(text, where["start"], where["end"]))
            elif tag in ("TableRow", "TableHead"):
                row_start = where["start"]
                cells = []
            elif tag.__class__ is not str:
                cursor.link(tag, where)
        elif "End" in event:
            tag = event["End"]
            if tag in ("TableRow", "TableHead"):
                if row_start > row_end and text[row_end:row_start].isspace():
                    row_start = row_end
                row_end = cursor.line_end(where["end"])
                role = "body" if tag == "TableRow" else "header"
                rows.append(make_block("table_row", row_start, row_end, None, tuple(cells), {"role": role}))
                if role == "header":
                    row_start, row_end = row_end, cursor.line_end(row_end + 1)
                    rows.append(make_block("table_row", row_start, row_end, attrs={"role": "delimiter"}))
            elif tag == "Table":
                break
    cursor.add("table", at["start"], row_end, None, tuple(rows), {"columns": str(len(alignments))})


def _cell(text: str, start: int, end: int) -> Block:
    cell = text[start:end]
    start += len(cell) - len(cell.lstrip())
    return make_block("table_cell", start, max(start, end - len(cell) + len(cell.rstrip())))
