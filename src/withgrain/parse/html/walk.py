"""From the tree of a page to the writer: one pass in reading order, with a stack of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from withgrain.parse.html.chrome import drop_reason
from withgrain.parse.html.code import code_language, code_text, is_line_numbers
from withgrain.parse.html.head import Head
from withgrain.parse.html.lists import item_number, item_task, list_start
from withgrain.parse.html.notes import folded_type, has_headings, note_title, note_type, shown_title
from withgrain.parse.html.tables import cells_of, header_rows, is_layout, rows_of
from withgrain.parse.html.tree import Node, around, attribute, children, classes, has_any, plain, tag_of
from withgrain.parse.rendered import Cell, Inline, Writer

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "legend", "li", "main",
    "menu", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "caption", "optgroup", "h1", "h2", "h3", "h4", "h5", "h6",
})  # fmt: skip
#: Blocks that end a heading which was never closed.
_AFTER_HEADING = ("p", "ul", "ol", "table", "pre", "dl", "blockquote", "section", *_HEADINGS)
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_NOTE_LISTS = frozenset({"footnotes", "footnote-list", "footnote-definition", "references"})
_NOTE_REFERENCE = frozenset({"footnote-ref", "footnote-reference"})

_Step = Node | Callable[[], None]


class Walk:
    """The state of a walk.

    Attributes:
        writer: Gets what is met.
        head: What the page says about itself.
        whole_body: Whether the page names no main content.
        outside: Elements that hold the content among other things: what else is in them is left out.
        roots: Elements that hold the content.
    """

    def __init__(self, writer: Writer, head: Head, roots: list[Node], body: Node) -> None:
        self.writer, self.head = writer, head
        self.whole_body = len(roots) == 1 and roots[0] == body
        self.roots = set(roots)
        self.outside = set() if self.whole_body else {a for root in roots for a in around(root, 600)}
        self._inline = Inline()
        self._captures: list[Inline] = []
        self._breaks = 0
        self._articles = 0
        self._titles: set[Node] = set()
        self._opened: set[Node] = set()
        self._notes: dict[str, str] = {}
        self._stack: list[_Step] = []
        self._inside = self.whole_body

    def run(self, node: Node) -> None:
        """Walk a subtree."""
        self._stack = [node]
        self._steps()
        self._flush()

    def _steps(self) -> None:
        while self._stack:
            step = self._stack.pop()
            if isinstance(step, str):
                self._text(step)
            elif hasattr(step, "attrs"):
                self._element(step)
            else:
                step()

    def write_title(self, node: Node) -> None:
        """Write a heading that stands outside the content as the heading of the page."""
        self.writer.heading(plain(node), 1, anchor=attribute(node, "id") or None)
        self._titles.add(node)

    # -- plumbing ----------------------------------------------------------------------------------------------------

    def _into(self, node: Node, after: Callable[[], None] | None = None, only: list[Node] | None = None) -> None:
        if after is not None:
            self._stack.append(after)
        self._stack.extend(reversed(children(node) if only is None else only))

    @property
    def _line(self) -> Inline:
        return self._captures[-1] if self._captures else self._inline

    def _flush(self) -> None:
        """End a paragraph; inside a cell or term, a line."""
        self._breaks = 0
        if self._captures:
            self._captures[-1].line_break()
            return
        inline, self._inline = self._inline, Inline()
        self.writer.paragraph(inline)

    def _text(self, text: str) -> None:
        if not self._inside:
            self._drop("outside the main content", text)
            return
        if self._breaks and text.strip():
            self._breaks = 0
        self._line.text(text)

    def _drop(self, reason: str, text: str) -> None:
        words = " ".join(text.split())
        if words:
            self.writer.drop(reason, words)

    def capture(self, node: Node) -> Inline:
        """Return the content of a cell, term or heading as inline content."""
        inline = Inline()
        self._captures.append(inline)
        held, breaks = self._stack, self._breaks
        self._stack = []
        self._into(node)
        self._steps()
        self._stack, self._breaks = held, breaks
        self._captures.pop()
        inline.finish()
        return inline

    # -- elements ----------------------------------------------------------------------------------------------------

    def _element(self, node: Node) -> None:
        tag = tag_of(node)
        if node in self._titles or (not self._inside and not self._enter_content(node, tag)):
            return
        reason = drop_reason(node, tag, whole_body=self.whole_body, in_article=self._articles > 0)
        if reason:
            self._leave_out(node, tag, reason)
            return
        if node.attrs:
            name = attribute(node, "id") or (attribute(node, "name") if tag == "a" else "")
            if name and not any(c.isspace() for c in name):
                if self._inline and tag in _BLOCKS and not self._captures:
                    self._flush()
                self.writer.anchor(name)
        handler = _HANDLERS.get(tag)
        if handler is not None:
            handler(self, node)
        elif tag in _BLOCKS:
            self._block(node, tag)
        else:
            self._into(node)

    def _enter_content(self, node: Node, tag: str) -> bool:
        """Decide about an element outside the main content; return whether it is to be read."""
        if node in self.roots:
            self._inside = True
            self._stack.append(self._leave_content)
            return True
        if node in self.outside:
            self._into(node)
            return False
        reason = drop_reason(node, tag, whole_body=True, in_article=False)
        self._leave_out(node, tag, reason or "outside the main content")
        return False

    def _leave_content(self) -> None:
        self._flush()
        self._inside = False

    def _leave_out(self, node: Node, tag: str, reason: str) -> None:
        if tag in ("script", "style", "template", "head", "link", "meta", "base", "map"):
            if tag in ("script", "style", "template"):
                self.writer.drop(reason)
            return
        if tag == "svg" and not node.text.strip():
            return
        self._drop(reason, node.text if tag in ("noscript", "svg") else plain(node))

    def _block(self, node: Node, tag: str) -> None:
        self._flush()
        if tag in ("div", "aside", "section", "blockquote", "figure", "p", "table") and self._note(node, tag):
            return
        if tag in ("article", "section", "main"):
            self._articles += tag != "section"
            self._into(node, self._end_article if tag != "section" else self._flush)
        elif tag == "blockquote":
            self._contain(node, self.writer.begin_quote)
        elif tag == "hr":
            if not self._captures:
                self.writer.rule()
        else:
            self._into(node, self._flush)

    def _end_article(self) -> None:
        self._flush()
        self._articles -= 1

    def _contain(self, node: Node, begin: Callable[[], None], only: list[Node] | None = None) -> None:
        if self._captures:
            self._into(node, self._flush, only)
            return
        begin()
        self._into(node, self._end, only)

    def _end(self) -> None:
        self._flush()
        self.writer.end()

    def _note(self, node: Node, tag: str) -> bool:
        kind = note_type(node, tag) if node.attrs else None
        if kind is None:
            return False
        title = note_title(node)
        if title is not None:
            self._titles.add(title)
        words = shown_title(title, kind)
        self._contain(node, lambda: self.writer.begin_admonition(kind, words))
        return True

    def heading(self, node: Node) -> None:
        """Write a heading; what a missing end tag put into it follows behind it."""
        self._flush()
        if self._captures:
            self._into(node, self._flush)
            return
        inner = children(node)
        cut = len(inner)
        if has_any(node, _AFTER_HEADING):
            cut = next(
                i for i, c in enumerate(inner)
                if not isinstance(c, str) and (tag_of(c) in _AFTER_HEADING or has_any(c, _AFTER_HEADING))
            )  # fmt: skip
        inline = Inline()
        self._captures.append(inline)
        anchor = attribute(node, "id") or _fragment(node)

        def write() -> None:
            self._captures.pop()
            inline.finish()
            self.writer.heading(inline.plain, int(tag_of(node)[1]), anchor=anchor or None)

        self._stack.extend(reversed(inner[cut:]))
        self._into(node, write, inner[:cut])

    def pre(self, node: Node) -> None:
        """Write a code block."""
        if self._captures:
            lines = code_text(node).strip("\n").split("\n")
            self._flush()
            for line in lines:
                self._line.code(line) if line.strip() else None
                self._flush()
            return
        self._flush()
        self.writer.code(code_text(node), code_language(node))

    def code(self, node: Node) -> None:
        """Write a code span; a block inside it is written as a block."""
        if has_any(node, ("pre", "p", "div", "table", "ul")):
            self._into(node)
            return
        if node.find("br") is not None and not self._captures:
            self._flush()
            self.writer.code(code_text(node), code_language(node))
            return
        link = node.find("a")
        target = self.head.target(attribute(link, "href")) if link is not None else ""
        if target:
            self._line.begin_link(target)
        text = code_text(node)
        if text[:1].isspace():
            self._line.space()
        self._line.code(text)
        if text[-1:].isspace():
            self._line.space()
        if target:
            self._line.end_link()

    def line_break(self, node: Node) -> None:
        """End the line; the second in a row ends the paragraph."""
        del node
        self._breaks += 1
        if self._breaks > 1 and not self._captures:
            self._flush()
        else:
            self._line.line_break()

    def link(self, node: Node) -> None:
        """Write a link, or the reference to a footnote."""
        href = attribute(node, "href")
        if href.startswith("#") and not any(c.isalnum() for c in plain(node)) and node.find("img") is None:
            self._drop("permalink", plain(node))
            return
        if attribute(node, "role") == "doc-backlink":
            return
        if href[1:] in self._notes or (
            href.startswith("#")
            and (attribute(node, "role") == "doc-noteref" or not _NOTE_REFERENCE.isdisjoint(classes(node)))
        ):
            self._line.note(plain(node).strip("[]"))
            return
        if has_any(node, ("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "pre", "section", "article")):
            self._into(node)  # a card: its blocks are not one link
            return
        line = self._line
        line.begin_link(self.head.target(href))
        self._into(node, line.end_link)

    def image(self, node: Node) -> None:
        """Write an image by its description."""
        alt = attribute(node, "alt")
        if alt.strip():
            self._line.image(alt, self.head.target(attribute(node, "src")))
        elif attribute(node, "src"):
            self.writer.drop("image without a description")

    def superscript(self, node: Node) -> None:
        """Write what stands above the line: the reference to a note, an exponent (10⁶ does not become 106)."""
        words = plain(node)
        short = 0 < len(words) < 12 and any(c.isalnum() for c in words)
        link = node.find("a")
        if link is not None and short and attribute(link, "href").startswith("#"):
            self._line.note(words.strip("[]()"))
        elif link is None and short:
            self._line.text("^" + words)
        else:
            self._into(node)

    def struck(self, node: Node) -> None:
        """Write struck text, marked as such."""
        if not plain(node) or has_any(node, ("p", "div", "ul", "table")):
            self._into(node)
            return
        self._line.text("~~")
        self._into(node, lambda: self._line.text("~~"))

    def quoted(self, node: Node) -> None:
        """Write a quotation inside a paragraph in quotation marks."""
        self._line.text("“")
        self._into(node, lambda: self._line.text("”"))

    def formula(self, node: Node) -> None:
        """Write MathML by the TeX that it carries, else by its text."""
        source = next((a for a in node.find_all("annotation") if "tex" in attribute(a, "encoding").lower()), None)
        if source is None:
            self._line.text(attribute(node, "alttext") or node.text)
        elif attribute(node, "display") == "block" and not self._captures:
            self._flush()
            self.writer.math(source.text)
        else:
            self._line.math(source.text)

    def bullets(self, node: Node) -> None:
        """Write a list; one that holds headings is a way to lay out a page."""
        self._flush()
        if self._captures or has_headings(node):
            self._opened.add(node)
            self._into(node, self._flush)
            return
        if self._is_notes(node):
            self._footnotes(node)
            return
        self.writer.begin_list(ordered=tag_of(node) == "ol", start=list_start(node))
        self._stack.append(self._end)
        for child in reversed(children(node)):
            if isinstance(child, str):
                if child.strip():
                    self._stack.extend((self._end, child, self.writer.begin_item))
            elif tag_of(child) == "li":
                self._stack.append(child)
            else:
                self._stack.extend((self._end, child, self.writer.begin_item))

    def item(self, node: Node) -> None:
        """Write a list item."""
        self._flush()
        if self._captures:
            self._line.text("- ")
            self._into(node, self._flush)
            return
        parent = node.parent
        listed = parent is not None and tag_of(parent) in ("ul", "ol", "menu", "dir")
        if not listed or parent in self._opened:
            self._into(node, self._flush)
            return
        self.writer.begin_item(number=item_number(node, parent), task=item_task(node))
        self._into(node, self._end)

    def _is_notes(self, node: Node) -> bool:
        return any(
            attribute(a, "role") == "doc-endnotes" or not _NOTE_LISTS.isdisjoint(classes(a))
            or (tag_of(a) == "div" and classes(a) == ["footnote"])
            for a in (node, *around(node, 2))
        )  # fmt: skip

    def _footnotes(self, node: Node) -> None:
        items = [c for c in children(node) if not isinstance(c, str) and tag_of(c) == "li"]
        for number, item in reversed(list(enumerate(items, 1))):
            self._stack.append(self._end)
            self._stack.extend(reversed(children(item)))
            name = attribute(item, "id")
            self._stack.append(lambda n=number, a=name: self.writer.begin_footnote(str(n), anchor=a or None))  # type: ignore[misc]

    def definitions(self, node: Node) -> None:
        """Write a list of terms and their descriptions."""
        self._flush()
        if self._captures or has_headings(node):
            self._into(node, self._flush)
            return
        entries: list[Node] = []
        queue = list(reversed(children(node)))
        while queue:
            child = queue.pop()
            if not isinstance(child, str) and tag_of(child) == "div" and has_any(child, ("dt", "dd")):
                queue.extend(reversed(children(child)))
            else:
                entries.append(child)
        terms: list[tuple[Inline, str]] = []
        open_now = [False]

        def finish() -> None:
            self._flush()
            if open_now[0]:
                self.writer.end()
            for term, _ in terms:
                self.writer.paragraph(term)

        self._stack.append(finish)
        for entry in reversed(entries):
            self._stack.append(self._definition_step(entry, terms, open_now))

    def _definition_step(
        self, entry: Node, terms: list[tuple[Inline, str]], open_now: list[bool]
    ) -> Callable[[], None]:
        def step() -> None:
            if isinstance(entry, str) or tag_of(entry) not in ("dt", "dd"):
                self._stack.append(entry)
                return
            if drop_reason(entry, tag_of(entry), whole_body=False, in_article=True):
                self._leave_out(entry, tag_of(entry), "hidden")
                return
            self._flush()
            if tag_of(entry) == "dt":
                if open_now[0]:
                    self.writer.end()
                    open_now[0] = False
                terms.append((self.capture(entry), attribute(entry, "id") or _fragment(entry)))
                return
            if terms:
                anchor = next((a for _, a in terms if a), None)
                self.writer.begin_definition([term for term, _ in terms], anchor=anchor)
                terms.clear()
                open_now[0] = True
            elif open_now[0]:
                self.writer.next_description()
            self._into(entry, self._flush)

        return step

    def details(self, node: Node) -> None:
        """Write what can be folded, open or not; one that holds headings is part of the page's outline."""
        self._flush()
        if self._captures or has_headings(node):
            self._into(node, self._flush)
            return
        summary = next((c for c in children(node) if not isinstance(c, str) and tag_of(c) == "summary"), None)
        if summary is not None:
            self._titles.add(summary)
        title = plain(summary) if summary is not None else ""
        kind = folded_type(node)
        self._contain(node, lambda: self.writer.begin_admonition(kind, title))

    def table(self, node: Node) -> None:
        """Write a table; one that only lays out the page is read cell by cell."""
        self._flush()
        code = is_line_numbers(node)
        if code is not None:
            self._stack.append(code)
            return
        if self._captures:
            self._into(node, self._flush)
            return
        if node.attrs and self._note(node, "table"):
            return
        if is_layout(node):
            self._into(node, self._flush)
            return
        rows = rows_of(node)
        caption = next((c for c in children(node) if not isinstance(c, str) and tag_of(c) == "caption"), None)
        above = self.capture(caption) if caption is not None else None
        name = attribute(node, "id") or None
        shown = [
            [Cell(content=self.capture(c), columns=wide, rows=high) for c, wide, high in cells_of(row)] for row in rows
        ]
        self.writer.table(shown, header=header_rows(rows), caption=above, anchor=name)

    def row(self, node: Node) -> None:
        """Read the row of a table inside a cell, or of one that lays out the page."""
        self._flush()
        if not self._captures:
            self._into(node, self._flush)
            return
        cells = [cell for cell, _, _ in cells_of(node)]
        self._stack.append(self._flush)
        for number, cell in reversed(list(enumerate(cells))):
            self._stack.extend(reversed(children(cell)))
            if number:
                self._stack.append(lambda: self._line.text(" · "))


