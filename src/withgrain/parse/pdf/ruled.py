"""Tables inside ruled grids: places without a rule between them are one cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from withgrain.parse.pdf.page import Page, Rule, Word
from withgrain.parse.pdf.tables import Table, cell_text, header_rows
from withgrain.parse.rendered import Cell

#: Rules that come closer than this touch each other, in points.
NEAR = 3.0
#: More rules than this on a page are a drawing.
MAX_RULES = 3_000
#: A grid has at most so many rows or columns of rules.
MAX_RULINGS = 400


def ruled_tables(
    page: Page, words: Sequence[Word], before: Page | None = None, after: Page | None = None
) -> tuple[list[Table], list[Word]]:
    """Return the tables inside ruled grids, and the words that are in none.

    Args:
        page: The page.
        words: Its words, without those that belong to the page.
        before: The page before it: a single row at the top may be the last one of a table there.
        after: The page after it: a single row at the bottom may be the first one of a table there.
    """
    tables: list[Table] = []
    rest = list(words)
    for grid in _some_grids(page):
        inside = [w for w in rest if grid.contains(w)]
        if len(inside) < 2 or (len({w.base for w in inside}) < 2 and len(grid.xs) < 3):
            continue
        if grid.is_pair and not _goes_on(grid, words, before, after):
            continue
        table = grid.table(inside, page.number)
        if table is not None:
            tables.append(table)
            taken = set(map(id, inside))
            rest = [w for w in rest if id(w) not in taken]
    return tables, rest


def _goes_on(pair: _Grid, words: Sequence[Word], before: Page | None, after: Page | None) -> bool:
    """Return whether a row is at the edge of its page, and a grid of the same columns at that of the one beside it."""
    if before is not None and all(word.base > pair.ys[0] for word in words):
        return any(pair.has_columns_of(grid) for grid in _some_grids(before)[-1:])
    if after is not None and all(word.base < pair.ys[-1] for word in words):
        return any(pair.has_columns_of(grid) for grid in _some_grids(after)[:1])
    return False


def _some_grids(page: Page) -> list[_Grid]:
    return _grids(page.rules) if len(page.rules) <= MAX_RULES else []


@dataclass(frozen=True, slots=True)
class _Grid:
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    rules: tuple[Rule, ...]

    @property
    def is_pair(self) -> bool:
        """Whether it is a single row of two cells: two frames side by side, unless it is a part of a table."""
        return len(self.xs) == 3 and len(self.ys) == 2

    def has_columns_of(self, other: _Grid) -> bool:
        """Return whether both have their upright rules at the same places."""
        return len(self.xs) == len(other.xs) and all(
            abs(a - b) <= 2 * NEAR for a, b in zip(self.xs, other.xs, strict=True)
        )

    def contains(self, word: Word) -> bool:
        middle = (word.x0 + word.x1) / 2
        return (
            self.xs[0] - 1 <= middle <= self.xs[-1] + 1 and self.ys[0] < word.base - 0.2 * word.face.size < self.ys[-1]
        )

    def table(self, words: Sequence[Word], page: int) -> Table | None:
        columns, rows = len(self.xs) - 1, len(self.ys) - 1
        if columns < 2 or rows < 1:
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
        boxes = tuple((self.xs[0], top, self.xs[-1], bottom) for top, bottom in pairwise(self.ys))
        header = header_rows([[w for c in range(columns) for w in cells.get((r, c), ())] for r in range(rows)])
        return Table(tuple(body), header, self.xs[0], self.xs[-1], self.ys[0], self.ys[-1], page, boxes)

    def _owners(self, rows: int, columns: int) -> list[list[tuple[int, int]]]:
        """Return for each place of the grid the first place of its cell: places without a rule between are one.

        Places beside each other are joined first; such a run is joined with the one above it when both are as wide.
        """
        owner: list[list[tuple[int, int]]] = []
        above: dict[tuple[int, int], tuple[int, int]] = {}  # first and last column of a run -> first place of its cell
        for row in range(rows):
            runs = {}
            for first, last in self._runs(row, columns):
                joined = (first, last) in above and not self._parted(row, first, last)
                runs[first, last] = above[first, last] if joined else (row, first)
            owner.append([place for (first, last), place in runs.items() for _ in range(first, last + 1)])
            above = runs
        return owner

    def _runs(self, row: int, columns: int) -> list[tuple[int, int]]:
        """Return the first and last column of what no upright rule parts in a row."""
        middle = (self.ys[row] + self.ys[row + 1]) / 2
        upright = [r for r in self.rules if not r.horizontal and r.y0 <= middle <= r.y1]
        runs = [(0, 0)]
        for column in range(1, columns):
            if any(abs(r.x0 - self.xs[column]) <= NEAR for r in upright):
                runs.append((column, column))
            else:
                runs[-1] = (runs[-1][0], column)
        return runs

    def _parted(self, row: int, first: int, last: int) -> bool:
        """Return whether a level rule stands above any of these places."""
        level = [r for r in self.rules if r.horizontal and abs(r.y0 - self.ys[row]) <= NEAR]
        middles = [(self.xs[column] + self.xs[column + 1]) / 2 for column in range(first, last + 1)]
        return any(r.x0 <= middle <= r.x1 for r in level for middle in middles)


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
