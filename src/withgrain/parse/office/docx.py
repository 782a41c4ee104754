"""DOCX: a walk over the body that tells the writer what stands there."""

from __future__ import annotations

from typing import Any

from withgrain.errors import DocumentError
from withgrain.model import Document, Source
from withgrain.parse.office.charts import write_graphic
from withgrain.parse.office.docx_tables import header_rows, table_rows
from withgrain.parse.office.inlines import Found, Runs
from withgrain.parse.office.lists import Lists
from withgrain.parse.office.numbering import read_numbering
from withgrain.parse.office.package import Package, attribute, child, local, number, value
from withgrain.parse.office.styles import Style, is_on, read_styles
from withgrain.parse.rendered import Inline, Writer

#: Text boxes and structured tags inside each other deeper than this are read no further.
MAX_DEPTH = 24


def parse_docx(data: bytes, source: Source) -> Document:
    """Parse a DOCX file.

    Tracked insertions are in the text and deletions out, comments, headers and footers are left out; all are reported.

    Raises:
        DocumentError: Encrypted, damaged, too large or hostile.
        MissingExtra: The extra ``office`` is not installed.
    """
    package = Package(data, "DOCX")
    main = package.main("word/document.xml")
    body = child(package.xml(main), "body")
    if body is None:
        raise DocumentError("The DOCX document has no body: it is damaged.", kind="damaged")
    walk = Walk(package, main, body)
    walk.blocks(body, 0)
    walk.finish()
    properties = package.properties()
    walk.writer.meta.update({k: v for k, v in properties.items() if k != "title"})
    return walk.writer.document(source, title=properties.get("title", ""))


