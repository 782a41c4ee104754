"""The state of a walk over the events of one piece of Markdown, and what all handlers of events need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from withgrain.model import Block, Span
from withgrain.parse.build import make_block

if TYPE_CHECKING:
    from withgrain.model import BlockKind
    from withgrain.parse.markdown.sink import Sink

#: pyromark's events: dictionaries with one key, or strings; each with its range.
Events = Iterator[tuple[Any, Any]]
#: By start: the end of a range that is not Markdown, and the maker of its blocks.
Specials = Mapping[int, tuple[int, Callable[[], list[Block]]]]


class Frame:
    """An open container.

    Attributes:
        name: pulldown-cmark's name.
        value: Its data.
        start: Where it starts.
        end: Where pulldown-cmark ends it: blank lines behind it may be included.
        body: Where its content starts: behind a list marker.
        floor: Where the next child can start at the earliest.
        run_start: Start of inline text at its own level (a tight list item), -1 outside of such text.
        run_end: End of that text so far.
        task: State of a task item.
        children: Its blocks so far.
    """

    __slots__ = ("body", "children", "end", "floor", "name", "run_end", "run_start", "start", "task", "value")

    def __init__(self, name: str, value: Any, start: int, end: int, body: int) -> None:
        self.name = name
        self.value = value
        self.start = start
        self.end = end
        self.body = self.floor = body
        self.run_start = -1
        self.run_end = -1
        self.task: str | None = None
        self.children: list[Block] = []


class Cursor:
    """Where the walk stands. All offsets are those of the piece.

    Attributes:
        text: The piece.
        masked: Its ASCII copy, which pulldown-cmark sees.
        sink: Collects links, footnote references, notices and anchors.
        events: The events that are still to come.
        frame: The innermost open container.
        specials: Ranges that pulldown-cmark sees as empty headings.
        quotes: Number of open block quotes.
        has_markers: Whether a paragraph began like an admonition.
    """

    __slots__ = ("_blank_runs", "events", "frame", "has_markers", "masked", "quotes", "sink", "specials", "text")

    def __init__(self, text: str, masked: str, events: Events, sink: Sink, specials: Specials) -> None:
        self.text = text
        self.masked = masked
        self.sink = sink
        self.events = events
        self.specials = specials
        self.frame = Frame("Root", None, 0, len(text), 0)
        self.quotes = 0
        self.has_markers = False
        self._blank_runs = {" \t\n": (0, 0), " \t\n>": (0, 0)}

    def add(
        self,
        kind: BlockKind,
        start: int,
        end: int,
        content: Span | None = None,
        children: tuple[Block, ...] = (),
        attrs: dict[str, str] | None = None,
        number: str | None = None,
    ) -> None:
        """Append a block to the open container; it takes whole lines where it can."""
        text = self.text
        if start and text[start - 1] in " \t":
            start = self.line_start(start)
        if text[end - 1] != "\n":
            end = self.line_end(end)
        frame = self.frame
        frame.children.append(make_block(kind, start, end, content, children, attrs, number))
        frame.floor = end

    def line_start(self, start: int) -> int:
        """Return the beginning of the line when only white space lies between, not before the container's floor."""
        text = self.text
        if not start or text[start - 1] not in " \t":
            return start
        floor = self.frame.floor
        begin = text.rfind("\n", floor, start) + 1 or floor
        return begin if begin < start and text[begin:start].isspace() else start

    def line_end(self, end: int) -> int:
        """Return the offset behind the line break of the line that ends at or contains ``end``."""
        text = self.text
        if end and text[end - 1] == "\n":
            return end
        newline = text.find("\n", end)
        return len(text) if newline < 0 else newline + 1

    def trim(self, end: int, low: int, signs: str = " \t\n") -> int:
        """Return ``end`` moved back over ``signs``, but not below ``low``.

        Nested containers end at the same place: the last answer is kept, so that a long blank run is walked once.
        """
        known, trimmed = self._blank_runs[signs]
        if trimmed <= end <= known:
            return max(trimmed, low)
        text = self.text
        at = end
        while at > low and text[at - 1] in signs:
            at -= 1
        self._blank_runs[signs] = (end, at)
        return at

    def flush_run(self) -> None:
        """Close the inline text at the level of the open container: it becomes a paragraph."""
        frame = self.frame
        start, end = frame.run_start, self.line_end(frame.run_end)
        frame.run_start = -1
        frame.children.append(make_block("paragraph", start, end))
        frame.floor = end

    def original(self, value: str, at: Any) -> str:
        """Return the text of an event in the document's own characters; resolved entities stay as they are."""
        if self.text is self.masked:
            return value
        start, end = at["start"], at["end"]
        same = len(value) == end - start and self.masked.startswith(value, start)
        return self.text[start:end] if same else value

    def code_span(self, value: str, at: Any) -> str:
        """Return the content of an inline code span in the document's own characters."""
        if self.text is self.masked:
            return value
        found = self.masked.find(value, at["start"], at["end"])
        return self.text[found : found + len(value)] if found >= 0 else value

    def task(self, event: Any) -> None:
        """Note the state of the open task item."""
        self.frame.task = "x" if event["TaskListMarker"] else " "

    def link(self, tag: dict[str, Any], at: Any) -> None:
        """Note a link or an image."""
        (value,) = tag.values()
        target: str = value["dest_url"]
        start, end = at["start"], at["end"]
        if self.text is not self.masked:
            found = self.masked.rfind(target, start, end)
            if found >= 0:
                target = self.text[found : found + len(target)]
        self.sink.links.append((start, end, target))
