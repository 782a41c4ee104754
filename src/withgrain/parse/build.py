"""Fast construction of `Block` and `Span`.

A frozen slotted dataclass sets each field through ``object.__setattr__``: 3 µs for a block with its span. A parser
makes tens of thousands of them. Here a plain twin class with the same slots is filled and then becomes the frozen
class: 1 µs, and the result cannot be told from one that the constructor made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from withgrain.model import Block, Span

if TYPE_CHECKING:
    from withgrain.model import BlockKind


class _SpanTwin:
    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class _BlockTwin:
    __slots__ = ("anchor", "attrs", "children", "content", "kind", "level", "number", "origin", "page", "span")

    def __init__(
        self,
        kind: BlockKind,
        span: Span,
        content: Span | None,
        children: tuple[Block, ...],
        attrs: Mapping[str, str],
        level: int | None,
        number: str | None,
        anchor: str | None,
    ) -> None:
        self.kind = kind
        self.span = span
        self.content = content
        self.level = level
        self.number = number
        self.children = children
        self.page = None
        self.anchor = anchor
        self.origin = None
        self.attrs = attrs


def make_span(start: int, end: int) -> Span:
    """Return ``Span(start=start, end=end)``."""
    twin = _SpanTwin(start, end)
    twin.__class__ = Span  # type: ignore[assignment]
    return cast(Span, twin)


def make_block(
    kind: BlockKind,
    start: int,
    end: int,
    content: Span | None = None,
    children: tuple[Block, ...] = (),
    attrs: Mapping[str, str] | None = None,
    level: int | None = None,
    number: str | None = None,
    anchor: str | None = None,
) -> Block:
    """Return the `Block` with these fields; ``page`` and ``origin`` are None."""
    span = _SpanTwin(start, end)
    span.__class__ = Span  # type: ignore[assignment]
    twin = _BlockTwin(kind, cast(Span, span), content, children, {} if attrs is None else attrs, level, number, anchor)
    twin.__class__ = Block  # type: ignore[assignment]
    return cast(Block, twin)
