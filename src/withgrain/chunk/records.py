"""Table rows as JSON objects with the header's labels: read instead of the row where a policy asks for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from withgrain.model import Block, Part, Span


def column_names(table: Block, text: str) -> tuple[str, ...]:
    """Return a distinct name for every column: the header's label, else the number of the column."""
    header = next((row for row in table.children if row.attrs.get("role") == "header"), None)
    widest = max((len(row.children) for row in table.children), default=0)
    labels = [value_of(cell, text) for cell in header.children] if header else []
    names: list[str] = []
    seen: dict[str, int] = {}
    for number in range(max(widest, len(labels))):
        label = labels[number] if number < len(labels) and labels[number] else f"column {number + 1}"
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(names)


def value_of(cell: Block, text: str) -> str:
    """Return the text of a cell, its escaped bars and line breaks read."""
    return " ".join(cell.span.of(text).replace("\\|", "|").split())


def record(cells: Sequence[Block], names: Sequence[str], text: str) -> str:
    """Return some cells as a JSON object."""
    return json.dumps(
        {name: value_of(cell, text) for name, cell in zip(names, cells, strict=False)}, ensure_ascii=False
    )


def row_record(row: Block, names: Sequence[str], text: str, start: int) -> Part:
    """Return a row as a record that is read instead of everything from ``start`` to the end of the row."""
    end = row.span.end - (text[row.span.end - 1] == "\n")
    return Part(
        role="records", text=record(row.children, names, text), span=Span(start=start, end=end), position="instead"
    )


def table_records(table: Block, text: str) -> tuple[Part, ...]:
    """Return a table's rows as records; the first is read instead of the header, too. None without body rows."""
    names = column_names(table, text)
    body = [row for row in table.children if row.attrs.get("role", "body") == "body" and row.children]
    return tuple(row_record(row, names, text, row.span.start if k else table.span.start) for k, row in enumerate(body))
