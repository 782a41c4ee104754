"""Cutting a block that is too long at its own joints: items, rows, cells, statements, inner blocks.

Each function returns units that tile the given one, with what must be repeated beside them: the table's header, the
list's stem, the parent item, the fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from withgrain.chunk.records import column_names, record, row_record, table_records
from withgrain.chunk.split_text import line_starts, sentence_starts
from withgrain.chunk.unit import WEAK_BOND, Unit, tile
from withgrain.model import Block, Part, Span

_MARKERS_ONLY = re.compile(r"[ \t>]*\Z")
#: A delimiter row that was padded to the width of its columns: each dash would be a token in every repetition.
_DASHES = re.compile(r"([-=])\1{3,}")
_HTML_ROW = re.compile(r"<tr\b", re.IGNORECASE)
#: Where lists in HTML and their items begin and end; an item of a list of terms begins with its first term.
_HTML_ITEM = re.compile(r"<(?:(?P<close>/)?(?P<list>[uod]l)|li|dt)\b", re.IGNORECASE)
#: From the first row of an HTML table to the end of its head, or of that row when it has header cells only.
_HTML_HEAD = re.compile(
    r"<tr\b[^>]{0,200}>(?:(?:(?!</?(?:thead|tbody|table)\b).){0,2000}?</tr>\s*(?=</thead)"
    r"|(?:\s*<th\b(?:(?!</th|<t[dr]\b).){0,1000}</th>){1,40}\s*</tr>)",
    re.IGNORECASE | re.DOTALL,
)
#: A short cell of an HTML table that goes on in the rows below it.
_HTML_TALL = re.compile(
    r"<t[dh]\b[^>]{0,200}?\browspan\s*=\s*[\"']?(?P<rows>\d{1,4})[^>]{0,200}>"
    r"(?:(?!</?t[dhr]\b).){1,80}(?:</t[dh]>|(?=</?t[dhr]\b))",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_SENTENCE = 160  # characters of a parent item that are worth repeating
_SHORT_HEADER = 200  # characters of a header that stands whole beside pieces of a row
_ROW_KEY = 80  # characters of the leading cells that identify a long row
_MOST_TALL = 8  # cells that reach down to one row and are repeated with it
_LINE_BOND = 5  # at most, for a line of code that belongs to the one above it
_LONGEST_INDENT = 80
_COMMENTS = ("#", "//", "--", "/*", "*", ";", "@", "REM ")
#: What a shell, Python or PowerShell prints in front of a command.
_PROMPT = re.compile(
    r"[ \t]*(?:[$%❯]|>>>|PS [^>\n]{0,50}>|[\w.-]{1,32}@[\w.-]{1,40}[^\s$#]{0,40}[ ]?[$#]|[A-Z]:\\[^>\n]{0,50}>)[ \t]"
)
_LEAST_PROMPTS = 2
_CLOSES = re.compile(r"\s*(?:[)\]}]|</|(?:end|fi|done|esac|else|elif|except|catch|finally|then|do)\b)")
_STATEMENT_BOND = 5  # a blank line inside a function: better than a line, worse than between functions


def split_block(unit: Unit, text: str) -> list[Unit]:
    """Return the pieces of a block at its own joints; one piece when it has none."""
    block = unit.block
    if block is None:
        return [unit]
    if block.kind == "table" and block.children:
        return _rows(unit, block, text)
    if block.kind == "table_row" and len(block.children) > 1:
        return _cells(unit, block, text)
    if block.kind == "code" and block.children:
        return _joints(unit, block, text)
    if block.kind == "code":
        return _statements(unit, block, text)
    if block.kind == "list" and block.children:
        return _children(unit, block, text, "item")
    if block.kind == "list_item":
        return _item(unit, block, text)
    if block.children:
        return _container(unit, block, text)
    if block.kind in ("html", "math", "comment"):
        return _markup(unit, block, text)
    return [unit]


def as_records(unit: Unit, text: str) -> None:
    """Have the rows of a table read as records."""
    if unit.block is not None and unit.block.kind == "table" and not unit.instead:
        unit.instead = table_records(unit.block, text)


def first_line(text: str, span: Span, most: int = _FIRST_SENTENCE) -> Part:
    """Return the first line of ``span``, up to the end of its first sentence, as a stem."""
    stop = text.find("\n", span.start, span.end)
    stop = span.end if stop == -1 else stop
    if stop - span.start > most:
        sentences = sentence_starts(text, span.start, stop)
        stop = next((s for s in sentences[1:] if s - span.start <= most), stop)
    line = text[span.start : stop].rstrip()
    if len(line) > most:
        line = line[:most].rsplit(" ", 1)[0] + " …"
    return Part(role="stem", text=line, span=Span(start=span.start, end=span.start + len(line)))


def _line_start(text: str, at: int, floor: int) -> int:
    """Move ``at`` to the start of its line when only white space and quote markers stand in between."""
    start = max(floor, text.rfind("\n", floor, at) + 1)
    return start if _MARKERS_ONLY.match(text, start, at) else at


def _children(unit: Unit, block: Block, text: str, kind: str) -> list[Unit]:
    starts = [_line_start(text, child.span.start, unit.start) for child in block.children]
    starts[0] = unit.start
    if any(b <= a for a, b in pairwise(starts)):
        return tile(unit, sorted(set(starts)), kind)
    return tile(unit, starts, kind, list(block.children))


def _item(unit: Unit, block: Block, text: str) -> list[Unit]:
    if len(block.children) < 2:
        if not block.children:
            return [unit]
        return [replace(unit, block=block.children[0], size=-1)]
    stem = first_line(text, block.span)
    inner = replace(unit, inner_lead=(*unit.inner_lead, stem))
    return _children(inner, block, text, "block")


def _container(unit: Unit, block: Block, text: str) -> list[Unit]:
    """Quotes, admonitions, definitions, footnotes: the first line (type, term, label) is repeated."""
    if block.kind in ("admonition", "definition", "footnote"):
        summary = text.find("<summary", block.span.start, min(block.span.end, block.span.start + _FIRST_SENTENCE))
        said = block.span if summary < 0 or block.attrs.get("type") != "details" else replace(block.span, start=summary)
        unit = replace(unit, inner_lead=(*unit.inner_lead, first_line(text, said)))
    return _children(unit, block, text, "block")


def table_head(block: Block) -> tuple[Block, ...]:
    """Return the rows in front of a table's first body row: header and delimiter."""
    for k, row in enumerate(block.children):
        if row.attrs.get("role", "body") == "body":
            return block.children[:k]
    return block.children


