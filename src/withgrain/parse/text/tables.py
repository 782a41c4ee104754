"""Tables in plain text: ruled with signs, parted by tabs, or in columns below a head.

Pipes, boxes, psql and reStructuredText are ruled. Only what is regular counts: a drawing has lines of signs too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from withgrain.model import Block
from withgrain.parse.build import make_block
from withgrain.parse.text.groups import Group

_RULE = re.compile(
    r"[ \t]*[|+]?[ \t]*:?[-=]{2,}:?(?:[ \t]*[|+][-=:|+ \t]*|[ ]+[-=]{2,}[-= ]*)\n?"
    r"|[ \t]*[\u2500-\u257f]{3,}[ \t]*\n?"  # box signs
)
_SIGNS = ("\t", "--", "==", "\u2500", "\u2550")  # one of which every table has
_BARS = "|│║┃"
_LINE = re.compile(r"[^\n]*(?:\n|$)")
_CELL = re.compile(r"[^|│║┃\s][^|│║┃\n]*")
_TAB_CELL = re.compile(r"[^\t\n]+")
_WIDE_CELL = re.compile(r"\S+(?: \S+)*")
_GAP = re.compile(r"\S {2,}\S")
_LEAST_ROWS = 2
_ALIGNED_ROWS = 3  # below a head that nothing but its columns shows
_HEAD_LINES = 4  # lines in which the head of a table ends
_LEAD_LINES = 3  # lines of text or prompts above a table in one run of lines


def split_table(text: str, group: Group) -> list[Block]:
    """Return a run of lines as paragraph, table, paragraph; empty when there is no table in it."""
    start, end = group.start, group.end
    if end == group.first_end or not _possible(text, start, end):
        return []
    lines = [(m.start(), m.end()) for m in _LINE.finditer(text, start, end) if m.end() > m.start()]
    for first in range(min(_LEAD_LINES, len(lines))):
        found = _ruled(text, lines, first) or _parted(text, lines, first)
        if found is not None:
            table, last = found
            before = [make_block("paragraph", start, lines[first][0])] if first else []
            after = [make_block("paragraph", lines[last][1], end)] if last + 1 < len(lines) else []
            return [*before, table, *after]
    return []


def _possible(text: str, start: int, end: int) -> bool:
    return any(text.find(sign, start, end) >= 0 for sign in _SIGNS) or _GAP.search(text, start, end) is not None


def _ruled(text: str, lines: list[tuple[int, int]], first: int) -> tuple[Block, int] | None:
    """Return a table with a rule below its head, and the index of its last line."""
    rules = [k for k in range(first, min(first + _HEAD_LINES, len(lines))) if _RULE.fullmatch(text, *lines[k])]
    if not rules or (rules[0] == first and len(rules) < 2):
        return None
    below = rules[1] if rules[0] == first else rules[0]
    rule = text[slice(*lines[below])]
    bars = not set(rule.strip()) <= set("-=: ")
    last = below
    while last + 1 < len(lines) and (not bars or _has_bar(text, lines[last + 1]) or _is_rule(text, lines[last + 1])):
        last += 1
    body = [k for k in range(below + 1, last + 1) if not _is_rule(text, lines[k])]
    head = [k for k in range(first, below) if not _is_rule(text, lines[k])]
    if len(body) < _LEAST_ROWS or not head:
        return None
    if bars:
        count = _count_bars(text, lines[head[0]])
        if count == 0 or sum(_count_bars(text, lines[k]) == count for k in body) < 0.8 * len(body):
            return None
    cell = _CELL if bars else _WIDE_CELL
    top = [_delimiter(lines[first][0], lines[first][1])] if rules[0] == first else []
    header = _row(text, lines[head[0]][0], lines[head[-1]][1], "header", cell)
    rows = [*top, header, _delimiter(header.span.end, lines[below][1])]
    rows += _body(text, lines, below + 1, last, cell)
    return _table(rows), last


def _count_bars(text: str, line: tuple[int, int]) -> int:
    return sum(text.count(bar, *line) for bar in _BARS)


def _has_bar(text: str, line: tuple[int, int]) -> bool:
    return any(text.find(bar, *line) >= 0 for bar in _BARS)


def _delimiter(start: int, end: int) -> Block:
    return make_block("table_row", start, end, attrs={"role": "delimiter"})


def _is_rule(text: str, line: tuple[int, int]) -> bool:
    return _RULE.fullmatch(text, *line) is not None


def _body(text: str, lines: list[tuple[int, int]], first: int, last: int, cell: re.Pattern[str]) -> Iterator[Block]:
    """Yield the rows: lines; where rules part the rows, what is between them; a rule stays with the row above it."""
    parted = sum(_is_rule(text, lines[k]) for k in range(first, last)) > 0
    start = lines[first][0]
    for k in range(first, last + 1):
        rule_follows = k < last and _is_rule(text, lines[k + 1])
        if k < last and (rule_follows or (parted and not _is_rule(text, lines[k]))):
            continue
        yield _row(text, start, lines[k][1], "body", cell)
        start = lines[k][1]


def _parted(text: str, lines: list[tuple[int, int]], first: int) -> tuple[Block, int] | None:
    """Return a table whose cells are parted by tabs, or by wide gaps below a head: in capitals, or above columns."""
    if len(lines) - first <= _LEAST_ROWS:
        return None
    tabs = text.count("\t", *lines[first])
    if tabs and all(text.count("\t", *line) == tabs for line in lines[first:]):
        cell = _TAB_CELL
    elif _has_columns(text, lines, first) and (
        text[slice(*lines[first])].isupper() or _are_aligned(text, lines[first:])
    ):
        cell = _WIDE_CELL
    else:
        return None
    rows = [_row(text, *line, "body" if k else "header", cell) for k, line in enumerate(lines[first:])]
    return _table(rows), len(lines) - 1


def _has_columns(text: str, lines: list[tuple[int, int]], first: int) -> bool:
    """Return whether all lines have about as many cells as the first, three at least."""
    counts = [sum(1 for _ in islice(_WIDE_CELL.finditer(text, *line), 99)) for line in lines[first:]]
    return counts[0] > _LEAST_ROWS and all(abs(count - counts[0]) <= 1 for count in counts)


def _are_aligned(text: str, lines: list[tuple[int, int]]) -> bool:
    """Return whether the first line is a head: no figures, no stop, and most cells begin or end below its cells."""
    head = text[slice(*lines[0])].rstrip()
    if len(lines) <= _ALIGNED_ROWS or any(map(str.isdigit, head)) or "\t" in head or head[-1:] in ".,;:?!":
        return False
    edges = [_edges(text, line) for line in lines]
    starts, ends = ({cell[side] for cell in edges[0]} for side in (0, 1))
    cells = [start in starts or end in ends for row in edges[1:] for start, end in row]
    return sum(cells) >= 0.9 * len(cells)


def _edges(text: str, line: tuple[int, int]) -> list[tuple[int, int]]:
    """Return where the cells of a line begin and end, in signs from its start."""
    return [(match.start() - line[0], match.end() - line[0]) for match in islice(_WIDE_CELL.finditer(text, *line), 99)]


def _row(text: str, start: int, end: int, role: str, cell: re.Pattern[str]) -> Block:
    cells = tuple(
        make_block("table_cell", match.start(), match.start() + len(match.group().rstrip()))
        for match in cell.finditer(text, start, end)
        if any(map(str.isalnum, match.group()))
    )
    return make_block("table_row", start, end, None, cells, {"role": role})


def _table(rows: list[Block]) -> Block:
    columns = max(len(row.children) for row in rows[:2])
    return make_block("table", rows[0].span.start, rows[-1].span.end, None, tuple(rows), {"columns": str(columns)})
