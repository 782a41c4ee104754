"""Blocks of a range of Markdown."""

from __future__ import annotations

from withgrain.model import Block
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.walk import markdown_blocks


def parse_range(text: str, start: int, end: int, sink: Sink, *, mdx: bool, depth: int) -> list[Block]:
    """Return the top-level blocks of ``text[start:end]``."""
    return markdown_blocks(text, sink, start)
