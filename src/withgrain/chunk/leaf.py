"""Leaves: the pieces of a chunk that get a vector each. A chunk is as near to a question as its nearest leaf."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from withgrain.chunk.cascade import explode
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.split_block import table_head, table_header
from withgrain.chunk.unit import Unit
from withgrain.model import Block, Chunk, Document, Leaf, leaf_id
from withgrain.types import Tokenizer

#: Kinds of pieces that are no unit of meaning: they were cut for length only.
_FRAGMENTS = ("sentence", "word", "grapheme", "line", "window", "statement", "cell")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafShape:
    """How chunks are cut into leaves; sizes in tokens of the embedder.

    Attributes:
        tokens: A leaf is cut at this size, path not counted: beyond it a small model's vector says less of each part.
        small: Neighbouring items or rows share a leaf up to this size.
        label: A block of at most this size is a label of what follows, and joins it.
        title: Whether the document's title stands in front of a leaf whose headings do not have it; it always does
            where there are no headings.
        depth: Headings of the path that stand in front of a leaf, counted from its own.
    """

    tokens: int = 120
    small: int = 24
    label: int = 12
    title: bool = False
    depth: int = 3


#: What collections have; another one is another `withgrain.chunk.CHUNKER_VERSION`.
LEAVES = LeafShape()


def leaves(
    document: Document, chunk: Chunk, tokenizer: Tokenizer, window: int, shape: LeafShape = LEAVES
) -> tuple[Leaf, ...]:
    """Return the leaves of a chunk in order; together they hold every word of its body.

    Args:
        document: The chunk's document.
        chunk: The chunk.
        tokenizer: The embedder's own.
        window: Tokens that the embedder reads; no leaf is longer.
        shape: Sizes, and what stands in front.
    """
    ruler = Ruler(document.text, tokenizer, "tokens")
    ahead = _ahead(document, chunk, ruler, window // 3, shape)
    most = max(1, min(shape.tokens, window - ruler.part(ahead)))
    if chunk.span is None:
        units = [Unit(start=0, end=len(chunk.body))]
        ruler = Ruler(chunk.body, tokenizer, "tokens")
    else:
        units = _units(document, chunk)
    pieces = _joined(explode(units, ruler, most, set()), ruler, most, shape)
    result: list[Leaf] = []
    seen: dict[str, int] = {}
    for first, end in pieces:
        body = ruler.text[first.start : end].strip()
        if not body:
            continue
        lead = [p.text for p in first.lead if p.role in ("table_header", "stem")]
        text = "\n".join((*((ahead,) if ahead else ()), *lead, body))
        if tokenizer.count(text) > window:
            text = "\n".join((*((ahead,) if ahead else ()), body))
        if tokenizer.count(text) > window:
            text = body
        nth = seen.get(text, 0)
        seen[text] = nth + 1
        start = ruler.text.index(body, first.start)
        span = None if chunk.span is None else replace(chunk.span, start=start, end=start + len(body))
        result.append(Leaf(id=leaf_id(chunk.id, text, nth), chunk_id=chunk.id, span=span, text=text))
    return tuple(result)


def _ahead(document: Document, chunk: Chunk, ruler: Ruler, most: int, shape: LeafShape) -> str:
    """Return title and last headings of the path, as many as ``most`` tokens hold: the outer ones are left out.

    A title that is only the file's name ("CONTRACT_2004_EX_10") tells a model nothing and costs tokens in every leaf.
    """
    names = list(chunk.heading_path[-shape.depth :]) if shape.depth else []
    named = chunk.title and chunk.title != PurePosixPath(document.source.path).stem
    if named and chunk.title not in names and (shape.title or not chunk.heading_path):
        names.insert(0, chunk.title)
    while names and ruler.part(" > ".join(names)) > most:
        names.pop(0)
    return " > ".join(names)


def _units(document: Document, chunk: Chunk) -> list[Unit]:
    """Return the chunk's blocks, lists cut into items and tables into rows, clipped to the chunk's body.

    Only what the chunk touches is looked at, so that the chunks of a long table cost no more than its rows.
    """
    assert chunk.span is not None
    start, end = chunk.span.start, chunk.span.end
    units: list[Unit] = []
    for block in _touched(document.blocks, start, end):
        if block.kind == "blank":
            continue
        for piece in _pieces(block, document.text, start, end):
            cut = piece.start < start or piece.end > end
            clipped = replace(piece, start=max(piece.start, start), end=min(piece.end, end))
            units.append(replace(clipped, block=None) if cut else clipped)
    return units


def _touched(blocks: Sequence[Block], start: int, end: int) -> Sequence[Block]:
    first = max(0, bisect_right(blocks, start, key=_start_of) - 1)
    touched = blocks[first : bisect_left(blocks, end, key=_start_of)]
    return [b for b in touched if b.span.end > start]


def _start_of(block: Block) -> int:
    return block.span.start


def _pieces(block: Block, text: str, start: int, end: int) -> list[Unit]:
    """Return the items or rows of a block that the range touches; other blocks whole."""
    members = block.children
    head = len(table_head(block)) if block.kind == "table" else 0
    if block.kind not in ("list", "table") or head >= len(members):
        return [Unit(start=block.span.start, end=block.span.end, block=block)]
    first = max(head, bisect_right(members, start, key=_start_of) - 1)
    last = min(len(members), bisect_left(members, end, key=_start_of) + 1)
    kind = "item" if block.kind == "list" else "row"
    lead = table_header(block, text) if block.kind == "table" else ()
    pieces = []
    for k in range(first, max(last, first + 1)):
        at = members[k].span.start if k > head else block.span.start  # the header stays with the first row
        stop = members[k + 1].span.start if k + 1 < len(members) else block.span.end
        if at < end and stop > start:
            pieces.append(Unit(start=at, end=stop, kind=kind, block=members[k], lead=lead if k > head else ()))
    return pieces


def _joined(units: list[Unit], ruler: Ruler, most: int, shape: LeafShape) -> list[tuple[Unit, int]]:
    """Join neighbours that are too small for a vector of their own; returns (first unit, end) pairs.

    Pieces of one paragraph, line run or code block are joined up to ``most`` tokens, short items and rows up to
    ``shape.small``, and a label ("Note:", "Example") joins the block behind it.
    """
    ruler.measure(units)
    result: list[tuple[Unit, int]] = []
    size = 0
    for unit in units:
        if result and _joins(result[-1][1], size, unit, ruler, most, shape):
            result[-1] = (result[-1][0], unit.end)
            size += unit.size
        else:
            result.append((unit, unit.end))
            size = unit.size
    return result


def _joins(end: int, size: int, unit: Unit, ruler: Ruler, most: int, shape: LeafShape) -> bool:
    if ruler.text[end : unit.start].strip():
        return False
    if unit.kind in _FRAGMENTS:
        return size + unit.size <= most
    if unit.kind in ("item", "row"):
        return size + unit.size <= shape.small
    return size <= shape.label and size + unit.size <= most
