"""Markdown inside a rendered document."""

from __future__ import annotations

from withgrain.model import Block
from withgrain.parse.markdown.definitions import fill_definitions
from withgrain.parse.markdown.place import relocate
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.structure import structure
from withgrain.parse.tile import tile


def read_markdown(text: str, base: int) -> tuple[list[Block], list[tuple[int, int, str]]]:
    """Return the blocks of a piece of Markdown that stands at ``base``, and its links."""
    sink = Sink(thorough=True)
    found = structure(text, sink, mdx=False)
    blocks = tile(text, found, 0, len(text), lambda start, end: fill_definitions(text, start, end))
    moved = relocate([block for block in blocks if block.kind != "blank"], lambda offset: offset + base)
    return moved, [(start + base, end + base, target) for start, end, target in sink.links]