class Walk:
    """The walk over one document."""

    def __init__(self, package: Package, main: str, body: Any) -> None:
        folder = main.rpartition("/")[0]
        self.package, self.folder, self.main = package, folder, main
        self.writer = Writer()
        self.styles, self.default = read_styles(package.xml_if(f"{folder}/styles.xml"))
        self.numbering = read_numbering(package.xml_if(f"{folder}/numbering.xml"))
        self.runs = Runs(package.relations(main), self.styles)
        self.runs.pages = next((True for e in body.iter() if local(e) == "lastRenderedPageBreak"), False)
        self.lists = Lists(self.writer, self.numbering)
        self.titled = any(self._style(p).is_title for p in body.iter() if local(p) == "p")
        self.notes = {"": self._notes("footnotes"), "e": self._notes("endnotes")}
        self.pending: list[str] = []
        self.written: set[str] = set()
        self.code: list[str] = []
        self.caption: Inline | None = None
        self.graphics: list[Any] = []
        self.paged = self.runs.pages

    # -- blocks ------------------------------------------------------------------------------------------------------

    def blocks(self, parent: Any, depth: int) -> None:
        """Read paragraphs and tables."""
        if depth > MAX_DEPTH:
            self.writer.notice("too_deep", "Content nested too deep is left out.")
            return
        for element in parent:
            name = local(element)
            if name == "p":
                self.paragraph(element, depth)
            elif name == "tbl":
                self.table(element, depth)
            elif name == "sdt":
                if _is_contents(element):
                    self._leave_out(element)
                else:
                    content = child(element, "sdtContent")
                    if content is not None:
                        self.blocks(content, depth + 1)
            elif name in ("customXml", "smartTag", "ins", "moveTo"):
                self.blocks(element, depth + 1)
            elif name == "AlternateContent":
                chosen = child(element, "Choice")
                if chosen is not None:
                    self.blocks(chosen, depth + 1)

    def paragraph(self, element: Any, depth: int) -> None:
        """Read a paragraph."""
        style = self._style(element)
        properties = child(element, "pPr")
        if style.is_contents:
            self._leave_out(element)
            return
        if is_on(properties, "pageBreakBefore") and not self.runs.pages:
            self.runs.page += 1
            self.paged = True
        inline = Inline()
        found = self.runs.read(element, inline)
        self.paged = self.paged or self.runs.turned
        inside = self.runs.page - found.breaks
        self.writer.page = (inside if inline else self.runs.page) if self.paged else None
        for name in found.anchors:
            self.writer.anchor(name)
        self._write(element, style, inline, found)
        self.pending.extend(found.notes)
        for box in found.boxes:
            self._flush()
            self.blocks(box, depth + 1)
        self._graphics(found)
        if not self.lists.open:
            self._write_notes()

    def _graphics(self, found: Found) -> None:
        """Write the charts and diagrams that stand in a paragraph."""
        for graphic in found.graphics:
            self._flush()
            write_graphic(self.writer, self.package, graphic, self.runs.relations)

    def _write(self, element: Any, style: Style, inline: Inline, found: Found) -> None:
        properties = child(element, "pPr")
        mono = found.characters > 0 and found.mono == found.characters
        if (style.is_code or style.mono or mono) and inline and not style.level:
            self.lists.close_unless_indented(_left(properties))
            self.code.append(_code_line(element))
            return
        self._flush_code()
        if not inline:
            return
        level = _outline(properties, style)
        identity, deep = self._numbered(properties, style)
        if style.is_title:
            self._flush()
            self.writer.heading(inline.plain, 1)
        elif level:
            self._flush()
            shown = self.numbering.step(identity, deep) if identity else ""
            self.writer.heading(inline.plain, level + (1 if self.titled else 0), number=shown.rstrip(".)") or None)
        elif identity and self.numbering.level(identity, deep) is not None:
            self.lists.item(identity, deep, _left(properties))
            self.writer.paragraph(inline)
        elif style.is_caption:
            self._flush()
            self.caption = inline
        elif style.is_quote:
            self._flush()
            self.writer.begin_quote()
            self.writer.paragraph(inline)
            self.writer.end()
        else:
            self._flush_caption()
            if not style.goes_on:
                self.lists.close_unless_indented(_left(properties))
            self.writer.paragraph(inline)

    def table(self, element: Any, depth: int) -> None:
        """Read a table; one of a single cell is a frame around its content."""
        self._flush_code()
        self.lists.close()
        rows = table_rows(element, self._cell)
        if len(rows) == 1 and len(rows[0]) == 1:
            self._flush_caption()
            cell = next((c for r in element if local(r) == "tr" for c in r if local(c) == "tc"), None)
            if cell is not None:
                self.blocks(cell, depth + 1)
                self.lists.close()
            return
        caption, self.caption = self.caption, None
        self.writer.page = self.runs.page if self.paged else None
        self.writer.table(rows, header=header_rows(element, rows), caption=caption)
        inside, self.graphics = Found(graphics=self.graphics), []
        self._graphics(inside)
        self._write_notes()

    def _cell(self, cell: Any) -> Inline:
        """Return the content of a cell as lines; a table inside gives a line for each row."""
        inline, row = Inline(), None
        for element in cell.iter():
            around = _inside(element, cell) if local(element) == "p" else []
            if local(element) == "p" and not any(local(a) in ("txbxContent", "Fallback") for a in around):
                before, row = row, next((a for a in around if local(a) == "tr"), None)
                if inline and row is not None and row is before:
                    inline.text(" · ")
                elif inline:
                    inline.line_break()
                identity, deep = self._numbered(child(element, "pPr"), self._style(element))
                own = self.numbering.level(identity, deep) if identity else None
                if own is not None:
                    inline.text((self.numbering.step(identity, deep) or "•") + " ")
                found = self.runs.read(element, inline)
                self.pending.extend(found.notes)
                for box in found.boxes:
                    for paragraph in (e for e in box.iter() if local(e) == "p"):
                        inline.line_break()
                        self.pending.extend(self.runs.read(paragraph, inline).notes)
                self.graphics.extend(found.graphics)
        return inline

    # -- beside the text ---------------------------------------------------------------------------------------------

    def _notes(self, name: str) -> dict[str, Any]:
        root = self.package.xml_if(f"{self.folder}/{name}.xml")
        found = {}
        for note in root if root is not None else ():
            if attribute(note, "type") in (None, "normal"):
                found[attribute(note, "id") or ""] = note
        return found

    def _write_notes(self) -> None:
        """Write the notes that were referred to, behind the block that does."""
        waiting, self.pending = self.pending, []
        for label in waiting:
            note = self.notes["e" if label.startswith("e") else ""].get(label.lstrip("e"))
            if note is None or label in self.written:
                continue
            self.written.add(label)
            self.writer.begin_footnote(label)
            for paragraph in (e for e in note.iter() if local(e) == "p"):
                inline = Inline()
                self.runs.read(paragraph, inline)
                self.writer.paragraph(inline)
            self.writer.end()

    def finish(self) -> None:
        """Write what is still open, and report what was left out."""
        self._flush()
        self._write_notes()
        writer = self.writer
        writer.page = None
        for part in (*self.package.names(f"{self.folder}/header"), *self.package.names(f"{self.folder}/footer")):
            text = _plain(self.package.xml_if(part))
            if text:
                writer.drop("running_header" if "header" in part else "running_footer", text)
        comments = self.package.xml_if(f"{self.folder}/comments.xml")
        for comment in comments if comments is not None else ():
            writer.drop("comment", _plain(comment))
        if comments is not None and len(comments):
            writer.notice("comments", f"{len(comments)} comments are left out.")
        if self.runs.changes:
            kept, gone = self.runs.changes["insertions"], self.runs.changes["deletions"]
            writer.notice("tracked_changes", f"Tracked changes: {kept} insertions kept, {gone} deletions left out.")
        embedded = self.package.embedded(self.folder)
        if embedded:
            writer.notice("attachments", embedded)
        hidden = " ".join(text for text in self.runs.hidden if text.strip())
        if hidden:
            writer.drop("hidden", hidden)
            writer.notice("hidden_text", "Text that is formatted as hidden is left out.")

    def _flush(self) -> None:
        self._flush_code()
        self.lists.close()
        self._flush_caption()
        self._write_notes()

    def _flush_code(self) -> None:
        if self.code:
            lines, self.code = self.code, []
            self.writer.code("\n".join(lines))

    def _flush_caption(self) -> None:
        if self.caption is not None:
            caption, self.caption = self.caption, None
            self.writer.paragraph(caption)

    def _leave_out(self, element: Any) -> None:
        text = _plain(element)
        if text:
            self.writer.drop("table_of_contents", text)

    # -- properties --------------------------------------------------------------------------------------------------

    def _style(self, paragraph: Any) -> Style:
        named = value(child(paragraph, "pPr"), "pStyle")
        return self.default if named is None else self.styles.get(named, self.default)

    def _numbered(self, properties: Any, style: Style) -> tuple[int, int]:
        """Return the numbering and level of a paragraph: its own, else that of its style; 0 for none."""
        identity, deep = style.numbering
        own = child(properties, "numPr")
        if own is not None:
            named = value(own, "numId")
            identity = number(named) if named is not None else identity
            level = value(own, "ilvl")
            deep = number(level) if level is not None else (0 if named is not None else deep)
        return identity, deep


