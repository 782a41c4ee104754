"""Headings, code blocks, folded text and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from withgrain.parse.html.code import code_language, code_text, is_line_numbers
from withgrain.parse.html.notes import folded_type, has_headings
from withgrain.parse.html.tables import cells_of, header_rows, is_layout, rows_of
from withgrain.parse.html.tree import Node, attribute, children, has_any, plain, tag_of
from withgrain.parse.rendered import Cell, Inline

if TYPE_CHECKING:
    from withgrain.parse.html.walk import Walk

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: Blocks that end a heading which was never closed.
_AFTER_HEADING = ("p", "ul", "ol", "table", "pre", "dl", "blockquote", "section", *_HEADINGS)


def heading(walk: Walk, node: Node) -> None:
    """Write a heading; what a missing end tag put into it follows behind it."""
    walk.flush()
    if walk.captures:
        walk.into(node, walk.flush)
        return
    inner = children(node)
    cut = len(inner)
    if has_any(node, _AFTER_HEADING):
        cut = next(
            i for i, c in enumerate(inner)
            if not isinstance(c, str) and (tag_of(c) in _AFTER_HEADING or has_any(c, _AFTER_HEADING))
        )  # fmt: skip
    inline = Inline()
    walk.captures.append(inline)
    anchor = attribute(node, "id") or fragment(node)

    def write() -> None:
        walk.captures.pop()
        inline.finish()
        walk.writer.heading(inline.plain, int(tag_of(node)[1]), anchor=anchor or None)

    walk.stack.extend(reversed(inner[cut:]))
    walk.into(node, write, inner[:cut])


def pre(walk: Walk, node: Node) -> None:
    """Write a code block."""
    if walk.captures:
        lines = code_text(node).strip("\n").split("\n")
        walk.flush()
        for line in lines:
            walk.line.code(line) if line.strip() else None
            walk.flush()
        return
    walk.flush()
    walk.writer.code(code_text(node), code_language(node))


def details(walk: Walk, node: Node) -> None:
    """Write what can be folded, open or not; one that holds headings is part of the page's outline."""
    walk.flush()
    if walk.captures or has_headings(node):
        walk.into(node, walk.flush)
        return
    summary = next((c for c in children(node) if not isinstance(c, str) and tag_of(c) == "summary"), None)
    if summary is not None:
        walk.titles.add(summary)
    title = plain(summary) if summary is not None else ""
    kind = folded_type(node)
    walk.contain(node, lambda: walk.writer.begin_admonition(kind, title))


def table(walk: Walk, node: Node) -> None:
    """Write a table; one that only lays out the page is read cell by cell."""
    walk.flush()
    code = is_line_numbers(node)
    if code is not None:
        walk.stack.append(code)
        return
    if walk.captures:
        walk.into(node, walk.flush)
        return
    if node.attrs and walk.note(node, "table"):
        return
    if is_layout(node):
        walk.into(node, walk.flush)
        return
    rows = rows_of(node)
    caption = next((c for c in children(node) if not isinstance(c, str) and tag_of(c) == "caption"), None)
    above = walk.capture(caption) if caption is not None else None
    name = attribute(node, "id") or None
    shown = [
        [Cell(content=walk.capture(c), columns=wide, rows=high) for c, wide, high in cells_of(row)] for row in rows
    ]
    walk.writer.table(shown, header=header_rows(rows), caption=above, anchor=name)


def row(walk: Walk, node: Node) -> None:
    """Read the row of a table inside a cell, or of one that lays out the page."""
    walk.flush()
    if not walk.captures:
        walk.into(node, walk.flush)
        return
    cells = [cell for cell, _, _ in cells_of(node)]
    walk.stack.append(walk.flush)
    for number, cell in reversed(list(enumerate(cells))):
        walk.stack.extend(reversed(children(cell)))
        if number:
            walk.stack.append(lambda: walk.line.text(" · "))


def fragment(node: Node) -> str:
    """Return the anchor of a heading or term that a link or an empty element inside it names."""
    for link in node.find_all("a", limit=5):
        if attribute(link, "id") or attribute(link, "name"):
            return attribute(link, "id") or attribute(link, "name")
        href = attribute(link, "href")
        if href.startswith("#") and len(href) > 1 and not any(c.isalnum() for c in link.text):
            return href[1:]
    span = node.find("span")
    return attribute(span, "id") if span is not None else ""
