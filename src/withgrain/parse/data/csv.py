"""The parser of CSV and TSV: one table, its header repeated beside every part that is cut."""

from __future__ import annotations

import re
from itertools import pairwise

from withgrain.errors import DocumentError
from withgrain.model import Block, Document, Source
from withgrain.parse.build import make_block
from withgrain.parse.decode import decode
from withgrain.parse.raw import raw_document

#: A quoted field that does not end within this many lines or characters is no field: its quote is a sign like others.
_LINES, _CHARACTERS = 1_000, 200_000
#: More rows do not fit into the memory that one document may take.
MAX_ROWS = 1_000_000
#: Rows longer than this get cells: they may not fit.
_LONG = 300
_SAMPLE = 20
_NUMBER = re.compile(r"[-+]?[\d.,:/%$€ -]*\d[\d.,:/%$€ -]*\Z")


def parse_csv(data: bytes, source: Source) -> Document:
    """Parse a file of records; ``,``, ``;``, tab or ``|`` separates the fields, quoted ones may hold line breaks.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``), or there are more than `MAX_ROWS` rows (``too_large``).
    """
    decoded = decode(data)
    text = decoded.text
    if (lines := text.count("\n")) > MAX_ROWS:
        raise DocumentError(
            f"The file has {lines:,} lines; a table of at most {MAX_ROWS:,} is read. Split it.", kind="too_large"
        )
    records = _records(text)
    first = next((k for k, (a, b) in enumerate(records) if text[a:b].strip()), None)
    if first is None:
        return raw_document(source, decoded, [make_block("blank", 0, len(text))] if text else [])
    delimiter = _delimiter(text, records[first:], source.path)
    cells = _cells(text, *records[first], delimiter)
    header = len(records) - first > 1 and _is_header([text[a:b].strip().strip('"') for a, b in cells])
    rows = tuple(
        _row(text, a, b, delimiter, "header" if header and k == 0 else "body")
        for k, (a, b) in enumerate(records[first:])
        if text[a:b].strip()
    )
    start, end = records[first][0], len(text)
    table = make_block("table", start, end, None, rows, {"columns": str(len(cells))})
    blocks = [make_block("blank", 0, start), table] if start else [table]
    return raw_document(source, decoded, blocks)


def _records(text: str) -> list[tuple[int, int]]:
    """Return where the records stand, line breaks included: lines, joined while a quote is open."""
    lines = [m.end() for m in re.finditer(r"\n", text)]
    edges = [0, *lines, *([len(text)] if text and not text.endswith("\n") else [])]
    quotes = [text.count('"', a, b) & 1 for a, b in pairwise(edges)]
    records: list[tuple[int, int]] = []
    line = 0
    while line < len(quotes):
        stop = line + 1
        if quotes[line]:
            last = min(len(quotes), line + _LINES)
            while stop < last and not quotes[stop]:
                stop += 1
            closed = stop < last and edges[stop + 1] - edges[line] <= _CHARACTERS
            stop = stop + 1 if closed else line + 1
        records.append((edges[line], edges[stop]))
        line = stop
    return records


def _delimiter(text: str, records: list[tuple[int, int]], path: str) -> str:
    """Return the sign that separates most fields, the same number in most records."""
    if path.lower().endswith((".tsv", ".tab")):
        return "\t"
    best, most = ",", 0
    for sign in ",;\t|":
        counts = [len(_cells(text, a, min(b, a + 4_000), sign)) - 1 for a, b in records[:_SAMPLE]]
        alike = counts.count(max(set(counts), key=counts.count))
        score = max(set(counts), key=counts.count) * alike
        if score > most:
            best, most = sign, score
    return best


def _cells(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """Return where the fields of a record stand."""
    cells: list[tuple[int, int]] = []
    at = start
    for match in re.finditer(rf'"[^"]*+(?:""[^"]*+)*+"?|{re.escape(delimiter)}', text[start:end]):
        if match.group() == delimiter:
            cells.append((at, start + match.start()))
            at = start + match.end()
    cells.append((at, end))
    return cells


def _is_header(cells: list[str]) -> bool:
    """Return whether the first record names the fields: filled, distinct, no numbers."""
    named = [cell for cell in cells if cell]
    return len(named) * 2 > len(cells) and len(set(named)) == len(named) and not any(map(_NUMBER.match, named))


def _row(text: str, start: int, end: int, delimiter: str, role: str) -> Block:
    cells: tuple[Block, ...] = ()
    if end - start > _LONG:
        cells = tuple(make_block("table_cell", a, b) for a, b in _cells(text, start, end, delimiter) if b > a)
    return make_block("table_row", start, end, None, cells, {"role": role})
