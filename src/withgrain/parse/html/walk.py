"""From the tree of a page to the writer: one pass in reading order, with a stack of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from withgrain.parse.html.chrome import drop_reason
from withgrain.parse.html.head import Head
from withgrain.parse.html.notes import note_title, note_type, shown_title
from withgrain.parse.html.tree import Node, around, attribute, children, plain, tag_of
from withgrain.parse.rendered import Inline, Writer

_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "legend", "li", "main",
    "menu", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "caption", "optgroup", "h1", "h2", "h3", "h4", "h5", "h6",
})  # fmt: skip

_Step = Node | Callable[[], None]
#: Reads an element of one kind.
Handler = Callable[["Walk", Any], None]


class Walk:
    """The state of a walk.

    Attributes:
        writer: Gets what is met.
        head: What the page says about itself.
        whole_body: Whether the page names no main content.
        outside: Elements that hold the content among other things: what else is in them is left out.
        roots: Elements that hold the content.
        captures: Cells, terms and headings that are being read as one line each, the innermost last.
        breaks: Line breaks right behind each other.
        titles: Elements that were written already: titles of notes, the heading of the page.
        opened: Lists that lay out the page, whose items are no items.
        notes: Footnotes by their anchor.
        stack: What is still to be read, the next one last.
    """

    def __init__(
        self, writer: Writer, head: Head, roots: list[Node], body: Node, handlers: Mapping[str, Handler]
    ) -> None:
        self.writer, self.head = writer, head
        self._handlers = handlers
        self.whole_body = len(roots) == 1 and roots[0] == body
        self.roots = set(roots)
        self.outside = set() if self.whole_body else {a for root in roots for a in around(root, 600)}
        self._inline = Inline()
        self.captures: list[Inline] = []
        self.breaks = 0
        self._articles = 0
        self.titles: set[Node] = set()
        self.opened: set[Node] = set()
        self.notes: dict[str, str] = {}
        self.stack: list[_Step] = []
        self._inside = self.whole_body

    def run(self, node: Node) -> None:
        """Walk a subtree."""
        self.stack = [node]
        self._steps()
        self.flush()

    def _steps(self) -> None:
        while self.stack:
            step = self.stack.pop()
            if isinstance(step, str):
                self._text(step)
            elif hasattr(step, "attrs"):
                self._element(step)
            else:
                step()

    def write_title(self, node: Node) -> None:
        """Write a heading that stands outside the content as the heading of the page."""
        self.writer.heading(plain(node), 1, anchor=attribute(node, "id") or None)
        self.titles.add(node)

    # -- plumbing ----------------------------------------------------------------------------------------------------

    def into(self, node: Node, after: Callable[[], None] | None = None, only: list[Node] | None = None) -> None:
        """Read what is in an element (or only some of it) next, then do something."""
        if after is not None:
            self.stack.append(after)
        self.stack.extend(reversed(children(node) if only is None else only))

    @property
    def line(self) -> Inline:
        """The line that text is added to."""
        return self.captures[-1] if self.captures else self._inline

    def flush(self) -> None:
        """End a paragraph; inside a cell or term, a line."""
        self.breaks = 0
        if self.captures:
            self.captures[-1].line_break()
            return
        inline, self._inline = self._inline, Inline()
        self.writer.paragraph(inline)

    def _text(self, text: str) -> None:
        if not self._inside:
            self.drop("outside the main content", text)
            return
        if self.breaks and text.strip():
            self.breaks = 0
        self.line.text(text)

    def drop(self, reason: str, text: str) -> None:
        """List words that are left out."""
        words = " ".join(text.split())
        if words:
            self.writer.drop(reason, words)

    def capture(self, node: Node) -> Inline:
        """Return the content of a cell, term or heading as inline content."""
        inline = Inline()
        self.captures.append(inline)
        held, breaks = self.stack, self.breaks
        self.stack = []
        self.into(node)
        self._steps()
        self.stack, self.breaks = held, breaks
        self.captures.pop()
        inline.finish()
        return inline

    # -- elements ----------------------------------------------------------------------------------------------------

    def _element(self, node: Node) -> None:
        tag = tag_of(node)
        if node in self.titles or (not self._inside and not self._enter_content(node, tag)):
            return
        reason = drop_reason(node, tag, whole_body=self.whole_body, in_article=self._articles > 0)
        if reason:
            self.leave_out(node, tag, reason)
            return
        if node.attrs:
            name = attribute(node, "id") or (attribute(node, "name") if tag == "a" else "")
            if name and not any(c.isspace() for c in name):
                if self._inline and tag in _BLOCKS and not self.captures:
                    self.flush()
                self.writer.anchor(name)
        handler = self._handlers.get(tag)
        if handler is not None:
            handler(self, node)
        elif tag in _BLOCKS:
            self._block(node, tag)
        else:
            self.into(node)

    def _enter_content(self, node: Node, tag: str) -> bool:
        """Decide about an element outside the main content; return whether it is to be read."""
        if node in self.roots:
            self._inside = True
            self.stack.append(self._leave_content)
            return True
        if node in self.outside:
            self.into(node)
            return False
        reason = drop_reason(node, tag, whole_body=True, in_article=False)
        self.leave_out(node, tag, reason or "outside the main content")
        return False

    def _leave_content(self) -> None:
        self.flush()
        self._inside = False

    def leave_out(self, node: Node, tag: str, reason: str) -> None:
        """List an element that is left out."""
        if tag in ("script", "style", "template", "head", "link", "meta", "base", "map"):
            if tag in ("script", "style", "template"):
                self.writer.drop(reason)
            return
        if tag == "svg" and not node.text.strip():
            return
        self.drop(reason, node.text if tag in ("noscript", "svg") else plain(node))

    def _block(self, node: Node, tag: str) -> None:
        self.flush()
        if tag in ("div", "aside", "section", "blockquote", "figure", "p", "table") and self.note(node, tag):
            return
        if tag in ("article", "section", "main"):
            self._articles += tag != "section"
            self.into(node, self._end_article if tag != "section" else self.flush)
        elif tag == "blockquote":
            self.contain(node, self.writer.begin_quote)
        elif tag == "hr":
            if not self.captures:
                self.writer.rule()
        else:
            self.into(node, self.flush)

    def _end_article(self) -> None:
        self.flush()
        self._articles -= 1

    def contain(self, node: Node, begin: Callable[[], None], only: list[Node] | None = None) -> None:
        """Read an element as a container of the writer; inside a cell or term as lines."""
        if self.captures:
            self.into(node, self.flush, only)
            return
        begin()
        self.into(node, self.end, only)

    def end(self) -> None:
        """End a paragraph and the container around it."""
        self.flush()
        self.writer.end()

    def note(self, node: Node, tag: str) -> bool:
        """Read an element as a note; return whether it is one."""
        kind = note_type(node, tag) if node.attrs else None
        if kind is None:
            return False
        title = note_title(node)
        if title is not None:
            self.titles.add(title)
        words = shown_title(title, kind)
        self.contain(node, lambda: self.writer.begin_admonition(kind, words))
        return True
