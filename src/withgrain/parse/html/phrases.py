"""Elements inside a line: code, links, images, notes, formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from withgrain.parse.html.code import code_language, code_text
from withgrain.parse.html.tree import Node, attribute, classes, has_any, plain

if TYPE_CHECKING:
    from withgrain.parse.html.walk import Walk

_NOTE_REFERENCE = frozenset({"footnote-ref", "footnote-reference"})


def code(walk: Walk, node: Node) -> None:
    """Write a code span; a block inside it is written as a block."""
    if has_any(node, ("pre", "p", "div", "table", "ul")):
        walk.into(node)
        return
    if node.find("br") is not None and not walk.captures:
        walk.flush()
        walk.writer.code(code_text(node), code_language(node))
        return
    link = node.find("a")
    target = walk.head.target(attribute(link, "href")) if link is not None else ""
    if target:
        walk.line.begin_link(target)
    text = code_text(node)
    if text[:1].isspace():
        walk.line.space()
    walk.line.code(text)
    if text[-1:].isspace():
        walk.line.space()
    if target:
        walk.line.end_link()


def line_break(walk: Walk, node: Node) -> None:
    """End the line; the second in a row ends the paragraph."""
    del node
    walk.breaks += 1
    if walk.breaks > 1 and not walk.captures:
        walk.flush()
    else:
        walk.line.line_break()


def link(walk: Walk, node: Node) -> None:
    """Write a link, or the reference to a footnote."""
    href = attribute(node, "href")
    if href.startswith("#") and not any(c.isalnum() for c in plain(node)) and node.find("img") is None:
        walk.drop("permalink", plain(node))
        return
    if attribute(node, "role") == "doc-backlink":
        return
    if href[1:] in walk.notes or (
        href.startswith("#")
        and (attribute(node, "role") == "doc-noteref" or not _NOTE_REFERENCE.isdisjoint(classes(node)))
    ):
        walk.line.note(plain(node).strip("[]"))
        return
    if has_any(node, ("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "pre", "section", "article")):
        walk.into(node)  # a card: its blocks are not one link
        return
    line = walk.line
    line.begin_link(walk.head.target(href))
    walk.into(node, line.end_link)


def image(walk: Walk, node: Node) -> None:
    """Write an image by its description."""
    alt = attribute(node, "alt")
    if alt.strip():
        walk.line.image(alt, walk.head.target(attribute(node, "src")))
    elif attribute(node, "src"):
        walk.writer.drop("image without a description")


def superscript(walk: Walk, node: Node) -> None:
    """Write what stands above the line: the reference to a note, an exponent (10⁶ does not become 106)."""
    words = plain(node)
    short = 0 < len(words) < 12 and any(c.isalnum() for c in words)
    link = node.find("a")
    if link is not None and short and attribute(link, "href").startswith("#"):
        walk.line.note(words.strip("[]()"))
    elif link is None and short:
        walk.line.text("^" + words)
    else:
        walk.into(node)


def struck(walk: Walk, node: Node) -> None:
    """Write struck text, marked as such."""
    if not plain(node) or has_any(node, ("p", "div", "ul", "table")):
        walk.into(node)
        return
    walk.line.text("~~")
    walk.into(node, lambda: walk.line.text("~~"))


def quoted(walk: Walk, node: Node) -> None:
    """Write a quotation inside a paragraph in quotation marks."""
    walk.line.text("“")
    walk.into(node, lambda: walk.line.text("”"))


def formula(walk: Walk, node: Node) -> None:
    """Write MathML by the TeX that it carries, else by its text."""
    source = next((a for a in node.find_all("annotation") if "tex" in attribute(a, "encoding").lower()), None)
    if source is None:
        walk.line.text(attribute(node, "alttext") or node.text)
    elif attribute(node, "display") == "block" and not walk.captures:
        walk.flush()
        walk.writer.math(source.text)
    else:
        walk.line.math(source.text)