def table_header(block: Block, text: str) -> tuple[Part, ...]:
    """Return the part that repeats a table's header; empty when it has none."""
    head = table_head(block)
    if not head:
        return ()
    span = Span(start=head[0].span.start, end=head[-1].span.end)
    return (Part(role="table_header", text=_header_text(head, text), span=span),)


def _rows(unit: Unit, block: Block, text: str) -> list[Unit]:
    body = block.children[len(table_head(block)) :]
    if not body:
        return tile(unit, line_starts(text, unit.start, unit.end), "line")
    if not unit.instead:  # records say the names of their columns themselves
        unit = replace(unit, inner_lead=(*unit.inner_lead, *table_header(block, text)))
    # The header stays with the first row; a row that is too long is cut at its cells.
    starts = [unit.start, *(_line_start(text, r.span.start, unit.start) for r in body[1:])]
    rows = tile(unit, starts, "row", list(body) if len(starts) == len(body) else None)
    names = column_names(block, text)
    for k, row in enumerate(rows):
        row.columns = names
        if unit.instead and row.block is not None:
            row.instead = (row_record(row.block, names, text, unit.start if k == 0 else row.block.span.start),)
    return rows


def _markup(unit: Unit, block: Block, text: str) -> list[Unit]:
    if block.attrs.get("tag") == "table":
        return _html_rows(unit, text)
    if block.attrs.get("tag") in ("ul", "ol", "dl"):
        return tile(unit, [unit.start, *_html_items(unit, text)], "item")
    return tile(unit, line_starts(text, unit.start, unit.end), "line")


def _html_items(unit: Unit, text: str) -> Iterator[int]:
    """Yield where the lines begin at which the items of the outermost list begin, but for the first."""
    depth, first = 0, True
    for match in _HTML_ITEM.finditer(text, unit.start, unit.end):
        if match["list"]:
            depth += -1 if match["close"] else 1
        elif depth == 1:
            start = _line_start(text, match.start(), unit.start)
            if not first and not text[start : match.start()].strip():
                yield start
            first = False


