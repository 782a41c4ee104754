"""Short ways to parse a text and to look at its blocks."""

from __future__ import annotations

from withgrain.model import Block, Document
from withgrain.parse import parse


def doc(text: str | bytes, suffix: str = ".md") -> Document:
    """Parse a text as a file of that suffix."""
    return parse(text.encode() if isinstance(text, str) else text, uri="folder/file" + suffix)


def kinds(document: Document) -> list[str]:
    """Return the kinds of the top-level blocks, without the blank ones."""
    return [block.kind for block in document.blocks if block.kind != "blank"]


def every(document: Document, kind: str) -> list[Block]:
    """Return all blocks of a kind, at any depth, in document order."""
    found: list[Block] = []
    stack = list(reversed(document.blocks))
    while stack:
        block = stack.pop()
        if block.kind == kind:
            found.append(block)
        stack.extend(reversed(block.children))
    return found


def one(document: Document, kind: str) -> Block:
    """Return the only block of a kind."""
    (block,) = every(document, kind)
    return block


def headings(document: Document) -> list[tuple[int | None, str]]:
    """Return level and text of the top-level headings."""
    return [(block.level, block.attrs["text"]) for block in document.blocks if block.kind == "heading"]
