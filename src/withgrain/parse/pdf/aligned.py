"""Tables without a grid: lines whose parts stand under each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from withgrain.parse.pdf.lines import Line, make_line
from withgrain.parse.pdf.page import Rule, Word
from withgrain.parse.pdf.tables import Table, header_rows, join_lines
from withgrain.parse.rendered import Cell

_MARKER = re.compile(r"[•‣◦▪●○■□–—*·-]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,5})[.)]|\[\d{1,3}\]")


def aligned_tables(lines: Sequence[Line], rules: Sequence[Rule]) -> list[Line | Table]:
    """Return a region's lines with runs of aligned ones replaced by tables."""
    rows = _rows(lines)
    out: list[list[Line] | Table] = []
    index = 0
    while index < len(rows):
        stop = _run(rows, index)
        table = None
        if stop - index >= 2:
            above, run, behind = _extended(out, rows, index, stop)
            table = _aligned(run, rules)
        if table is None:
            out.append(rows[index])
            index += 1
        else:
            del out[len(out) - above :]
            out.append(table)
            index = behind
    flat: list[Line | Table] = []
    for item in out:
        if isinstance(item, Table):
            flat.append(item)
        else:
            flat.extend(item)
    return flat


def _extended(
    out: Sequence[list[Line] | Table], rows: Sequence[list[Line]], start: int, stop: int
) -> tuple[int, list[list[Line]], int]:
    """Take rows above and below into a run whose words stand in its columns, though closer to each other.

    Returns how many rows above it takes, the run, and the index behind it.
    """
    run = list(rows[start:stop])
    edges = _column_edges(run)
    if edges is None:
        return 0, run, stop
    gap = 1.5 * _leading(run)
    above = 0
    while above < len(out) and above < 2:
        row = out[-1 - above]
        if isinstance(row, Table) or not 0 < run[0][0].base - row[0].base <= gap:
            break
        cut = _recut(row, edges)
        if cut is None:
            break
        run.insert(0, cut)
        above += 1
    while stop < len(rows) and rows[stop][0].base - run[-1][0].base <= gap:
        cut = _recut(rows[stop], edges)
        if cut is None:
            break
        run.append(cut)
        stop += 1
    return above, run, stop


def _recut(row: Sequence[Line], edges: Sequence[float]) -> list[Line] | None:
    """Return a row cut at the edges of columns; None when a word crosses one or all of it is in one column."""
    words = sorted((w for line in row for w in line.words), key=lambda w: w.x0)
    if any(w.x0 < edge < w.x1 for w in words for edge in edges):
        return None
    cells: dict[int, list[Word]] = {}
    for word in words:
        cells.setdefault(sum(1 for edge in edges if edge <= word.x0), []).append(word)
    if len(cells) < 2 or len(words) > 40:
        return None
    pieces = [cells[column] for column in sorted(cells)]
    if any(b[0].x0 - a[-1].x1 < 0.4 * a[-1].face.size for a, b in pairwise(pieces)):
        return None
    return [make_line(piece, row[0].page) for piece in pieces]


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.base, item.x0)):
        if rows and line.base - rows[-1][0].base <= 0.3 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda item: item.x0)
    return rows


def _run(rows: Sequence[Sequence[Line]], start: int) -> int:
    """Return the index behind the rows from ``start`` on that may be one table."""
    if len(_cells(rows[start])) < 2:
        return start + 1
    stop, last = start + 1, start + 1
    while stop < len(rows):
        row, before = rows[stop], rows[stop - 1]
        gap = row[0].base - before[0].base
        if gap > 3.5 * max(row[0].size, before[0].size):
            break
        if len(_cells(row)) >= 2:
            last = stop + 1
        elif _is_heading(row[0], before[0], gap) or gap > 1.6 * row[0].size or stop - last >= 3:
            break
        stop += 1
    return last if last > start + 1 else start + 1


def _is_heading(line: Line, above: Line, gap: float) -> bool:
    """Return whether a line alone in its row begins something else: larger than the row above, or bold and apart."""
    return line.size >= 1.12 * above.size or (line.bold and not above.bold and gap > 1.5 * line.size)


