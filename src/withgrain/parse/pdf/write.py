"""Elements to canonical Markdown: hyphens joined, lists nested, tables joined over pages, footnotes referred to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from withgrain.parse.pdf.elements import Element
from withgrain.parse.pdf.lines import touching
from withgrain.parse.pdf.page import Word
from withgrain.parse.pdf.tables import Table, join_lines
from withgrain.parse.rendered import Cell, Inline, Row, Writer

_LIGATURE = re.compile("[\ufb00-\ufb06]")
_SOFT = "\u00ad"
_CODE_SIGN = re.compile(r"[-_/\\=.:(){}\[\]<>|$@#*]|\d")


def write(elements: Sequence[Element], writer: Writer, labels: Mapping[int, str]) -> None:
    """Write elements; ``labels`` are page labels that differ from the number of the page."""
    known = _words(elements)
    notes = {e.marker for e in elements if e.kind == "footnote"}
    lists: list[Element] = []
    index = 0
    while index < len(elements):
        element = elements[index]
        if element.kind != "item":
            _leave(lists, element, writer)
        writer.page = element.page
        writer.origin = _place(element.page, element.box, labels)
        if element.kind == "item":
            _nest(lists, element, writer)
        index = _write(elements, index, writer, known, notes, labels)
    while lists:
        _end_list(lists, writer)


def _place(number: int, box: tuple[float, float, float, float], labels: Mapping[int, str]) -> str:
    x0, top, x1, bottom = (round(v) for v in box)
    label = labels.get(number)
    page = f"page={number}" + (f" label={label}" if label else "")
    return f"{page} box={x0},{top},{x1},{bottom}"


def _write(
    elements: Sequence[Element], index: int, writer: Writer, known: set[str], notes: set[str], labels: Mapping[int, str]
) -> int:
    """Write the element at ``index``; return the index of the next one to write."""
    element = elements[index]
    if element.kind == "heading":
        writer.heading(_plain(element.lines, known), element.level)
    elif element.kind == "code":
        writer.code(element.text)
    elif element.kind == "table":
        return _table(elements, index, writer, None, labels)
    elif element.kind == "caption":
        after = elements[index + 1] if index + 1 < len(elements) else None
        if after is not None and after.kind == "table":
            return _table(elements, index + 1, writer, _inline(element.lines, known, notes, element.turns), labels)
        writer.paragraph(_inline(element.lines, known, notes, element.turns))
    elif element.kind == "footnote":
        writer.begin_footnote(element.marker)
        writer.paragraph(_inline(element.lines, known, set(), element.turns))
        writer.end()
    else:
        writer.paragraph(_inline(element.lines, known, notes, element.turns))
    return index + 1


# -- tables ----------------------------------------------------------------------------------------------------------


def _table(
    elements: Sequence[Element], index: int, writer: Writer, caption: Inline | None, labels: Mapping[int, str]
) -> int:
    """Write a table together with those that go on with it on the next pages; their header is written once."""
    first = elements[index].table
    if first is None:  # pragma: no cover - an element of this kind has one
        return index + 1
    rows: list[Row] = list(first.rows)
    pages: list[int | None] = [first.page] * len(first.rows)
    places: list[str | None] = [_place(first.page, box, labels) for box in first.boxes]
    last = first
    index += 1
    while index < len(elements):
        following = elements[index].table
        if following is None or not _same_table(last, following):
            break
        more = following.rows[_repeated(first, following) :]
        if more and following.ruled and _goes_on(rows[-1], more[0]):
            rows[-1] = [_both(above, below) for above, below in zip(rows[-1], more[0], strict=True)]
            more = more[1:]
        rows.extend(more)
        pages.extend([following.page] * len(more))
        places.extend(_place(following.page, box, labels) for box in following.boxes[len(following.rows) - len(more) :])
        last = following
        index += 1
    writer.page = first.page
    writer.origin = _place(first.page, (first.x0, first.top, first.x1, first.bottom), labels)
    writer.table(rows, header=first.header, caption=caption, pages=pages, origins=places)
    return index


def _same_table(above: Table, below: Table) -> bool:
    """Return whether a table goes on with one at the end of the page or column before."""
    moved = below.x0 - above.x0
    next_page = below.page == above.page + 1 and (abs(moved) < 12 or above.ruled)
    next_column = below.page == above.page and above.ruled and below.x0 >= above.x1 - 12
    as_wide = abs(above.x1 + moved - below.x1) < 12 or not above.ruled
    return (
        (next_page or next_column)
        and as_wide
        and above.columns == below.columns
        and above.ruled == below.ruled
        and below.top < above.bottom
    )


def _goes_on(above: Row, below: Row) -> bool:
    """Return whether the end of a page cut a row: below its first cell is empty, and what is not goes on from above."""
    cells = [cell for cell in (*above, *below) if isinstance(cell, Cell)]
    if len(above) != len(below) or len(cells) != 2 * len(above) or any(c.columns > 1 or c.rows > 1 for c in cells):
        return False
    lower = [_shown(cell) for cell in cells[len(above) :]]
    upper = [_shown(cell) for cell in cells[: len(above)]]
    return not lower[0] and bool(upper[0]) and all(up for up, low in zip(upper, lower, strict=True) if low)


def _both(above: object, below: object) -> Cell:
    """Return one cell of the two parts of it."""
    texts = [_shown(cell) for cell in (above, below) if isinstance(cell, Cell)]
    return Cell(content=join_lines([text for text in texts if text]))


def _repeated(first: Table, below: Table) -> int:
    """Return how many rows at the top repeat the header of the table."""
    count = 0
    for a, b in zip(first.rows[: first.header], below.rows, strict=False):
        if [_shown(c) for c in a] != [_shown(c) for c in b]:
            break
        count += 1
    return count


def _shown(cell: Cell) -> str:
    return cell.content if isinstance(cell.content, str) else cell.content.plain


# -- lists -----------------------------------------------------------------------------------------------------------


def _nest(lists: list[Element], element: Element, writer: Writer) -> None:
    """Open and close lists so that the item stands at its depth, and begin it; its list and it stay open."""
    indent = element.indent - element.margin
    while lists and indent < lists[-1].indent - lists[-1].margin - 4:
        _end_list(lists, writer)
    bare = element.marker.strip("().")
    ordered = bare.isdigit()
    if not lists or indent > lists[-1].indent - lists[-1].margin + 6:
        writer.begin_list(ordered=ordered, start=int(bare) if ordered else 1)
        lists.append(element)
    else:
        writer.end()
        if ordered != lists[-1].marker.strip("().").isdigit():
            writer.end()
            writer.begin_list(ordered=ordered, start=int(bare) if ordered else 1)
        lists[-1] = element
    writer.begin_item(number=bare if bare.isalnum() else None)


def _leave(lists: list[Element], element: Element, writer: Writer) -> None:
    """End the lists whose items do not hold this element: it begins left of their text."""
    while lists and (
        element.kind in ("heading", "table", "caption", "footnote")
        or element.box[0] - element.margin < lists[-1].inner - lists[-1].margin - 3
    ):
        _end_list(lists, writer)


def _end_list(lists: list[Element], writer: Writer) -> None:
    writer.end()
    writer.end()
    lists.pop()


# -- text ------------------------------------------------------------------------------------------------------------


def _plain(lines: Iterable[Sequence[Word]], known: set[str]) -> str:
    return _inline(lines, known, set()).plain


def _inline(
    lines: Iterable[Sequence[Word]], known: set[str], notes: set[str], turns: Mapping[int, int] | None = None
) -> Inline:
    """Return lines of words as one inline text: line breaks become spaces, cut words are whole again."""
    inline = Inline()
    pending = ""
    for index, line in enumerate(lines):
        before: Word | None = None
        turn = (turns or {}).get(index)
        for word in line:
            glued = before is not None and touching(before, word)
            if word.raised and word.text in notes:
                _put(inline, pending)
                pending = ""
                inline.note(word.text)
                before = word
                continue
            text = clean_word(word.text)
            if pending and not glued:
                if before is None and _cut(pending, text, known):
                    pending = _uncut(pending, text, known)
                    before = word
                    continue
                _put(inline, pending)
                inline.space()
                pending = text
                if turn is not None:
                    inline.page(turn)
                    turn = None
            else:
                if not pending and not glued:
                    inline.space()
                pending += text
            before = word
    _put(inline, pending)
    inline.finish()
    return inline


def _put(inline: Inline, text: str) -> None:
    if text:
        inline.text(text)


def clean_word(text: str) -> str:
    """Return a word with its ligatures as letters."""
    return _LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m.group()), text)


def _cut(left: str, right: str, known: set[str]) -> bool:
    """Return whether a line ended inside a word."""
    del known
    return len(left) > 1 and left[-1] in f"-\u2010{_SOFT}" and left[-2].isalpha() and right[:1].isalpha()


def _uncut(left: str, right: str, known: set[str]) -> str:
    """Join a word that a line end cut: without its hyphen unless the text elsewhere has it with one."""
    whole, hyphened = left[:-1] + right, f"{left[:-1]}-{right}"
    if left[-1] == _SOFT:
        return whole
    if _bare(whole) in known:
        return whole
    if _bare(hyphened) in known or right[:1].isupper() or _CODE_SIGN.search(left[:-1]):
        return hyphened
    return whole


def _bare(word: str) -> str:
    return word.casefold().strip(".,;:!?()[]\"'“”‘’")


def _words(elements: Iterable[Element]) -> set[str]:
    """Return the words that stand whole on a line."""
    found: set[str] = set()
    for element in elements:
        for line in element.lines:
            found.update(_bare(clean_word(word.text)) for word in line[:-1])
    return found
