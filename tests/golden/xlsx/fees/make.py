"""A price list: a title above the table, merged cells, dates and shares, a second block, a sheet of numbers, a note."""

from __future__ import annotations

import datetime
import io

import openpyxl
from openpyxl.comments import Comment

from tests.unit.parse.made_office import dated


def make() -> bytes:
    """Return the file."""
    book = openpyxl.Workbook()
    book.properties.title = "Fees of the harbour"
    sheet = book.active
    sheet.title = "Berths"
    rows = [
        ["Fees of the berths"], [],
        ["Pier", "Fee a day", None, "Since"],
        [None, "summer", "winter", None],
        ["North", 20, 12.5, datetime.date(2019, 4, 1)], [None, 25, 14, datetime.date(2020, 4, 1)],
        ["South", 18, 11, None], [],
        ["Sign", "Meaning"], ["x", "free of charge"],
    ]  # fmt: skip
    for row in rows:
        sheet.append(row)
    for area in ("A3:A4", "B3:C3", "D3:D4", "A5:A6"):
        sheet.merge_cells(area)
    sheet["B5"].comment = Comment("Agreed with the ferry company.", "office")
    sheet["A10"].hyperlink = "https://example.com/free"
    depths = book.create_sheet("Depths 2026")
    for row in ([1, 9.5], [2, 9.25], [3, 8]):
        depths.append(row)
    hidden = book.create_sheet("Old")
    hidden.append(["Pier", "Fee"])
    hidden.append(["North", 7])
    hidden.sheet_state = "hidden"
    buffer = io.BytesIO()
    book.save(buffer)
    return dated(buffer.getvalue())
