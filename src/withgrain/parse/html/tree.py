"""The adapter over turbohtml: the only module that knows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from withgrain.errors import MissingExtra

try:
    import turbohtml
    from turbohtml import Element, Text
except ImportError:
    raise MissingExtra("html", need="HTML pages") from None


if TYPE_CHECKING:
    from collections.abc import Sequence

#: An element or the document; a text node is a `str` here.
Node = Any

#: Elements whose text no reader sees, or that hold no text.
SILENT = frozenset({
    "script", "style", "template", "noscript", "iframe", "object", "embed", "canvas", "audio", "video", "svg",
    "head", "link", "meta", "title", "base", "map",
})  # fmt: skip
_BREAKING = frozenset({
    "address", "article", "aside", "blockquote", "br", "center", "dd", "details", "dialog", "dir", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "ul", "caption",
})  # fmt: skip


def load(markup: str) -> Node:
    """Return the document as a browser builds it; elements deeper than 512 become siblings, no text is lost."""
    return turbohtml.parse(markup, positions=False)


def children(node: Node) -> list[Node]:
    """Return the elements and texts of a node in order; comments and the like are left out."""
    found: list[Node] = []
    for child in node.children:
        if isinstance(child, Text):
            found.append(child.data)
        elif isinstance(child, Element):
            found.append(child)
    return found


def tag_of(node: Node) -> str:
    """Return the name of an element in lower case; "" for a text."""
    return "" if isinstance(node, str) else str(node.tag).lower()


def attribute(node: Node, name: str) -> str:
    """Return an attribute as text; "" where there is none."""
    value = node.attrs.get(name)
    return " ".join(value) if isinstance(value, list | tuple) else str(value or "")


def has_attribute(node: Node, name: str) -> bool:
    """Return whether an element has an attribute, with a value or without."""
    return name in node.attrs


def classes(node: Node) -> list[str]:
    """Return the class names of an element."""
    return attribute(node, "class").split()


def around(node: Node, most: int) -> list[Node]:
    """Return the elements that a node stands in, the innermost first, at most so many."""
    found: list[Node] = []
    for outer in node.ancestors:
        if len(found) == most or not hasattr(outer, "tag"):
            break
        found.append(outer)
    return found


def has_any(node: Node, tags: Sequence[str]) -> bool:
    """Return whether an element has a descendant with one of these names."""
    return any(node.find(tag) is not None for tag in tags)


def texts(node: Node) -> Iterator[str]:
    """Yield what a reader sees of a subtree, a space where a block begins or ends."""
    stack: list[Node] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        tag = tag_of(item)
        if tag in SILENT:
            continue
        if tag in _BREAKING:
            yield " "
            stack.append(" ")
        stack.extend(reversed(children(item)))


def plain(node: Node) -> str:
    """Return the words of a subtree on one line."""
    return " ".join("".join(texts(node)).split())
