"""Leaves: the pieces of a chunk that get a vector each. A chunk is as near to a question as its nearest leaf."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from withgrain.chunk.cascade import explode
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.split_block import split_block
from withgrain.chunk.unit import Unit
from withgrain.model import Chunk, Document, Leaf, leaf_id
from withgrain.types import Tokenizer

#: A leaf is cut at this many tokens, path not counted: beyond it a small model's vector says less about each part.
LEAF_TOKENS = 120
#: Headings of the path that stand in front of a leaf, counted from its own.
PATH_DEPTH = 3
#: Neighbouring items or rows share a leaf while they are shorter than this.
SMALL_LEAF = 24


def leaves(document: Document, chunk: Chunk, tokenizer: Tokenizer, window: int) -> tuple[Leaf, ...]:
    """Return the leaves of a chunk in order; together they hold every word of its body.

    Args:
        document: The chunk's document.
        chunk: The chunk.
        tokenizer: The embedder's own.
        window: Tokens that the embedder reads; no leaf is longer.
    """
    ruler = Ruler(document.text, tokenizer, "tokens")
    tail = _tail(chunk, ruler, window)
    most = max(1, min(LEAF_TOKENS, window - ruler.part(tail)))
    if chunk.span is None:
        units = [Unit(start=0, end=len(chunk.body))]
        ruler = Ruler(chunk.body, tokenizer, "tokens")
    else:
        units = _units(document, chunk)
    pieces = _joined(explode(units, ruler, most, set()), ruler)
    result: list[Leaf] = []
    seen: dict[str, int] = {}
    for first, end in pieces:
        body = ruler.text[first.start : end].strip()
        if not body:
            continue
        lead = [p.text for p in first.lead if p.role in ("table_header", "stem")]
        text = "\n".join((*((tail,) if tail else ()), *lead, body))
        if tokenizer.count(text) > window:
            text = "\n".join((*((tail,) if tail else ()), body))
        if tokenizer.count(text) > window:
            text = body
        nth = seen.get(text, 0)
        seen[text] = nth + 1
        start = ruler.text.index(body, first.start)
        span = None if chunk.span is None else replace(chunk.span, start=start, end=start + len(body))
        result.append(Leaf(id=leaf_id(chunk.id, text, nth), chunk_id=chunk.id, span=span, text=text))
    return tuple(result)


def _tail(chunk: Chunk, ruler: Ruler, window: int) -> str:
    """Return the last headings of the path (the title where there are none), at most a third of the window."""
    names = list(chunk.heading_path[-PATH_DEPTH:]) or ([chunk.title] if chunk.title else [])
    while names and ruler.part(" > ".join(names)) > window // 3:
        names.pop(0)
    return " > ".join(names)


def _units(document: Document, chunk: Chunk) -> list[Unit]:
    """Return the chunk's blocks, lists cut into items and tables into rows, clipped to the chunk's body."""
    assert chunk.span is not None
    start, end = chunk.span.start, chunk.span.end
    first = max(0, bisect_right(document.blocks, start, key=lambda b: b.span.start) - 1)
    units: list[Unit] = []
    for block in document.blocks[first:]:
        if block.span.start >= end:
            break
        if block.kind == "blank" or block.span.end <= start:
            continue
        whole = Unit(start=block.span.start, end=block.span.end, block=block)
        pieces = split_block(whole, document.text) if block.kind in ("list", "table") else [whole]
        for piece in pieces:
            if piece.end <= start or piece.start >= end:
                continue
            cut = piece.start < start or piece.end > end
            clipped = replace(piece, start=max(piece.start, start), end=min(piece.end, end), size=-1)
            units.append(replace(clipped, block=None) if cut else clipped)
    return units


def _joined(units: list[Unit], ruler: Ruler) -> list[tuple[Unit, int]]:
    """Join neighbouring short items and rows; returns (first unit, end) pairs."""
    ruler.measure(units)
    result: list[tuple[Unit, int]] = []
    size = 0
    for unit in units:
        if result and unit.kind in ("item", "row") and size + unit.size <= SMALL_LEAF and result[-1][1] == unit.start:
            result[-1] = (result[-1][0], unit.end)
            size += unit.size
        else:
            result.append((unit, unit.end))
            size = unit.size
    return result