def _outline(properties: Any, style: Style) -> int:
    own = value(properties, "outlineLvl")
    if own is not None:
        level = number(own, 9) + 1
        return level if level <= 9 else 0
    return style.level


def _left(properties: Any) -> int:
    indent = child(properties, "ind")
    return 0 if indent is None else number(attribute(indent, "left") or attribute(indent, "start"))


def _is_contents(element: Any) -> bool:
    gallery = child(child(child(element, "sdtPr"), "docPartObj"), "docPartGallery")
    return gallery is not None and "contents" in (attribute(gallery, "val") or "").lower()


def _plain(element: Any) -> str:
    if element is None:
        return ""
    return " ".join(" ".join(e.text or "" for e in element.iter() if local(e) == "t").split())


def _code_line(paragraph: Any) -> str:
    """Return a line of code exactly: its white space counts."""
    out = []
    for element in paragraph.iter():
        name = local(element)
        if name == "t":
            out.append(element.text or "")
        elif name == "tab":
            out.append("    ")
        elif name in ("br", "cr"):
            out.append("\n")
        elif name == "noBreakHyphen":
            out.append("-")
    return "".join(out).rstrip()


def _inside(element: Any, outer: Any) -> list[Any]:
    found = []
    for ancestor in element.iterancestors():
        if ancestor is outer:
            break
        found.append(ancestor)
    return found
