"""Blocks that hold text: headings, paragraphs, code, formulas, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from withgrain.model import Block
from withgrain.parse.build import make_span
from withgrain.parse.numbers import clause_number, printed_number
from withgrain.parse.rendered.canvas import Canvas
from withgrain.parse.rendered.embedded import read_markdown
from withgrain.parse.rendered.escape import escape_heading, escape_line
from withgrain.parse.rendered.inline import Inline, clean
from withgrain.parse.rendered.table import Line, Row, grid, table_lines

if TYPE_CHECKING:
    from withgrain.model import BlockKind


class Leaves(Canvas):
    """Writes blocks that hold text."""

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
        inline = as_inline(content)
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
            above = as_inline(caption)
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

    def _take_lead(self) -> str:
        frame = self._frames[-1]
        lead, frame.lead = frame.lead, ""
        return lead

    def _write_lead(self) -> None:
        """Write a printed number as a paragraph of its own: what follows is none that could begin with it."""
        lead = self._take_lead()
        if lead:
            self.paragraph(lead)


def as_inline(content: Inline | str) -> Inline:
    """Return content that may be plain words as inline content, with nothing left open."""
    inline = Inline(content) if isinstance(content, str) else content
    inline.finish()
    return inline