def _html_rows(unit: Unit, text: str) -> list[Unit]:
    """Cut a table in HTML in front of its rows; the rows of its head are repeated as they stand."""
    rows = [match.start() for match in _HTML_ROW.finditer(text, unit.start, unit.end)]
    head = _HTML_HEAD.match(text, rows[0], unit.end) if rows else None
    if head is not None:
        span = Span(start=head.start(), end=head.end())
        header = Part(role="table_header", text=span.of(text), span=span)
        unit = replace(unit, inner_lead=(*unit.inner_lead, header))
        rows = [row for row in rows if row >= head.end()][1:]  # the head stays with the first row
    starts = dict.fromkeys(_line_start(text, row, unit.start) for row in rows)
    if not starts:
        return tile(unit, line_starts(text, unit.start, unit.end), "line")
    return _under_tall_cells(tile(unit, [unit.start, *starts], "row"), text)


def _under_tall_cells(rows: list[Unit], text: str) -> list[Unit]:
    """Have each row say the short cells above that reach down to it (``rowspan``), and part it from them last."""
    tall: list[tuple[int, Part]] = []  # the last row that a cell reaches, and the cell
    for k, row in enumerate(rows):
        tall = [(last, cell) for last, cell in tall if last >= k][-_MOST_TALL:]
        cells = tuple(cell for _, cell in tall)
        if cells:
            row.bond = WEAK_BOND
            row.lead, row.inner_lead = (*row.lead, *cells), (*row.inner_lead, *cells)
        start = max((match.start() for match in _HTML_ROW.finditer(text, row.start, row.end)), default=row.start)
        for match in _HTML_TALL.finditer(text, start, row.end):  # behind the head, which is not of these rows
            cell = Part(role="stem", text=match.group(), span=Span(start=match.start(), end=match.end()))
            if int(match["rows"]) > 1:
                tall.append((k + int(match["rows"]) - 1, cell))
    return rows


def _header_text(head: tuple[Block, ...], text: str) -> str:
    """Return header and delimiter rows, the delimiter's dashes shortened."""
    lines = []
    for row in head:
        line = row.span.of(text).rstrip("\n")
        lines.append(_DASHES.sub(r"\1\1\1", line) if row.attrs.get("role") == "delimiter" else line)
    return "\n".join(lines).strip("\n")


def _cells(unit: Unit, block: Block, text: str) -> list[Unit]:
    """Cut a row at its cells. Each piece says the columns of its cells, and all but the first the row's first cell.

    A short header says the columns as a whole; of a long one only those that a piece has.
    """
    cells, names = block.children, unit.columns
    header = next((p for p in unit.inner_lead if p.role == "table_header"), None)
    row = unit
    if header is not None and len(header.text) <= _SHORT_HEADER and not unit.instead:
        names = ()
    if names:
        row = replace(row, lead=_headless(row.lead), inner_lead=_headless(row.inner_lead), row=block.span.start)
    key = text[block.span.start : cells[1].span.start].strip()
    if 0 < len(key) <= _ROW_KEY:
        span = Span(start=block.span.start, end=block.span.start + len(key))
        shown = record(cells[:1], names, text) if unit.instead and names else key
        row = replace(row, inner_lead=(*row.inner_lead, Part(role="stem", text=shown, span=span)))
    head = []
    if names and unit.start < block.span.start and not unit.instead:  # the header in front of the first row
        head = tile(row, [row.start, block.span.start], "row")[:1]
        row = replace(row, start=block.span.start, kind="row")
        head[0].row = -1
    pieces = tile(row, [row.start, *(c.span.start for c in cells[1:])], "cell")
    for piece, cell, name in zip(pieces, cells, names, strict=False):
        piece.label = name
        if unit.instead:
            span = Span(start=piece.start, end=piece.start + len(text[piece.start : piece.end].rstrip()))
            piece.instead = (Part(role="records", text=record((cell,), (name,), text), span=span, position="instead"),)
    return [*head, *pieces]


