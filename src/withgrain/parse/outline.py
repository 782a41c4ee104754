"""Blocks of documents without headings of their own (source code, data): a tree of named nodes becomes an outline.

A function, a key, a resource is a section like any other, but its name is not text that stands apart: the signature
belongs to the body. So its heading is a block of length 0 with ``role`` = ``symbol`` in front of the node. Text that
follows a node inside its parent stands behind such a heading without a name, which adds nothing to the path.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from withgrain.model import Block, BlockKind, Span, label
from withgrain.parse.build import make_block, make_heading, make_span

#: Deeper nodes are no sections: a path of more names would say less, and hostile nesting must stay cheap.
DEEPEST = 8
_WORD = re.compile(r"\w")
#: Nothing, or the line between two YAML documents.
_BLANK = re.compile(r"\s*(?:(?:---|\.\.\.)[ \t]*(?:\n\s*|\Z))*")
_STATEMENT = {"role": "statement"}


@dataclass(slots=True, kw_only=True)
class Node:
    """A named stretch of the text: a class, a function, a key, a resource.

    Attributes:
        name: Its element of the heading path; "" adds nothing to the path.
        start: First code point, what belongs to it (comments, decorators) included.
        end: Behind the last one, at best behind a line break.
        header: Where its signature stands, repeated beside its parts when it is cut; None when the path says enough.
        unit: Whether it is packed on its own, not together with what stands around it.
        children: Nodes inside it, in order, without overlap.
        joints: Where its own text (outside of its children) is best cut, in order: see `joint`.
    """

    name: str
    start: int
    end: int
    header: Span | None = None
    unit: bool = False
    children: list[Node] = field(default_factory=list)
    joints: list[Block] = field(default_factory=list)


def joint(start: int, end: int, inner: list[Block] | None = None) -> Block:
    """Return a statement, member or the like that is kept whole while it fits; ``inner`` are the joints inside it."""
    return make_block("code", start, end, None, tuple(inner) if inner and len(inner) > 1 else (), _STATEMENT)


@dataclass(slots=True)
class _Frame:
    node: Node
    level: int
    at: int
    child: int = 0
    parted: bool = False


def outline_blocks(text: str, root: Node, attrs: Mapping[str, str], kind: BlockKind = "code") -> tuple[Block, ...]:
    """Return the blocks of a tree; they tile the text of the root.

    Args:
        text: The canonical text.
        root: The document. It has a heading only when it is a `Node.unit`.
        attrs: Attributes of the blocks that hold text (``language``).
        kind: Kind of these blocks.
    """
    out: list[Block] = []
    stack = [_Frame(root, 0, root.start)]
    if root.unit:
        out.append(_heading(root, 1))
        stack[0].level = 1
    while stack:
        frame = stack[-1]
        node = frame.node
        if frame.child == len(node.children):
            _stretch(text, frame, node.end, out, attrs, kind)
            stack.pop()
            continue
        child = node.children[frame.child]
        frame.child += 1
        _stretch(text, frame, child.start, out, attrs, kind)
        frame.at, frame.parted = child.end, True
        out.append(_heading(child, frame.level + 1))
        stack.append(_Frame(child, frame.level + 1, child.start))
    return tuple(out)


def _heading(node: Node, level: int) -> Block:
    content = node.header or make_span(node.start, node.start)
    block = make_heading(node.start, node.start, content, level, label(node.name), None, None)
    attrs = {"text": block.attrs["text"], "role": "symbol"}
    return replace(block, attrs=attrs | ({"unit": "1"} if node.unit else {}))


def _stretch(text: str, frame: _Frame, end: int, out: list[Block], attrs: Mapping[str, str], kind: BlockKind) -> None:
    """Add the node's own text up to ``end``; closing signs behind a child stay with the child."""
    start = frame.at
    if start >= end:
        return
    if _BLANK.fullmatch(text, start, end):
        out.append(make_block("blank", start, end))
        return
    if frame.parted:
        last = out[-1]
        if last.kind == kind and _WORD.search(text, start, end) is None:
            out[-1] = replace(last, span=make_span(last.span.start, end))
            return
        out.append(_heading(Node(name="", start=start, end=end), frame.level + 1))
    joints = frame.node.joints
    first = bisect_left(joints, start, key=_start)
    inside = joints[first : bisect_left(joints, end, first, key=_start)]
    out.append(make_block(kind, start, end, None, tuple(inside), attrs))


def _start(block: Block) -> int:
    return block.span.start
