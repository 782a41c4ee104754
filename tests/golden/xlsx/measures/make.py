"""Measures: two tables beside each other, cells of several lines, truth values, times, errors, a very long text."""

from __future__ import annotations

import datetime
import io

import openpyxl

from tests.unit.parse.made_office import dated


def make() -> bytes:
    """Return the file."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "June"
    rows = [
        ["Gauge", "Read", "Good", None, "Shift", "Master"],
        ["sill", datetime.datetime(2026, 6, 1, 4, 30), True, None, "early", "Ana"],  # noqa: DTZ001
        ["gate", datetime.time(5, 15), False, None, "late", "Bo | Cy"],
        ["wall", "#N/A", None, None, None, None],
        ["old\nwall", 1e-7, None, None, None, None],
        ["new wall", 12345678901234, None, None, None, None],
    ]
    for row in rows:
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return dated(buffer.getvalue())
