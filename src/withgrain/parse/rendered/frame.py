"""An open container of the writer: a list, an item, a quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from withgrain.model import Block

if TYPE_CHECKING:
    from withgrain.model import BlockKind


class Frame:
    """A container whose content is being written. Nothing of it is in the text before its first content is.

    Attributes:
        kind: Kind of its block; None for the document.
        marker: What stands in front of its first line ("- ", "> ", "[^1]: ").
        indent: What stands in front of its other lines.
        opening: Lines in front of its content: the terms of a definition, ``:::note Title``.
        marked_opening: Whether its own marker stands in front of those lines, too.
        closing: Line behind its content; empty where there is none.
        attrs: Of its block.
        number: Of its block.
        lead: A printed number that is no Markdown marker ("(a)"): the next paragraph begins with it.
        anchor: Of its block.
        page: Page on which it began.
        origin: Where it began.
        start: Offset of its first line, behind the markers of outer containers; -1 while nothing was written.
        body: Offset of its content.
        pending: Whether the marker is still to be written.
        sign: Of a list: its bullet, or what stands behind its numbers.
        next_number: Of a list: number of the next item.
        last_list: `sign` of the list that was written last in this container.
        children: Blocks so far.
    """

    __slots__ = (
        "anchor", "attrs", "body", "children", "closing", "indent", "kind", "last_list", "lead", "marked_opening",
        "marker", "next_number", "number", "opening", "origin", "page", "pending", "sign", "start",
    )  # fmt: skip

    def __init__(
        self,
        kind: BlockKind | None,
        *,
        marker: str = "",
        indent: str = "",
        opening: Sequence[str] = (),
        attrs: Mapping[str, str] | None = None,
        number: str | None = None,
    ) -> None:
        self.kind = kind
        self.marker = marker
        self.indent = indent
        self.opening = tuple(opening)
        self.marked_opening = False
        self.closing = ""
        self.attrs = dict(attrs or {})
        self.number = number
        self.lead = ""
        self.anchor: str | None = None
        self.page: int | None = None
        self.origin: str | None = None
        self.start = -1
        self.body = -1
        self.pending = bool(marker)
        self.sign = ""
        self.next_number = 1
        self.last_list = ""
        self.children: list[Block] = []
