"""Pieces of Markdown that are parsed on their own, and the way of their blocks back into the document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from withgrain.model import Block, Span
from withgrain.parse.build import make_block, make_span
from withgrain.parse.markdown.sink import Sink

#: Maps an offset of a piece to an offset of what it was cut from.
Map = Callable[[int], int]


def dedent(text: str, start: int, end: int, width: int) -> tuple[str, Map]:
    """Take up to ``width`` columns of white space from every line of ``text[start:end]``.

    A tab counts as all of them. ``start`` is the beginning of a line. The start of a line maps back to the start of the
    whole line, with its indentation.
    """
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    cuts: list[int] = []
    at, length = start, 0
    while at < end:
        newline = text.find("\n", at, end)
        stop = end if newline < 0 else newline + 1
        cut = _indentation(text, at, stop, width)
        pieces.append(text[at + cut : stop])
        starts.append(length)
        origins.append(at)
        cuts.append(cut)
        length += stop - at - cut
        at = stop
    starts.append(length)
    origins.append(end)
    cuts.append(0)

    def back(offset: int) -> int:
        line = bisect_right(starts, offset) - 1
        inside = offset - starts[line]
        return origins[line] + (inside + cuts[line] if inside else 0)

    return "".join(pieces), back


def _indentation(text: str, start: int, stop: int, width: int) -> int:
    cut = 0
    while cut < width and start + cut < stop and text[start + cut] in " \t":
        cut += 1
        if text[start + cut - 1] == "\t":
            break
    return cut


def relocate(blocks: list[Block], back: Map) -> list[Block]:
    """Return the blocks with all their offsets mapped. Trees are as deep as the walk's own limit, no deeper."""
    return [_moved(block, back) for block in blocks]


def _moved(block: Block, back: Map) -> Block:
    content = block.content
    moved = make_block(
        block.kind,
        back(block.span.start),
        back(block.span.end),
        make_span(back(content.start), back(content.end)) if content else None,
        tuple([_moved(child, back) for child in block.children]),
        block.attrs,
        block.number,
    )
    return moved if block.kind != "heading" else replace(moved, level=block.level, anchor=block.anchor)


def relocate_notes(sink: Sink, links: int, notices: int, back: Map) -> None:
    """Map what the sink got since it held that many links and notices."""
    sink.links[links:] = [(back(start), back(end), target) for start, end, target in sink.links[links:]]
    sink.notices[notices:] = [
        replace(notice, span=Span(start=back(notice.span.start), end=back(notice.span.end))) if notice.span else notice
        for notice in sink.notices[notices:]
    ]