def _fragment(node: Node) -> str:
    """Return the anchor of a heading or term that a link or an empty element inside it names."""
    for link in node.find_all("a", limit=5):
        if attribute(link, "id") or attribute(link, "name"):
            return attribute(link, "id") or attribute(link, "name")
        href = attribute(link, "href")
        if href.startswith("#") and len(href) > 1 and not any(c.isalnum() for c in link.text):
            return href[1:]
    span = node.find("span")
    return attribute(span, "id") if span is not None else ""


_Handler = Callable[[Walk, Any], None]
_HANDLERS: Mapping[str, _Handler] = (
    dict.fromkeys(_HEADINGS, Walk.heading)
    | dict.fromkeys(_CODE, Walk.code)
    | dict.fromkeys(("ul", "ol", "menu", "dir"), Walk.bullets)
    | dict.fromkeys(("del", "s", "strike"), Walk.struck)
    | {
        "pre": Walk.pre, "xmp": Walk.pre, "listing": Walk.pre, "br": Walk.line_break, "a": Walk.link,
        "img": Walk.image, "sup": Walk.superscript, "q": Walk.quoted, "math": Walk.formula, "li": Walk.item,
        "dl": Walk.definitions, "details": Walk.details, "table": Walk.table, "tr": Walk.row,
    })  # fmt: skip