def _cells(row: Sequence[Line]) -> Sequence[Line]:
    """Return the parts of a row without a list marker in front."""
    return row[1:] if row and _MARKER.fullmatch(row[0].text) else row


def _aligned(rows: Sequence[Sequence[Line]], rules: Sequence[Rule]) -> Table | None:
    columns = _column_edges(rows)
    level = [
        r for r in rules
        if r.horizontal and rows[0][0].base - 30 <= r.y0 <= rows[-1][0].base + 30 and r.x1 - r.x0 > 60
    ]  # fmt: skip
    if columns is None or not _holds_values(rows, level):
        return None
    grid = _grid(rows, columns, level)
    if len(grid) < 2:
        return None
    every = [line for row in rows for line in row]
    left, right = min(line.x0 for line in every), max(line.x1 for line in every)
    lines = [[line for cell in row for line in cell] for row in grid]
    return Table(
        tuple(tuple(Cell(content=join_lines([line.text for line in cell])) for cell in row) for row in grid),
        header_rows([[w for line in row for w in line.words] for row in lines]),
        left, right, rows[0][0].top, rows[-1][0].base, rows[0][0].page,
        tuple((left, min(line.top for line in row), right, max(line.base for line in row)) for row in lines),
        ruled=False,
    )  # fmt: skip


def _holds_values(rows: Sequence[Sequence[Line]], level: Sequence[Rule]) -> bool:
    """Return whether rows are those of a table: not a list, not columns of prose, not code."""
    full = [row for row in rows if len(row) >= 2]
    marked = sum(1 for row in full if _MARKER.fullmatch(row[0].text))
    if marked > 0.5 * len(full) or len(full) < (2 if len(level) >= 2 else 3):
        return False
    if median(len(line.text) for row in full for line in row) > 45 and not level:
        return False
    return not all(line.mono for row in rows for line in row)


def _grid(rows: Sequence[Sequence[Line]], columns: Sequence[float], level: Sequence[Rule]) -> list[list[list[Line]]]:
    """Place the parts of rows into columns; a row without a first cell right below another one goes on with it."""
    grid: list[list[list[Line]]] = []
    before = 0.0
    leading = _leading(rows)
    for row in rows:
        placed: list[list[Line]] = [[] for _ in range(len(columns) + 1)]
        for line in row:
            placed[_column(columns, (line.x0 + line.x1) / 2, line)].append(line)
        continues = bool(grid) and not placed[0] and row[0].base - before <= 1.15 * leading
        parted = any(grid and before < r.y0 < row[0].base for r in level)
        if continues and not parted:
            for cell, more in zip(grid[-1], placed, strict=True):
                cell.extend(more)
        else:
            grid.append(placed)
        before = row[0].base
    return grid


def _leading(rows: Sequence[Sequence[Line]]) -> float:
    gaps = [b[0].base - a[0].base for a, b in pairwise(rows)]
    return min((g for g in gaps if g > 0), default=12.0)


def _column_edges(rows: Sequence[Sequence[Line]]) -> tuple[float, ...] | None:
    """Return the places between the columns: those that no part of any row crosses; None where there are none."""
    spans = sorted((line.x0, line.x1) for row in rows if len(row) >= 2 for line in row)
    if not spans:
        return None
    edges: list[float] = []
    right = spans[0][1]
    for x0, x1 in spans[1:]:
        if x0 > right + 2:
            edges.append(max((right + x0) / 2, x0 - 2))
        right = max(right, x1)
    if not edges or len(edges) > 60:
        return None
    crossing = sum(1 for row in rows for line in row if any(line.x0 < e < line.x1 for e in edges))
    if crossing > 0.15 * len(rows):
        return None
    return tuple(edges)


def _column(edges: Sequence[float], middle: float, line: Line) -> int:
    for index, edge in enumerate(edges):
        if line.x0 < edge < line.x1:
            return index
        if middle < edge:
            return index
    return len(edges)
