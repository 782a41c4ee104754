"""Writes canonical Markdown and its blocks together: every rendered format builds its document with this.

The parser of a format says what it meets, in reading order: a heading, a paragraph, the begin and end of a list. The
writer puts it down as Markdown that reads back as the same blocks, and notes where each stands: spans are exact because
they are made with the text. A container that stays empty leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from withgrain.model import Block, Document, Drop, Notice, Source, Span, document_id, label
from withgrain.parse.build import make_span
from withgrain.parse.links import resolve_links
from withgrain.parse.numbers import clause_number, printed_number
from withgrain.parse.rendered.embedded import read_markdown
from withgrain.parse.rendered.escape import escape_heading, escape_line, line_escape
from withgrain.parse.rendered.frame import Frame
from withgrain.parse.rendered.inline import Inline, clean
from withgrain.parse.rendered.table import Line, Row, grid, table_lines
from withgrain.parse.tile import tile
from withgrain.parse.title import title_of

if TYPE_CHECKING:
    from withgrain.model import BlockKind

#: Containers deeper than this keep their content, which then belongs to the innermost one that was written.
MAX_DEPTH = 12
#: Drops that are listed one by one; the text of later ones joins the last of their reason.
MAX_DROPS = 2_000

_ALERTS = {
    "note": "NOTE", "info": "NOTE", "tip": "TIP", "hint": "TIP", "important": "IMPORTANT", "warning": "WARNING",
    "attention": "WARNING", "caution": "CAUTION", "danger": "CAUTION", "error": "CAUTION",
}  # fmt: skip


class Writer:
    """A document in the making.

    Attributes:
        page: 1-based page of what is written next; None for formats without pages.
        origin: Where the source has what is written next (a box, a DOM path, sheet and cells).
        meta: Metadata of the document: ``url``, ``language``, ``title`` and the format's own.
        notices: Warnings.
    """

    def __init__(self) -> None:
        self.page: int | None = None
        self.origin: str | None = None
        self.meta: dict[str, Any] = {}
        self.notices: list[Notice] = []
        self._parts: list[str] = []
        self._at = 0
        self._frames = [Frame(None)]
        self._frames[0].start = 0
        self._skipped: list[int] = []
        self._links: list[tuple[int, int, str]] = []
        self._anchors: list[str] = []
        self._places: dict[str, Span] = {}
        self._drops: list[Drop] = []
        self._page_starts: list[tuple[int, int]] = []

    # -- leaves ------------------------------------------------------------------------------------------------------

    def heading(self, text: str, level: int, *, anchor: str | None = None, number: str | None = None) -> None:
        """Write a heading; its text is plain words. ``number`` is the printed one where ``text`` does not show it."""
        plain = " ".join(clean(text).split())
        if not plain:
            return
        if number and not plain.startswith(number):
            plain = f"{number} {plain}"
        level = min(max(level, 1), 6)
        start = self._leaf("heading", [f"{'#' * level} {escape_heading(plain)}"])
        content = make_span(start + level + 1, self._at - 1)
        self._add(
            "heading",
            start,
            content=content,
            attrs={"text": plain},
            level=level,
            anchor=anchor,
            number=number or printed_number(plain),
        )

    def paragraph(self, content: Inline | str, *, anchor: str | None = None, number: str | None = None) -> None:
        """Write a paragraph; a figure when it holds images only.

        ``number`` is a printed clause number; where it is None, the number that the text begins with counts.
        """
        inline = _inline(content)
        lead = self._take_lead()
        if not inline:
            if lead:
                self._frames[-1].lead = lead
            return
        text = f"{lead} {inline.markdown}" if lead else inline.markdown
        lines = text.split("\n")
        kind: BlockKind = "figure" if inline.is_figure and not lead else "paragraph"
        start = self._leaf(kind, [escape_line(line) for line in lines])
        page = self.page
        self._note_links(inline, lines, start, len(lead) + 1 if lead else 0)
        after, self.page = self.page, page
        self._add(kind, start, number=number or clause_number(text, 0, len(text)), anchor=anchor)
        self.page = after

    def code(self, text: str, language: str = "", *, anchor: str | None = None) -> None:
        """Write a code block: the lines exactly, the fence longer than any run of backticks in them."""
        text = clean(text).replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
        if not text.strip():
            return
        self._write_lead()
        longest = run = 0
        for sign in text:
            run = run + 1 if sign == "`" else 0
            longest = max(longest, run)
        fence = "`" * max(3, longest + 1)
        language = "".join(language.split()).replace("`", "")
        start = self._leaf("code", [fence + language])
        body = self._at
        indent = self._indent()
        for line in text.split("\n"):
            self._write(f"{indent}{line}\n" if line else f"{indent.rstrip()}\n")
        content = make_span(body, self._at)
        self._write(f"{indent}{fence}\n")
        attrs = {"fence": fence + language, "fence_end": fence}
        if language:
            attrs["language"] = language
        if indent and indent.isspace():
            attrs["indent"] = indent
        self._add("code", start, content=content, attrs=attrs, anchor=anchor)

    def math(self, tex: str, *, anchor: str | None = None) -> None:
        """Write a display formula in TeX."""
        lines = [line.strip() for line in clean(tex).splitlines() if line.strip()]
        if not lines:
            return
        if any("$$" in line for line in lines):
            self.code("\n".join(lines), "latex", anchor=anchor)
            return
        self._write_lead()
        inside = len(self._frames) > 1  # there a line that begins like a block would be one
        start = self._leaf("math", [f"$${' '.join(lines)}$$"] if inside else ["$$", *lines, "$$"])
        self._add("math", start, content=make_span(start + 2, self._at - 3), anchor=anchor)

    def figure(
        self, alt: str, target: str = "", caption: Inline | str | None = None, *, anchor: str | None = None
    ) -> None:
        """Write an image by its description, then its caption."""
        image = Inline()
        image.image(alt, target)
        self.paragraph(image, anchor=anchor)
        if caption:
            self.paragraph(caption)

    def rule(self) -> None:
        """Write a thematic break."""
        self._write_lead()
        self._add("rule", self._leaf("rule", ["___"]))

    def table(
        self,
        rows: Sequence[Row],
        *,
        header: int = 1,
        caption: Inline | str | None = None,
        origins: Sequence[str | None] = (),
        pages: Sequence[int | None] = (),
        anchor: str | None = None,
    ) -> None:
        """Write a table.

        Args:
            rows: Its rows; each a sequence of cells: text, `Inline`, or `Cell` where one spans rows or columns.
            header: How many of the rows are the header; several become one, the names of a column joined with " / ".
            caption: Stands in front of the table and is repeated with its header wherever the table is cut.
            origins: Where the source has each of ``rows``.
            pages: Page of each of ``rows``, for a table over several pages.
            anchor: Of the table.
        """
        whole = grid(rows, header, origins, pages)
        if not whole.rows and not any(cell for cell in whole.header):
            return
        self._write_lead()
        attrs = {"columns": str(len(whole.header))}
        if caption:
            above = _inline(caption)
            self.paragraph(above)
            if above:
                attrs["caption"] = above.plain
        start = self._leaf("table", [])
        prefix, indent = self._first, self._indent()
        children = []
        for index, line in enumerate(table_lines(whole)):
            children.append(self._row(prefix if index == 0 else indent, line))
        self._add("table", start, children=tuple(children), attrs=attrs, anchor=anchor)

    def _row(self, before: str, line: Line) -> Block:
        start = self._at if before.isspace() else self._at + len(before)
        if line.page is not None:
            self.page = line.page
        self._turn(self._at, self.page)
        self._write(before)
        cells: list[Block] = []
        for cell in line.cells:
            self._write("| ")
            place = self._at
            cells.append(Block(kind="table_cell", span=make_span(place, place + len(cell.markdown))))
            self._links += [(place + begin, place + end, target) for begin, end, target in cell.links]
            self._write(f"{cell.markdown} " if cell else "")
        self._write("|\n")
        return Block(
            kind="table_row",
            span=make_span(start, self._at),
            children=() if line.role == "delimiter" else tuple(cells),
            attrs={"role": line.role},
            page=self.page,
            origin=line.origin,
        )

    def markdown(self, text: str, *, anchor: str | None = None) -> None:
        """Write text that is Markdown already (the cell of a notebook), with the blocks that its parser finds.

        ``anchor`` becomes that of its first block and of its headings. Inside a container it is written as code.
        """
        if len(self._frames) > 1:
            self.code(text, "markdown", anchor=anchor)
            return
        text = clean(text).replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"
        if not text.strip():
            return
        if self._frames[0].children:
            self._write("\n")
        base = self._at
        blocks, links = read_markdown(text, base)
        self._write(text)
        self._links += links
        for index, block in enumerate(blocks):
            name = anchor if index == 0 or block.kind == "heading" else block.anchor
            placed = replace(block, page=self.page, origin=self.origin, anchor=name or block.anchor)
            self._frames[0].children.append(placed)
            for known in {block.anchor, placed.anchor} - {None}:
                self._places.setdefault(str(known), block.span)

    # -- containers --------------------------------------------------------------------------------------------------

    def begin_list(self, *, ordered: bool = False, start: int = 1) -> None:
        """Begin a list; `end` ends it. Between the two stand items only."""
        frame = Frame("list", attrs={"ordered": "1"} if ordered else None)
        before = self._frames[-1]
        first, second = (".", ")") if ordered else ("-", "*")
        adjacent = bool(before.children) and before.children[-1].kind == "list" and before.last_list == first
        frame.sign = second if adjacent else first
        frame.next_number = start
        self._push(frame)

    def begin_item(self, *, number: str | None = None, task: bool | None = None, anchor: str | None = None) -> None:
        """Begin an item of the open list; `end` ends it.

        ``number`` is what is printed in front of it ("3", "4.2", "(a)"); in an ordered list None counts on.
        """
        outer = self._list_for(number)
        ordered = "ordered" in outer.attrs
        if number is None and ordered:
            number = str(outer.next_number)
        bare = (number or "").strip("().")
        if ordered:
            outer.next_number = int(bare) + 1
            marker, lead = f"{bare}{outer.sign} ", ""
        else:
            marker, lead = f"{outer.sign or '-'} ", number or ""
        attrs = {"marker": marker.strip()}
        indent = " " * len(marker)
        if task is not None:
            attrs["task"] = "x" if task else " "
            marker += f"[{attrs['task']}] "
        frame = Frame("list_item", marker=marker, indent=indent, attrs=attrs, number=bare or None)
        frame.lead = lead
        frame.anchor = anchor
        self._push(frame)

    def begin_quote(self) -> None:
        """Begin a quotation; `end` ends it."""
        self._push(Frame("quote", marker="> ", indent="> "))

    def begin_admonition(self, kind: str, title: str = "") -> None:
        """Begin a note, warning or the like with its type (one lower-case word) and title; `end` ends it."""
        title = label(" ".join(clean(title).split())).strip(" []{}\"'")
        attrs = {"type": kind, "title": title}
        inside = [frame.kind for frame in self._frames[1:]]
        if all(outer == "admonition" for outer in inside) and len(inside) < 3:
            frame = Frame("admonition", opening=(f":::{kind} {title}".rstrip(),), attrs=attrs)
            frame.closing = ":::"
            self._push(frame)
            return
        alert = f"[!{_ALERTS.get(kind, 'NOTE')}]"
        frame = Frame("admonition", marker="> ", indent="> ", opening=(alert,), attrs=attrs)
        frame.marked_opening = True
        self._push(frame)
        if title:
            self.paragraph(title)

    def begin_definition(self, terms: Sequence[Inline | str], *, anchor: str | None = None) -> None:
        """Begin the description of one or several terms; `end` ends it."""
        names = [_inline(term) for term in terms]
        shown = [escape_line(" ".join(name.markdown.split("\n"))) for name in names if name]
        if not shown or len(self._frames) > MAX_DEPTH:
            for name in names:
                self.paragraph(name)
            self._skipped.append(len(self._frames))
            return
        attrs = {"term": " / ".join(name.plain for name in names if name)}
        frame = Frame(
            "definition", marker=": ", indent="  ", opening=[escape_line(term) for term in shown], attrs=attrs
        )
        frame.anchor = anchor
        self._push(frame)

    def next_description(self) -> None:
        """Begin another description of the same terms."""
        frame = self._frames[-1]
        if frame.kind == "definition":
            frame.pending = True

    def begin_footnote(self, name: str, *, anchor: str | None = None) -> None:
        """Begin the text of a footnote, to which `Inline.note` with the same name refers; `end` ends it."""
        name = "".join(clean(name).split()).replace("]", "").replace("[", "") or "note"
        frame = Frame("footnote", marker=f"[^{name}]: ", indent="    ", attrs={"label": name})
        frame.anchor = anchor
        self._push(frame)

    def end(self) -> None:
        """End the innermost open container."""
        if self._skipped and self._skipped[-1] == len(self._frames):
            self._skipped.pop()
            return
        frame = self._frames[-1]
        if frame.start < 0 and (frame.lead or frame.attrs.get("title")):
            if frame.lead:
                self._write_lead()
            else:
                self._enter("paragraph")
        self._frames.pop()
        if frame.start < 0 or frame.kind is None:
            return
        stop = self._at
        if frame.closing:
            self._write(f"{self._indent()}{frame.closing}\n")
        block = Block(
            kind=frame.kind,
            span=make_span(frame.start, self._at),
            content=None if frame.kind == "list" else make_span(min(frame.body, stop), stop),
            number=frame.number,
            children=tuple(frame.children),
            page=frame.page,
            anchor=frame.anchor,
            origin=frame.origin,
            attrs=frame.attrs,
        )
        outer = self._frames[-1]
        outer.children.append(block)
        if frame.kind == "list":
            outer.last_list = frame.sign

    # -- beside the text ---------------------------------------------------------------------------------------------

    def anchor(self, name: str) -> None:
        """Note a place that links can point to: that of the block that is written next."""
        if name and len(self._anchors) < 1_000:
            self._anchors.append(name)

    def drop(self, reason: str, text: str = "") -> None:
        """List something that is left out of the text, with the reason."""
        text = clean(text)
        if len(self._drops) < MAX_DROPS:
            self._drops.append(Drop(span=None, reason=reason, text=text))
            return
        last = self._drops[-1]
        self._drops[-1] = Drop(span=None, reason=last.reason, text=f"{last.text} {text}".strip())

    def notice(self, kind: str, message: str) -> None:
        """Add a warning, once for every kind and message."""
        if not any(n.kind == kind and n.message == message for n in self.notices):
            self.notices.append(Notice(kind=kind, message=message))

    @property
    def empty(self) -> bool:
        """Whether nothing was written so far."""
        return not self._parts

    def document(self, source: Source, *, title: str = "") -> Document:
        """End everything that is open and return the document.

        Args:
            source: Identity of the bytes.
            title: The format's own title: counts where no metadata and no only H1 name one.
        """
        while len(self._frames) > 1 or self._skipped:
            self.end()
        text = "".join(self._parts)
        blocks = tile(text, self._frames[0].children, 0, len(text), lambda start, end: [])
        notices = list(self.notices)
        if not text:
            notices.append(Notice(kind="empty_document", message="The document holds no text."))
        return Document(
            id=document_id(source.uri),
            source=source,
            title=title_of(self.meta, blocks, source, own=title),
            text=text,
            blocks=tuple(blocks),
            dropped=tuple(self._drops),
            links=resolve_links(text, blocks, self._links, self._places),
            meta=self.meta,
            notices=tuple(notices),
            rendered=True,
            page_starts=tuple(self._page_starts),
        )

    # -- writing -----------------------------------------------------------------------------------------------------

    def _push(self, frame: Frame) -> None:
        if len(self._frames) > MAX_DEPTH and frame.kind != "list_item":
            self._skipped.append(len(self._frames))
            return
        if frame.kind == "list_item" and self._frames[-1].kind != "list":
            self._skipped.append(len(self._frames))
            return
        self._write_lead()
        frame.page, frame.origin = self.page, self.origin
        self._frames.append(frame)

    def _list_for(self, number: str | None) -> Frame:
        """Return the open list; a new list of bullets where an ordered one cannot hold an item with this number."""
        outer = self._frames[-1]
        bare = (number or "1").strip("().")
        if "ordered" in outer.attrs and not (bare.isascii() and bare.isdecimal() and len(bare) < 9):
            self.end()
            self.begin_list()
        return self._frames[-1]

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._at += len(text)

    def _indent(self) -> str:
        return "".join([frame.indent for frame in self._frames])

    def _take_lead(self) -> str:
        frame = self._frames[-1]
        lead, frame.lead = frame.lead, ""
        return lead

    def _write_lead(self) -> None:
        """Write a printed number as a paragraph of its own: what follows is none that could begin with it."""
        lead = self._take_lead()
        if lead:
            self.paragraph(lead)

    def _leaf(self, kind: BlockKind, lines: Sequence[str]) -> int:
        """Write the lines of a block behind the markers of its containers; return its start."""
        prefix = self._first = self._enter(kind)
        start = self._at if not prefix or prefix.isspace() else self._at + len(prefix)
        indent = self._indent()
        self._turn(start, self.page)
        for index, line in enumerate(lines):
            self._write(f"{prefix if index == 0 else indent}{line}\n")
        return start

    def _enter(self, kind: BlockKind) -> str:
        """Write the blank line before a block and what opens its containers; return what stands before its line."""
        frames = self._frames
        first = next((i for i, frame in enumerate(frames) if frame.start < 0), len(frames))
        outer = frames[first - 1]
        following = frames[first] if first < len(frames) else None
        if outer.children and not _tight(outer, following, kind):
            self._write("".join([frame.indent for frame in frames[:first]]).rstrip() + "\n")
        prefix = ""
        for depth, frame in enumerate(frames):
            if frame.start < 0:
                frame.start = self._at if not prefix or prefix.isspace() else self._at + len(prefix)
                if frame.opening:
                    self._open(frame, prefix)
                    prefix = "".join([outer.indent for outer in frames[:depth]])
                    if frame.marked_opening and (frame is not frames[-1] or kind != "paragraph"):
                        self._write(f"{prefix}{frame.indent}".rstrip() + "\n")
            prefix += frame.marker if frame.pending else frame.indent
            frame.pending = False
            if frame.body < 0:
                frame.body = self._at + len(prefix)
        return prefix

    def _open(self, frame: Frame, prefix: str) -> None:
        outer = self._outer_indent(frame)
        for index, line in enumerate(frame.opening):
            before = prefix if index == 0 else outer
            if frame.marked_opening:
                before += frame.marker
                frame.pending = False
            self._write(f"{before}{line}\n")

    def _outer_indent(self, frame: Frame) -> str:
        return "".join([outer.indent for outer in self._frames[: self._frames.index(frame)]])

    def _add(
        self,
        kind: BlockKind,
        start: int,
        *,
        content: Span | None = None,
        children: tuple[Block, ...] = (),
        attrs: Mapping[str, str] | None = None,
        level: int | None = None,
        number: str | None = None,
        anchor: str | None = None,
    ) -> None:
        span = make_span(start, self._at)
        names = [*([anchor] if anchor else []), *self._anchors]
        self._anchors.clear()
        for name in names:
            self._places.setdefault(name, span)
        self._frames[-1].children.append(
            Block(
                kind=kind,
                span=span,
                content=content,
                level=level,
                number=number,
                children=children,
                page=self.page,
                anchor=names[0] if names else None,
                origin=self.origin,
                attrs=attrs or {},
            )
        )

    def _turn(self, at: int, page: int | None) -> None:
        """Note that the text from ``at`` on stands on ``page``."""
        if page is not None and (not self._page_starts or self._page_starts[-1][1] != page):
            self._page_starts.append((at, page))

    def _note_links(self, inline: Inline, lines: Sequence[str], start: int, shift: int) -> None:
        """Note the links of a paragraph that was just written, mapped from its content into the text."""
        if not inline.links and not inline.pages:
            return
        indent = len(self._indent())
        starts: list[tuple[int, int, int]] = []  # offset in the content, offset in the text, where a backslash stands
        inside, written = 0, start
        if self._first and self._first.isspace():
            written += len(self._first)
        for line in lines:
            escape = line_escape(line)
            starts.append((inside, written, escape))
            inside += len(line) + 1
            written += len(line) + 1 + (escape >= 0) + indent
        for begin, end, target in inline.links:
            self._links.append((_mapped(begin + shift, starts), _mapped(end + shift, starts), target))
        for offset, page in inline.pages:
            self.page = page
            self._turn(_mapped(offset + shift, starts), page)


def _inline(content: Inline | str) -> Inline:
    inline = Inline(content) if isinstance(content, str) else content
    inline.finish()
    return inline


def _tight(outer: Frame, following: Frame | None, kind: str) -> bool:
    """Return whether no blank line is needed in front of the next block of a container."""
    if outer.kind == "list" or outer.pending:
        return True
    if outer.kind != "list_item" or following is None or following.kind != "list":
        return False
    return (
        len(outer.children) == 1
        and outer.children[0].kind == "paragraph"
        and (following.attrs.get("ordered") is None or following.next_number == 2)
    )


def _mapped(offset: int, lines: Sequence[tuple[int, int, int]]) -> int:
    at = 0
    while at + 1 < len(lines) and lines[at + 1][0] <= offset:
        at += 1
    inside, written, escape = lines[at]
    return written + offset - inside + (0 <= escape <= offset - inside)
