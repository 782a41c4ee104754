"""Blocks of a range of Markdown."""

from __future__ import annotations

from withgrain.model import Block
from withgrain.parse.markdown.place import Place
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.walk import Walker, mask


def parse_range(text: str, start: int, end: int, sink: Sink, *, mdx: bool, depth: int) -> list[Block]:
    """Return the top-level blocks of ``text[start:end]``."""
    piece = text[start:end] if start or end < len(text) else text
    return Walker(piece, mask(piece), Place(start), sink).blocks()
