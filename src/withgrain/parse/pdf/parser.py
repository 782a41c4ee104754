"""The way of a PDF: pages -> lines -> without page chrome -> tables -> columns -> headings and flow -> Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from withgrain.errors import DocumentError
from withgrain.model import Document, Source
from withgrain.parse.pdf import headings as head
from withgrain.parse.pdf.aligned import aligned_tables
from withgrain.parse.pdf.beside import attached
from withgrain.parse.pdf.chrome import drop_reason, is_contents_line, running_lines
from withgrain.parse.pdf.columns import regions
from withgrain.parse.pdf.flow import CAPTION, Flow, merged
from withgrain.parse.pdf.lines import Line, lines_of
from withgrain.parse.pdf.native import open_pdf, read_bookmarks, read_pages
from withgrain.parse.pdf.page import Bookmark, Page, Word
from withgrain.parse.pdf.ruled import ruled_tables
from withgrain.parse.pdf.tables import Table
from withgrain.parse.pdf.write import write
from withgrain.parse.rendered import Writer

#: Text smaller than this, in points, cannot be read by people.
READABLE = 1.5
#: Private codes of the symbol fonts of Word and LibreOffice -> the sign.
_SYMBOLS = {
    "\uf0b7": "•", "\uf0a7": "▪", "\uf06e": "■", "\uf0d8": "➢", "\uf0fc": "✓", "\uf0fe": "☒", "\uf0a8": "□",
    "\uf06f": "□", "\uf0e0": "→", "\uf076": "◦", "\uf02d": "–", "\uf0be": "–",
}  # fmt: skip
#: What programs write where nobody told them a title or an author.
_NOBODY = re.compile(r"anonymous|unspecified|unknown|\(?untitled\)?|none", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Laid:
    """A page with its text sorted out: tables, lines in reading order, footnotes."""

    page: Page
    tables: tuple[Table, ...]
    regions: tuple[tuple[Line | Table, ...], ...]
    notes: tuple[tuple[Line, ...], ...]


def parse_pdf(data: bytes, source: Source, password: str | None = None, *, outline: bool = True) -> Document:
    """Parse a PDF file.

    Args:
        data: The bytes.
        source: Their identity.
        password: Opens an encrypted file.
        outline: Whether headings may be known from the bookmarks; without, type and numbers alone tell them.

    Raises:
        DocumentError: Encrypted (kind ``encrypted``), damaged (``damaged``), or without any text (``no_text_layer``).
        MissingExtra: The extra ``pdf`` is not installed.
    """
    native = open_pdf(data, password)
    try:
        pages = list(read_pages(native))
        bookmarks = read_bookmarks(native) if outline else []
        meta = _metadata(native)
        files, names = attached(native)
    finally:
        native.close()
    writer = Writer()
    writer.meta.update({k: v for k, v in meta.items() if k != "title"})
    _check_text(pages, writer)
    if files:
        writer.notice("attachments", f"Attached files are not read ({files}): {', '.join(names)}.")
    _leave_comments_out(pages, writer)
    laid, body = lay_out(pages, writer)
    flow = Flow(body)
    _fill(flow, laid, bookmarks, body)
    for number, text in flow.left_out:
        writer.page = number
        writer.drop("heading_label", text)
    write(flow.elements, writer, {p.number: p.label for p in pages if p.label and p.label != str(p.number)})
    return writer.document(source, title=_title(meta.get("title", "")))


def _leave_comments_out(pages: Sequence[Page], writer: Writer) -> None:
    for page in pages:
        writer.page = page.number
        for text in page.comments:
            writer.drop("comment", text)
    writer.page = None
    count = sum(len(page.comments) for page in pages)
    if count:
        writer.notice("comments", f"{count} comments are left out.")


def _metadata(native: Any) -> dict[str, str]:
    found = {}
    for name in ("Title", "Author", "Subject", "Keywords"):
        text = " ".join(str(native.get_metadata_value(name) or "").split())
        if text and not _NOBODY.fullmatch(text):
            found[name.casefold()] = text[:500]
    return found


def _title(own: str) -> str:
    """Return the title that the file names, unless it is the name of a file or a template."""
    return "" if re.search(r"\.\w{2,4}$|^untitled|^microsoft word", own, re.IGNORECASE) else own


def _check_text(pages: Sequence[Page], writer: Writer) -> None:
    """Raise when there is no text at all; warn of pages that show an image and no text."""
    if not any(page.words for page in pages):
        raise DocumentError(
            f"The PDF has {len(pages)} page{'s' * (len(pages) != 1)} and no text layer: it holds images or drawings "
            "only. Add a text layer first, for example with OCRmyPDF.",
            kind="no_text_layer",
        )
    blank = [page.number for page in pages if not page.words and page.images]
    if blank:
        shown = ", ".join(map(str, blank[:20])) + (" …" if len(blank) > 20 else "")
        writer.notice("no_text_layer", f"Pages without a text layer (images only): {shown}. Their text is not read.")


def lay_out(pages: Sequence[Page], writer: Writer) -> tuple[list[Laid], head.Typography]:
    """Sort out the text of all pages: take away what no reader sees and what belongs to the page."""
    visible = []
    for page in pages:
        writer.page = page.number
        words = _visible(page, writer)
        visible.append((page, words, lines_of(page, words)))
    running = running_lines([(page, lines) for page, _, lines in visible])
    body = head.typography(line for _, _, lines in visible for line in lines)
    laid = []
    beside = [None, *pages, None]
    for (page, words, lines), before, after in zip(visible, beside, beside[2:], strict=False):
        writer.page = page.number
        taken = running[page.number]
        for line in lines:
            if line in taken:
                writer.drop(drop_reason(page, line), line.text)
        gone = {id(w) for line in taken for w in line.words}
        kept = [w for w in words if id(w) not in gone]
        tables, rest = ruled_tables(page, kept, before, after)
        laid.append(_lay_page(page, tables, lines_of(page, rest), body, writer))
    writer.page = None
    return laid, body


def _visible(page: Page, writer: Writer) -> list[Word]:
    """Return the words that a reader sees; text without ink counts where the page is an image of it (OCR)."""
    inked = [w for w in page.words if not w.face.hidden]
    recognised = page.images and len(inked) < 0.2 * len(page.words)
    kept: list[Word] = []
    hidden: list[str] = []
    drawn: set[tuple[str, int, int]] = set()
    for word in page.words:
        x, y = round(word.x0 / 1.5), round(word.base / 1.5)
        if any((word.text, x + i, y + j) in drawn for i in (-1, 0, 1) for j in (-1, 0, 1)):
            continue  # drawn again a hair's breadth away: a bold face or a shadow
        drawn.add((word.text, x, y))
        away = word.x1 < -1 or word.x0 > page.width + 1 or word.base < -1
        if away or word.face.size < READABLE or (word.face.hidden and not recognised):
            hidden.append(word.text)
        else:
            kept.append(_with_known_sign(word))
    if hidden:
        writer.drop("hidden", " ".join(hidden))
        writer.notice("hidden_text", "Text that no reader sees (without ink, off the page, tiny) is left out.")
    return kept


def _with_known_sign(word: Word) -> Word:
    """Return a bullet of a symbol font, which has a private code, as the sign that it shows."""
    return replace(word, text=_SYMBOLS[word.text]) if word.text in _SYMBOLS else word


def _lay_page(
    page: Page, tables: Sequence[Table], lines: Sequence[Line], body: head.Typography, writer: Writer
) -> Laid:
    notes, lines = _footnotes(page, lines, body)
    lines = _without_contents(lines, writer)
    boxes = [_stand_in(table) for table in tables]
    by_box = {id(box): table for box, table in zip(boxes, tables, strict=True)}
    found: list[tuple[Line | Table, ...]] = []
    for region in regions([*lines, *boxes]):
        items: list[Line | Table] = []
        run: list[Line] = []
        for line in region:
            if id(line) in by_box:
                items.extend(aligned_tables(run, page.rules))
                run = []
                items.append(by_box[id(line)])
            else:
                run.append(line)
        items.extend(aligned_tables(run, page.rules))
        found.append(tuple(items))
    return Laid(page, tuple(tables), tuple(found), tuple(notes))


def _stand_in(table: Table) -> Line:
    """Return a line as wide as a table: what reading order is found with."""
    from withgrain.parse.pdf.page import Face

    word = Word("table " * 12, table.x0, table.x1, table.top, Face(10.0))
    return Line((word,), table.x0, table.x1, table.top, table.page)


def _without_contents(lines: Sequence[Line], writer: Writer) -> list[Line]:
    """Leave out the lines of a table of contents: the outline of the text itself says the same."""
    rows: dict[float, list[Line]] = {}
    for line in lines:
        rows.setdefault(round(line.base), []).append(line)
    led = {base for base, row in rows.items() if is_contents_line(" ".join(line.text for line in row))}
    if len(led) < 3:
        return list(lines)
    edges = {round(rows[base][-1].x1 / 2) for base in led}
    led |= {base for base, row in rows.items() if row[-1].words[-1].text.isdigit() and round(row[-1].x1 / 2) in edges}
    for base in sorted(led):
        writer.drop("table_of_contents", " ".join(line.text for line in rows[base]))
    return [line for line in lines if round(line.base) not in led]


def _footnotes(page: Page, lines: Sequence[Line], body: head.Typography) -> tuple[list[tuple[Line, ...]], list[Line]]:
    """Part the footnotes at the bottom of a page from its text: small lines that begin with a mark of the text."""
    marks = {w.text for line in lines for w in line.words[1:] if w.raised and len(w.text) <= 3}
    if not marks:
        return [], list(lines)
    small = [line for line in lines if line.size <= 0.93 * body.size and line.base > 0.5 * page.height]
    notes: list[list[Line]] = []
    taken: set[int] = set()
    for line in sorted(small, key=lambda item: item.base):
        first = line.words[0]
        begins = first.text in marks and (first.face.size < 0.9 * line.size or first.raised or len(line.words) > 1)
        if begins:
            notes.append([line])
            taken.add(id(line))
        elif notes and line.base - notes[-1][-1].base < 1.6 * line.size:
            notes[-1].append(line)
            taken.add(id(line))
    return [tuple(n) for n in notes], [line for line in lines if id(line) not in taken]


# -- headings --------------------------------------------------------------------------------------------------------


def _fill(flow: Flow, laid: Sequence[Laid], bookmarks: Sequence[Bookmark], body: head.Typography) -> None:
    """Give everything to the flow in reading order, headings with their levels."""
    marks = head.outline_levels(bookmarks)
    groups = [(page, list(_groups(page, marks.get(page.page.number, ()), body))) for page in laid]
    known: dict[head.Style, Counter[int]] = {}
    others: Counter[head.Style] = Counter()
    depths: dict[head.Style, Counter[int]] = {}
    for _, items in groups:
        for lines, level, kind in items:
            if kind == "heading":
                style = head.style_of(lines[0])
                if level is not None:
                    known.setdefault(style, Counter())[level] += 1
                else:
                    others[style] += 1
                    depths.setdefault(style, Counter())[head.number_depth(lines[0].text)] += 1
    levels = head.levels_by_style(others, known)
    foreign = {style for style in others if known and style > max(known)}  # larger than all that the outline names
    for page, items in groups:
        for index, (lines, level, kind) in enumerate(items):
            following = items[index + 1][2] if index + 1 < len(items) else ""
            if kind == "heading" and following == "heading" and level is None and head.is_chapter_label(lines[0].text):
                flow.left_out.append((page.page.number, lines[0].text))
            elif kind == "region":
                flow.begin_region(lines)
            elif kind == "heading" and level is None and head.style_of(lines[0]) in foreign and page.page.number > 1:
                for line in lines:
                    flow.line(line)
            elif kind == "heading":
                style = head.style_of(lines[0])
                own = _numbered(lines[0], levels[style], depths.get(style, Counter())) if level is None else level
                flow.heading(lines, own)
            elif isinstance(lines, Table):
                flow.table(lines)
            else:
                flow.line(lines[0])
        for note in page.notes:
            mark = note[0].words[0].text
            first = Line(note[0].words[1:], note[0].x0, note[0].x1, note[0].base, note[0].page)
            flow.footnote([first, *note[1:]], mark)


def _numbered(line: Line, level: int, depths: Counter[int]) -> int:
    """Set headings of one style apart by the depth of their numbers."""
    depth = head.number_depth(line.text)
    shallow = min((d for d in depths if d), default=0)
    return min(level + depth - shallow, 6) if depth and shallow else level


def _groups(laid: Laid, marks: Sequence[tuple[str, int, float | None]], body: head.Typography) -> Iterator[Any]:
    """Yield (lines or table, level, kind) of a page; lines of one heading together."""
    for region in laid.regions:
        plain = [item for item in region if isinstance(item, Line)]
        yield plain, None, "region"
        rows = _rows(region)
        index = 0
        while index < len(rows):
            row = rows[index]
            if isinstance(row, Table):
                yield row, None, "table"
                index += 1
                continue
            stop, level = _heading(rows, index, marks, body)
            if stop > index:
                yield rows[index:stop], level, "heading"
                index = stop
                continue
            yield [row], None, "line"
            index += 1


def _rows(region: Sequence[Line | Table]) -> list[Line | Table]:
    out: list[Line | Table] = []
    pending: list[Line] = []
    for item in region:
        if isinstance(item, Line) and pending and item.base - pending[0].base <= 0.3 * item.size:
            pending.append(item)
            continue
        if pending:
            out.append(merged(pending))
            pending = []
        if isinstance(item, Line):
            pending = [item]
        else:
            out.append(item)
    if pending:
        out.append(merged(pending))
    return out


def _heading(
    rows: Sequence[Line | Table], index: int, marks: Sequence[tuple[str, int, float | None]], body: head.Typography
) -> tuple[int, int | None]:
    """Return the index behind the heading that begins at ``index`` and its level; ``index`` where none begins."""
    lines: list[Line] = []
    for row in rows[index : index + 4]:
        if isinstance(row, Table) or (lines and not _goes_on(lines[-1], row)):
            break
        lines.append(row)
    for count in range(len(lines), 0, -1):
        level = head.outline_level(lines[:count], marks) if marks else None
        if level is not None and lines[0].size >= 0.9 * body.size:
            return index + count, level
    first = lines[0] if lines else None
    if first is None or CAPTION.match(first.text):
        return index, None
    same = [first]
    for line in lines[1:]:
        if head.style_of(line) != head.style_of(first):
            break
        same.append(line)
    tagged = head.tag_level(same)
    if tagged is not None:
        return index + len(same), tagged
    if body.tagged:
        return index, None
    if head.looks_like_heading(same, body, apart=_apart(rows, index, index + len(same), body)):
        return index + len(same), None
    return index, None


def _goes_on(above: Line, below: Line) -> bool:
    return below.page == above.page and 0 < below.base - above.base < 1.6 * max(above.size, below.size)


def _apart(rows: Sequence[Line | Table], start: int, stop: int, body: head.Typography) -> bool:
    """Return whether more room than between lines is above, and text below."""
    first = rows[start]
    if not isinstance(first, Line) or stop >= len(rows):
        return False
    below = rows[stop]
    if isinstance(below, Line) and below.bold and below.size == first.size:
        return False
    if start == 0:
        return True
    above = rows[start - 1]
    if isinstance(above, Table):
        return True
    return first.base - above.base > 1.4 * body.size or above.base > first.base
