"""Tables: from ruled grids, and from lines whose parts stand under each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from withgrain.parse.pdf.lines import Line, joined, make_line
from withgrain.parse.pdf.page import Page, Rule, Word
from withgrain.parse.rendered import Cell

#: Rules that come closer than this touch each other, in points.
NEAR = 3.0
#: More rules than this on a page are a drawing.
MAX_RULES = 3_000
#: A grid has at most so many rows or columns of rules.
MAX_RULINGS = 400

_MARKER = re.compile(r"[•‣◦▪●○■□–—*·-]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,5})[.)]|\[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class Table:
    """A table on one page.

    Attributes:
        rows: Its cells.
        header: How many rows are the header; 0 when none could be told.
        x0: Left edge.
        x1: Right edge.
        top: Upper edge.
        bottom: Lower edge.
        page: 1-based page.
        ruled: Whether lines are drawn around its cells.
    """

    rows: tuple[tuple[Cell, ...], ...]
    header: int
    x0: float
    x1: float
    top: float
    bottom: float
    page: int
    ruled: bool = True

    @property
    def columns(self) -> int:
        """Number of columns."""
        return max(sum(cell.columns for cell in row) for row in self.rows)


def ruled_tables(page: Page, words: Sequence[Word]) -> tuple[list[Table], list[Word]]:
    """Return the tables inside ruled grids, and the words that are in none."""
    if len(page.rules) > MAX_RULES:
        return [], list(words)
    tables: list[Table] = []
    rest = list(words)
    for grid in _grids(page.rules):
        inside = [w for w in rest if grid.contains(w)]
        if len(inside) < 2 or (len({w.base for w in inside}) < 2 and len(grid.xs) < 3):
            continue
        table = grid.table(inside, page.number)
        if table is not None:
            tables.append(table)
            taken = set(map(id, inside))
            rest = [w for w in rest if id(w) not in taken]
    return tables, rest


@dataclass(frozen=True, slots=True)
class _Grid:
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    rules: tuple[Rule, ...]

    def contains(self, word: Word) -> bool:
        middle = (word.x0 + word.x1) / 2
        return (
            self.xs[0] - 1 <= middle <= self.xs[-1] + 1 and self.ys[0] < word.base - 0.2 * word.face.size < self.ys[-1]
        )

    def table(self, words: Sequence[Word], page: int) -> Table | None:
        columns, rows = len(self.xs) - 1, len(self.ys) - 1
        if columns < 2 or rows < 1 or columns * rows < 3:
            return None
        cells: dict[tuple[int, int], list[Word]] = {}
        for word in words:
            row = _slot(self.ys, word.base - 0.3 * word.face.size)
            column = _slot(self.xs, (word.x0 + word.x1) / 2)
            cells.setdefault((row, column), []).append(word)
        typed = sum(len(w.text) for w in words if w.face.mono) > 0.9 * sum(len(w.text) for w in words)
        if len({column for _, column in cells}) < 2 or len(cells) < 0.15 * columns * rows or (typed and rows < 3):
            return None  # a frame around text or code
        body = []
        owner = self._owners(rows, columns)
        for row in range(rows):
            line = []
            for column in range(columns):
                if owner[row][column] != (row, column):
                    continue
                own = [(r, c) for r in range(row, rows) for c in range(column, columns) if owner[r][c] == (row, column)]
                wide = 1 + max(c for _, c in own) - column
                high = 1 + max(r for r, _ in own) - row
                text = [w for place in own for w in cells.get(place, ())]
                line.append(Cell(content=cell_text(text, page), columns=wide, rows=high))
            body.append(tuple(line))
        body = _without_empty(body)
        header = _header_rows([[w for c in range(columns) for w in cells.get((r, c), ())] for r in range(rows)])
        return Table(tuple(body), header, self.xs[0], self.xs[-1], self.ys[0], self.ys[-1], page)

    def _owners(self, rows: int, columns: int) -> list[list[tuple[int, int]]]:
        """Return for each place of the grid the first place of its cell: places without a rule between are one."""
        owner = [[(r, c) for c in range(columns)] for r in range(rows)]
        upright = [r for r in self.rules if not r.horizontal]
        level = [r for r in self.rules if r.horizontal]
        for row in range(rows):
            middle = (self.ys[row] + self.ys[row + 1]) / 2
            for column in range(1, columns):
                x = self.xs[column]
                if not any(abs(r.x0 - x) <= NEAR and r.y0 <= middle <= r.y1 for r in upright):
                    owner[row][column] = owner[row][column - 1]
        for column in range(columns):
            middle = (self.xs[column] + self.xs[column + 1]) / 2
            for row in range(1, rows):
                y = self.ys[row]
                alone = owner[row][column] == (row, column)
                if alone and not any(abs(r.y0 - y) <= NEAR and r.x0 <= middle <= r.x1 for r in level):
                    above = owner[row - 1][column]
                    if above[1] == column and not (column + 1 < columns and owner[row][column + 1] == (row, column)):
                        owner[row][column] = above
        return owner


def _without_empty(rows: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """Take away columns that hold nothing: the room between a frame and the table in it."""
    if any(cell.columns != 1 or cell.rows != 1 for row in rows for cell in row):
        return rows
    used = [i for i in range(len(rows[0])) if any(row[i].content for row in rows)]
    return [tuple(row[i] for i in used) for row in rows]


def _grids(rules: Sequence[Rule]) -> list[_Grid]:
    """Return the connected groups of rules that cross each other."""
    level = [r for r in rules if r.horizontal]
    upright = [r for r in rules if not r.horizontal]
    if not upright or not level or len(level) * len(upright) > 400_000:
        return []
    parent = list(range(len(rules)))
    order = [*level, *upright]

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for i, h in enumerate(level):
        for j, v in enumerate(upright, len(level)):
            if h.x0 - NEAR <= v.x0 <= h.x1 + NEAR and v.y0 - NEAR <= h.y0 <= v.y1 + NEAR:
                parent[root(i)] = root(j)
    groups: dict[int, list[Rule]] = {}
    for index, rule in enumerate(order):
        groups.setdefault(root(index), []).append(rule)
    found = []
    for group in groups.values():
        if all(r.horizontal for r in group) or not any(r.horizontal for r in group):
            continue
        xs = _merged(
            [r.x0 for r in group if not r.horizontal] + [e for r in group if r.horizontal for e in (r.x0, r.x1)]
        )
        ends = [e for r in group if not r.horizontal for e in (r.y0, r.y1)]
        ys = _merged([*(r.y0 for r in group if r.horizontal), min(ends), max(ends)])
        if len(xs) >= 2 and len(ys) >= 2 and len(xs) <= MAX_RULINGS and len(ys) <= MAX_RULINGS:
            found.append(_Grid(xs, ys, tuple(group)))
    return sorted(found, key=lambda g: (g.ys[0], g.xs[0]))


def _merged(values: Sequence[float]) -> tuple[float, ...]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > 2 * NEAR:
            out.append(value)
    return tuple(out)


def _slot(edges: Sequence[float], value: float) -> int:
    for index in range(1, len(edges) - 1):
        if value < edges[index]:
            return index - 1
    return len(edges) - 2


def cell_text(words: Sequence[Word], page: int) -> str:
    """Return the text of a cell, its lines joined."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (w.base, w.x0)):
        if rows and word.base - rows[-1][0].base <= 0.3 * word.face.size:
            rows[-1].append(word)
        else:
            rows.append([word])
    texts = [joined(make_line(sorted(row, key=lambda w: w.x0), page).words) for row in rows]
    return join_lines(texts)


