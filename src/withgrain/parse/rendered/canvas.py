"""Lines of canonical Markdown behind the markers of the containers that are open, and where each block stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from withgrain.model import Block, Drop, Notice, Span
from withgrain.parse.build import make_span
from withgrain.parse.rendered.escape import line_escape
from withgrain.parse.rendered.frame import Frame
from withgrain.parse.rendered.inline import Inline, clean

if TYPE_CHECKING:
    from withgrain.model import BlockKind

#: Drops that are listed one by one; the text of later ones joins the last of their reason.
MAX_DROPS = 2_000


class Canvas:
    """The text so far, its open containers, and what is noted beside it.

    Attributes:
        page: 1-based page of what is written next; None for formats without pages.
        origin: Where the source has what is written next (a box, a DOM path, sheet and cells).
        meta: Metadata of the document: ``url``, ``language``, ``title`` and the format's own.
        notices: Warnings.
    """

    def __init__(self) -> None:
        self.page: int | None = None
        self.origin: str | None = None
        self.meta: dict[str, Any] = {}
        self.notices: list[Notice] = []
        self._parts: list[str] = []
        self._at = 0
        self._frames = [Frame(None)]
        self._frames[0].start = 0
        self._skipped: list[int] = []
        self._links: list[tuple[int, int, str]] = []
        self._anchors: list[str] = []
        self._places: dict[str, Span] = {}
        self._drops: list[Drop] = []
        self._page_starts: list[tuple[int, int]] = []

    def anchor(self, name: str) -> None:
        """Note a place that links can point to: that of the block that is written next."""
        if name and len(self._anchors) < 1_000:
            self._anchors.append(name)

    def drop(self, reason: str, text: str = "") -> None:
        """List something that is left out of the text, with the reason."""
        text = clean(text)
        if len(self._drops) < MAX_DROPS:
            self._drops.append(Drop(span=None, reason=reason, text=text))
            return
        last = self._drops[-1]
        self._drops[-1] = Drop(span=None, reason=last.reason, text=f"{last.text} {text}".strip())

    def notice(self, kind: str, message: str) -> None:
        """Add a warning, once for every kind and message."""
        if not any(n.kind == kind and n.message == message for n in self.notices):
            self.notices.append(Notice(kind=kind, message=message))

    @property
    def empty(self) -> bool:
        """Whether nothing was written so far."""
        return not self._parts

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._at += len(text)

    def _indent(self) -> str:
        return "".join([frame.indent for frame in self._frames])

    def _leaf(self, kind: BlockKind, lines: Sequence[str]) -> int:
        """Write the lines of a block behind the markers of its containers; return its start."""
        prefix = self._first = self._enter(kind)
        start = self._at if not prefix or prefix.isspace() else self._at + len(prefix)
        indent = self._indent()
        self._turn(start, self.page)
        for index, line in enumerate(lines):
            self._write(f"{prefix if index == 0 else indent}{line}\n")
        return start

    def _enter(self, kind: BlockKind) -> str:
        """Write the blank line before a block and what opens its containers; return what stands before its line."""
        frames = self._frames
        first = next((i for i, frame in enumerate(frames) if frame.start < 0), len(frames))
        outer = frames[first - 1]
        following = frames[first] if first < len(frames) else None
        if outer.children and not _tight(outer, following, kind):
            self._write("".join([frame.indent for frame in frames[:first]]).rstrip() + "\n")
        prefix = ""
        for depth, frame in enumerate(frames):
            if frame.start < 0:
                frame.start = self._at if not prefix or prefix.isspace() else self._at + len(prefix)
                if frame.opening:
                    self._open(frame, prefix)
                    prefix = "".join([outer.indent for outer in frames[:depth]])
                    if frame.marked_opening and (frame is not frames[-1] or kind != "paragraph"):
                        self._write(f"{prefix}{frame.indent}".rstrip() + "\n")
            prefix += frame.marker if frame.pending else frame.indent
            frame.pending = False
            if frame.body < 0:
                frame.body = self._at + len(prefix)
        return prefix

    def _open(self, frame: Frame, prefix: str) -> None:
        outer = self._outer_indent(frame)
        for index, line in enumerate(frame.opening):
            before = prefix if index == 0 else outer
            if frame.marked_opening:
                before += frame.marker
                frame.pending = False
            self._write(f"{before}{line}\n")

    def _outer_indent(self, frame: Frame) -> str:
        return "".join([outer.indent for outer in self._frames[: self._frames.index(frame)]])

    def _add(
        self,
        kind: BlockKind,
        start: int,
        *,
        content: Span | None = None,
        children: tuple[Block, ...] = (),
        attrs: Mapping[str, str] | None = None,
        level: int | None = None,
        number: str | None = None,
        anchor: str | None = None,
    ) -> None:
        span = make_span(start, self._at)
        names = [*([anchor] if anchor else []), *self._anchors]
        self._anchors.clear()
        for name in names:
            self._places.setdefault(name, span)
        self._frames[-1].children.append(
            Block(
                kind=kind,
                span=span,
                content=content,
                level=level,
                number=number,
                children=children,
                page=self.page,
                anchor=names[0] if names else None,
                origin=self.origin,
                attrs=attrs or {},
            )
        )

    def _turn(self, at: int, page: int | None) -> None:
        """Note that the text from ``at`` on stands on ``page``."""
        if page is not None and (not self._page_starts or self._page_starts[-1][1] != page):
            self._page_starts.append((at, page))

    def _note_links(self, inline: Inline, lines: Sequence[str], start: int, shift: int) -> None:
        """Note the links of a paragraph that was just written, mapped from its content into the text."""
        if not inline.links and not inline.pages:
            return
        indent = len(self._indent())
        starts: list[tuple[int, int, int]] = []  # offset in the content, offset in the text, where a backslash stands
        inside, written = 0, start
        if self._first and self._first.isspace():
            written += len(self._first)
        for line in lines:
            escape = line_escape(line)
            starts.append((inside, written, escape))
            inside += len(line) + 1
            written += len(line) + 1 + (escape >= 0) + indent
        for begin, end, target in inline.links:
            self._links.append((_mapped(begin + shift, starts), _mapped(end + shift, starts), target))
        for offset, page in inline.pages:
            self.page = page
            self._turn(_mapped(offset + shift, starts), page)


def _tight(outer: Frame, following: Frame | None, kind: str) -> bool:
    """Return whether no blank line is needed in front of the next block of a container."""
    if outer.kind == "list" or outer.pending:
        return True
    if outer.kind != "list_item" or following is None or following.kind != "list":
        return False
    return (
        len(outer.children) == 1
        and outer.children[0].kind == "paragraph"
        and (following.attrs.get("ordered") is None or following.next_number == 2)
    )


def _mapped(offset: int, lines: Sequence[tuple[int, int, int]]) -> int:
    at = 0
    while at + 1 < len(lines) and lines[at + 1][0] <= offset:
        at += 1
    inside, written, escape = lines[at]
    return written + offset - inside + (0 <= escape <= offset - inside)
