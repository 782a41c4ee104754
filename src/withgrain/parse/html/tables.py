"""Tables of a page: which of them hold data, their rows, cells and headers."""

from __future__ import annotations

from withgrain.parse.html.tree import Node, attribute, children, has_any, plain, tag_of

_SECTIONS = ("thead", "tbody", "tfoot")
#: A cell that holds one of these is a part of the page, not a value.
_LAYOUT = ("h1", "h2", "h3", "h4", "table", "form", "article", "section", "nav")
_LONG_CELL = 600


def rows_of(table: Node) -> list[Node]:
    """Return the rows of a table itself, those of its foot last."""
    rows: list[Node] = []
    foot: list[Node] = []
    for child in children(table):
        tag = "" if isinstance(child, str) else tag_of(child)
        if tag == "tr":
            rows.append(child)
        elif tag in _SECTIONS:
            (foot if tag == "tfoot" else rows).extend(
                c for c in children(child) if not isinstance(c, str) and tag_of(c) == "tr"
            )
    return rows + foot


def cells_of(row: Node) -> list[tuple[Node, int, int]]:
    """Return the cells of a row with the columns and rows that they span."""
    return [
        (cell, _span(attribute(cell, "colspan"), 1_000) or 1, _span(attribute(cell, "rowspan"), 65_534))
        for cell in children(row)
        if not isinstance(cell, str) and tag_of(cell) in ("td", "th")
    ]


def _span(text: str, most: int) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal()):
        return 1
    return min(int(text[:9]), most)


def header_rows(rows: list[Node]) -> int:
    """Return how many rows are the header: those of ``thead``, else the first ones of ``th`` cells only.

    Where no cell is a ``th``, a first row whose words are all bold is one.
    """
    count = 0
    for row in rows:
        cells = [cell for cell, _, _ in cells_of(row)]
        in_head = row.parent is not None and tag_of(row.parent) == "thead"
        if not in_head and not (cells and all(tag_of(cell) == "th" for cell in cells)):
            break
        count += 1
    if count == len(rows):
        return min(count, 1)
    if count == 0 and len(rows) > 1:
        cells = [cell for cell, _, _ in cells_of(rows[0])]
        return int(len(cells) > 1 and all(_is_bold(cell) for cell in cells))
    return count


def _is_bold(cell: Node) -> bool:
    words = plain(cell)
    bold = cell.find("b") or cell.find("strong")
    return bool(words) and bold is not None and plain(bold) == words


def is_layout(table: Node) -> bool:
    """Return whether a table lays out the page and its cells are to be read one after the other.

    A table that names header cells or a caption holds data, unless it says that it is for presentation.
    """
    role = attribute(table, "role")
    if role in ("presentation", "none"):
        return True
    rows = rows_of(table)
    if any(tag_of(cell) == "th" for row in rows[:50] for cell, _, _ in cells_of(row)):
        return False
    if any(not isinstance(c, str) and tag_of(c) in ("caption", "thead") for c in children(table)):
        return False
    widths = [len(cells_of(row)) for row in rows]
    if len(rows) < 2 or max(widths, default=0) < 2:
        return True
    return has_any(table, _LAYOUT) or _has_long_cells(rows)


def _has_long_cells(rows: list[Node]) -> bool:
    for row in rows[:30]:
        for cell, _, _ in cells_of(row):
            parts = sum(1 for _ in cell.find_all("p", limit=3)) + 2 * (cell.find("ul") is not None)
            parts += sum(1 for _ in cell.find_all("br", limit=4)) > 3
            if parts > 1 and len(plain(cell)) > _LONG_CELL:
                return True
    return False
