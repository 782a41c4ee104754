"""Fast construction of the model's frozen data.

A frozen slotted dataclass sets each field through ``object.__setattr__``: 3 µs for a block with its span, and a parser
makes tens of thousands of them. Here an instance of a plain twin class with the same slots is filled and then becomes
an instance of the frozen class: three times as fast, and it cannot be told from one that the constructor made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from withgrain.model import Block, Link, Span

if TYPE_CHECKING:
    from withgrain.model import BlockKind


class _SpanTwin:
    __slots__ = ("end", "start")


class _BlockTwin:
    __slots__ = ("anchor", "attrs", "children", "content", "kind", "level", "number", "origin", "page", "span")


class _LinkTwin:
    __slots__ = ("kind", "resolved", "span", "target")


_new: Any = object.__new__


def make_span(start: int, end: int) -> Span:
    """Return ``Span(start=start, end=end)``."""
    span: Any = _new(_SpanTwin)
    span.start = start
    span.end = end
    span.__class__ = Span
    return span  # type: ignore[no-any-return]


def make_block(
    kind: BlockKind,
    start: int,
    end: int,
    content: Span | None = None,
    children: tuple[Block, ...] = (),
    attrs: Mapping[str, str] | None = None,
    number: str | None = None,
) -> Block:
    """Return the `Block` with these fields; the others have their defaults."""
    span: Any = _new(_SpanTwin)
    span.start = start
    span.end = end
    span.__class__ = Span
    block: Any = _new(_BlockTwin)
    block.kind = kind
    block.span = span
    block.content = content
    block.level = None
    block.number = number
    block.children = children
    block.page = None
    block.anchor = None
    block.origin = None
    block.attrs = {} if attrs is None else attrs
    block.__class__ = Block
    return block  # type: ignore[no-any-return]


def make_heading(
    start: int, end: int, content: Span, level: int, text: str, number: str | None, anchor: str | None
) -> Block:
    """Return the `Block` of a heading."""
    block: Any = _new(_BlockTwin)
    block.kind = "heading"
    block.span = make_span(start, end)
    block.content = content
    block.level = level
    block.number = number
    block.children = ()
    block.page = None
    block.anchor = anchor
    block.origin = None
    block.attrs = {"text": text}
    block.__class__ = Block
    return block  # type: ignore[no-any-return]


def make_link(start: int, end: int, target: str, kind: str, resolved: Span | None = None) -> Link:
    """Return the `Link` with these fields."""
    link: Any = _new(_LinkTwin)
    link.span = make_span(start, end)
    link.target = target
    link.kind = kind
    link.resolved = resolved
    link.__class__ = Link
    return link  # type: ignore[no-any-return]