def _headless(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(p for p in parts if p.role != "table_header")


def _statements(unit: Unit, block: Block, text: str) -> list[Unit]:
    """Cut code at blank lines in front of unindented lines, then at other blank lines; re-open the fence."""
    content = block.content or Span(start=unit.start, end=unit.end)
    fence = block.attrs.get("fence")
    if fence:
        indent = block.attrs.get("indent", "")
        opening = Part(role="fence_open", text=indent + fence)
        closing = Part(role="fence_close", text=indent + block.attrs.get("fence_end", "```"), position="after")
        unit = replace(unit, inner_lead=(*unit.inner_lead, opening), inner_trail=(closing, *unit.inner_trail))
    starts, indents = [unit.start], []
    blank = False
    for at in line_starts_with_blanks(text, content.start, content.end):
        line_end = text.find("\n", at, content.end)
        line = text[at : content.end if line_end == -1 else line_end]
        if not line.strip():
            blank = True
        elif blank and at > unit.start:
            starts.append(at)
            indents.append(len(line) - len(line.lstrip()))
            blank = False
    if len(starts) == 1:
        return _lines(unit, content, text)
    units = tile(unit, starts, "statement")
    least = min(indents)
    for piece, width in zip(units[1:], indents, strict=False):
        piece.bond = 0 if width == least else _STATEMENT_BOND
    return units


def _joints(unit: Unit, block: Block, text: str) -> list[Unit]:
    """Cut code at its statements or members, better behind a blank line; the head of a compound one is repeated."""
    first = block.children[0].span.start
    head = Span(start=block.span.start, end=first)
    if block.attrs.get("role") == "statement" and head.of(text).strip():
        unit = replace(unit, inner_lead=(*unit.inner_lead, replace(first_line(text, head), role="signature")))
    units = _children(unit, block, text, "statement")
    for piece in units[1:]:
        piece.bond = 0 if text.endswith("\n\n", 0, piece.start) else _STATEMENT_BOND
    return units


def _lines(unit: Unit, content: Span, text: str) -> list[Unit]:
    """Cut at every line; the fences stay with the first and the last line of the code."""
    inside = [s for s in line_starts(text, content.start, content.end) if content.start < s < content.end]
    return bind_lines(tile(unit, [unit.start, *inside], "line"), text)


def bind_lines(units: list[Unit], text: str) -> list[Unit]:
    """Make cuts between lines of code dearer the deeper they are, behind a comment, and in front of what closes."""
    heads = [text[unit.start : min(unit.end, unit.start + _LONGEST_INDENT)] for unit in units]
    widths = [len(head) - len(head.lstrip()) for head in heads]
    depth = {width: min(rank, _LINE_BOND - 1) for rank, width in enumerate(sorted(set(widths[1:])))}
    for k in range(1, len(units)):
        bound = heads[k - 1].lstrip().startswith(_COMMENTS) or _CLOSES.match(heads[k])
        units[k].bond = _LINE_BOND if bound else depth[widths[k]]
    _bind_output(units, heads, text)
    return units


def _bind_output(units: list[Unit], heads: list[str], text: str) -> None:
    """Keep what a command printed with its command, where prompts show that a terminal is recorded."""
    asks = [_PROMPT.match(head) is not None for head in heads]
    asks[0] = _PROMPT.match(text[units[0].start : units[0].end].rstrip("\n").rpartition("\n")[2]) is not None
    if sum(asks) < _LEAST_PROMPTS or all(asks):
        return
    remarks = [head.lstrip().startswith("#") and not ask for head, ask in zip(heads, asks, strict=True)]
    for k in range(1, len(units)):
        if asks[k]:
            units[k].bond = _LINE_BOND if remarks[k - 1] else 0
        elif remarks[k] and asks[min(k + 1, len(asks) - 1)]:
            units[k].bond = 0
        else:
            units[k].bond = _LINE_BOND if asks[k - 1] else max(units[k].bond, 1)


def line_starts_with_blanks(text: str, start: int, end: int) -> list[int]:
    """Return where lines begin, the empty ones too."""
    starts = [start] if start < end else []
    at = text.find("\n", start, end)
    while at != -1 and at + 1 < end:
        starts.append(at + 1)
        at = text.find("\n", at + 1, end)
    return starts