def join_lines(texts: Sequence[str]) -> str:
    """Return the lines of a cell as one text; a word that a hyphen cut is whole again."""
    out = ""
    for text in texts:
        if out.endswith("-") and len(out) > 1 and out[-2].isalpha() and text[:1].islower():
            out = out[:-1] + text
        else:
            out = f"{out} {text}" if out else text
    return out


def _header_rows(rows: Sequence[Sequence[Word]]) -> int:
    """Return how many first rows are a header: set in bold or tagged as such; else the first one."""
    count = 0
    for row in rows[:3]:
        letters = [w for w in row if any(c.isalpha() for c in w.text)]
        if letters and (all(w.face.bold for w in letters) or all(w.face.tag == "TH" for w in letters)):
            count += 1
        else:
            break
    if count and count < len(rows):
        return count
    return 1


# -- without a grid --------------------------------------------------------------------------------------------------


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
        elif gap > 1.6 * row[0].size or stop - last >= 3:
            break
        stop += 1
    return last if last > start + 1 else start + 1


def _cells(row: Sequence[Line]) -> Sequence[Line]:
    """Return the parts of a row without a list marker in front."""
    return row[1:] if row and _MARKER.fullmatch(row[0].text) else row


def _aligned(rows: Sequence[Sequence[Line]], rules: Sequence[Rule]) -> Table | None:
    columns = _column_edges(rows)
    if columns is None:
        return None
    full = [row for row in rows if len(row) >= 2]
    if any(_MARKER.fullmatch(row[0].text) for row in full) and sum(
        1 for row in full if _MARKER.fullmatch(row[0].text)
    ) > 0.5 * len(full):
        return None
    level = [
        r for r in rules
        if r.horizontal and rows[0][0].base - 30 <= r.y0 <= rows[-1][0].base + 30 and r.x1 - r.x0 > 60
    ]  # fmt: skip
    if len(full) < (2 if len(level) >= 2 else 3):
        return None
    if median(len(line.text) for row in full for line in row) > 45 and not level:
        return None
    if all(line.mono for row in rows for line in row):
        return None
    grid: list[list[list[Line]]] = []
    bases: list[float] = []
    leading = _leading(rows)
    for row in rows:
        placed: list[list[Line]] = [[] for _ in range(len(columns) + 1)]
        for line in row:
            placed[_column(columns, (line.x0 + line.x1) / 2, line)].append(line)
        continues = bool(grid) and not placed[0] and row[0].base - bases[-1] <= 1.15 * leading
        parted = any(grid and bases[-1] < r.y0 < row[0].base for r in level)
        if continues and not parted:
            for cell, more in zip(grid[-1], placed, strict=True):
                cell.extend(more)
        else:
            grid.append(placed)
        bases.append(row[0].base)
    if len(grid) < 2:
        return None
    body = tuple(tuple(Cell(content=join_lines([line.text for line in cell])) for cell in row) for row in grid)
    words = [[w for cell in row for line in cell for w in line.words] for row in grid]
    first, last = rows[0][0], rows[-1][0]
    every = [line for row in rows for line in row]
    return Table(
        body, _header_rows(words), min(line.x0 for line in every), max(line.x1 for line in every),
        first.top, last.base, first.page, ruled=False,
    )  # fmt: skip


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
