"""From pulldown-cmark's events to blocks: one pass, no recursion.

pyromark gives ranges as UTF-8 byte offsets. It is fed a copy of the text in which every non-ASCII character is an
``x``: such a copy has the same block structure, and its byte offsets are the code-point offsets of the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyromark

from withgrain.model import Block, Notice, Span
from withgrain.parse.build import make_block, make_span
from withgrain.parse.markdown.place import Place
from withgrain.parse.numbers import printed_number

if TYPE_CHECKING:
    from withgrain.model import BlockKind
    from withgrain.parse.markdown.sink import Sink

Events = Iterator[tuple[Any, Any]]

#: Containers deeper than this keep their text but get no blocks of their own inside.
MAX_DEPTH = 100

_PARSER = pyromark.Markdown(
    options=pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_HEADING_ATTRIBUTES
    | pyromark.Options.ENABLE_GFM
    | pyromark.Options.ENABLE_DEFINITION_LIST
    | pyromark.Options.ENABLE_MATH
)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_MARKER = re.compile(r"([-*+]|\d{1,9}[.)])[ \t]*")
_FENCE = re.compile(r"`{3,}|~{3,}")
_FENCE_CLOSE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*$")
_QUOTE = re.compile(r">[ \t]?(?:[ \t>]*\[!\w+\][^\n]*(?:\n|$))?")
_FOOTNOTE = re.compile(r"\[\^[^\]\n]*\]:[ \t]*")
_DEFINITION = re.compile(r":[ \t]*")
_TAG = re.compile(r"</?([A-Za-z][\w.-]*)")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_CONTAINERS = frozenset(
    {"List", "Item", "BlockQuote", "FootnoteDefinition", "DefinitionList", "DefinitionListDefinition"}
)


def mask(text: str) -> str:
    """Return ``text`` with an ASCII letter for every other character: the same length, the same structure."""
    if text.isascii():
        return text
    if "<?" in text:
        return _NON_ASCII.sub("x", text)
    return text.encode("ascii", "replace").replace(b"?", b"x").decode("ascii")


class _Frame:
    """An open container: its name, its data, its blocks so far, and the run of inline text at its own level."""

    __slots__ = ("body", "children", "end", "floor", "name", "run_end", "run_start", "start", "task", "value")

    def __init__(self, name: str, value: Any, start: int, end: int, floor: int) -> None:
        self.name = name
        self.value = value
        self.start = start
        self.end = end
        self.body = self.floor = floor
        self.children: list[Block] = []
        self.run_start = -1
        self.run_end = -1
        self.task: str | None = None


class Walker:
    """Builds the blocks of one piece of Markdown."""

    __slots__ = ("_blank", "_events", "_frame", "_leaves", "_masked", "_place", "_quotes", "_sink", "_text")

    def __init__(self, text: str, masked: str, place: Place, sink: Sink) -> None:
        self._text = text
        self._masked = masked
        self._place = place
        self._sink = sink
        self._blank = (0, 0)
        self._quotes = 0
        self._frame = _Frame("Root", None, 0, len(text), 0)
        self._events: Events = iter(())
        self._leaves = {
            "Paragraph": self._paragraph,
            "Heading": self._heading,
            "CodeBlock": self._code,
            "HtmlBlock": self._html,
            "Table": self._table,
            "DefinitionListTitle": self._term,
        }

    # -- the loop ----------------------------------------------------------------------------------------------------

    def blocks(self) -> list[Block]:
        """Return the top-level blocks, in document offsets, in order; gaps between them are blank or definitions."""
        events: Events = iter(_PARSER.events_with_range(self._masked))
        self._events = events
        leaves = self._leaves
        stack: list[_Frame] = []
        for event, at in events:
            if event.__class__ is str:
                if event == "Rule":
                    self._flush_run()
                    self._add("rule", at["start"], at["end"])
                else:
                    self._frame.run_end = at["end"]
            elif "Start" in event:
                tag = event["Start"]
                value = None
                if tag.__class__ is not str:
                    ((tag, value),) = tag.items()
                if tag in leaves:
                    self._flush_run()
                    leaves[tag](at, value)
                elif tag in _CONTAINERS:
                    self._flush_run()
                    if len(stack) >= MAX_DEPTH:
                        self._skip_container()
                        continue
                    stack.append(self._frame)
                    self._frame = self._open(tag, value, at["start"], at["end"])
                else:
                    self._inline_start(tag, value, at)
            elif "End" in event:
                tag = event["End"]
                if tag.__class__ is not str:
                    (tag,) = tag
                if tag in _CONTAINERS:
                    frame = self._frame
                    self._frame = stack.pop()
                    self._close(frame)
            else:
                self._inline(event, at)
        return self._frame.children

    def _skip_container(self) -> None:
        depth = 1
        for event, _ in self._events:
            if event.__class__ is not str:
                if "Start" in event:
                    depth += 1
                elif "End" in event:
                    depth -= 1
                    if not depth:
                        return

    # -- containers --------------------------------------------------------------------------------------------------

    def _open(self, name: str, value: Any, start: int, end: int) -> _Frame:
        floor = start
        if name == "Item":
            match = _MARKER.match(self._text, start)
            floor = match.end() if match else start
        elif name == "FootnoteDefinition":
            match = _FOOTNOTE.match(self._text, start)
            floor = match.end() if match else start
        elif name == "DefinitionListDefinition":
            match = _DEFINITION.match(self._text, start)
            floor = match.end() if match else start
        elif name == "BlockQuote":
            self._quotes += 1
            match = _QUOTE.match(self._text, start)
            floor = match.end() if match else start
        elif name == "List":
            floor = self._line_start(start)
        return _Frame(name, value, start, end, min(floor, end))

    def _close(self, frame: _Frame) -> None:
        name = frame.name
        if name == "DefinitionList":
            self._close_definitions(frame)
            return
        if frame.run_start >= 0 and frame.children:
            self._end_run(frame)
        end = self._container_end(frame)
        floor = frame.body if frame.body < end else end
        children = tuple(frame.children)
        at = self._place.at
        if name == "Item":
            match = _MARKER.match(self._text, frame.start)
            marker = match.group(1) if match else ""
            attrs = {"marker": marker}
            if frame.task is not None:
                attrs["task"] = frame.task
            number = marker[:-1] or None
            self._add("list_item", frame.start, end, make_span(at(floor), at(end)), children, attrs, number)
        elif name == "List":
            attrs = {} if frame.value is None else {"ordered": "1"}
            self._add("list", frame.start, end, None, children, attrs)
        elif name == "BlockQuote":
            self._quotes -= 1
            content = make_span(at(floor), at(end))
            if frame.value is None:
                self._add("quote", frame.start, end, content, children)
            else:
                self._add("admonition", frame.start, end, content, children, {"type": frame.value.lower(), "title": ""})
        elif name == "FootnoteDefinition":
            label = self._text[frame.start + 2 : floor].partition("]")[0]
            content = make_span(at(floor), at(end))
            self._add("footnote", frame.start, end, content, children, {"label": label})
        else:
            self._add("definition", frame.start, end, make_span(at(floor), at(end)), children)

    def _close_definitions(self, frame: _Frame) -> None:
        """Make one block of every term and its definitions."""
        group: list[Block] = []
        for block in frame.children:
            if block.kind == "definition" or not group or group[-1].kind != "definition":
                group.append(block)
            else:
                self._add_definition(group)
                group = [block]
        if group:
            self._add_definition(group)

    def _add_definition(self, group: list[Block]) -> None:
        start, end = group[0].span.start, group[-1].span.end
        bodies = [block for block in group if block.kind == "definition"]
        children = [child for body in bodies for child in (body.children or (_as_paragraph(body),))]
        terms = [block.attrs.get("term", "") for block in group if block.kind != "definition"]
        content = _content_of(bodies)
        self._frame.children.append(
            make_block("definition", start, end, content, tuple(children), {"term": " / ".join(terms)})
        )

    def _container_end(self, frame: _Frame) -> int:
        low = max(frame.floor, frame.run_end)
        if self._quotes and frame.name != "BlockQuote":
            at, text = frame.end, self._text
            while at > low and text[at - 1] in " \t\n>":  # what is left of a line of content comes back below
                at -= 1
            return self._line_end(at)
        return self._line_end(self._trim(frame.end, low))

    # -- inline text at the level of a container (tight items) -------------------------------------------------------

    def _inline(self, event: Any, at: Any) -> None:
        frame = self._frame
        if "TaskListMarker" in event:
            frame.task = "x" if event["TaskListMarker"] else " "
        elif "FootnoteReference" in event:
            self._footnote_reference(event["FootnoteReference"], at)
        if frame.run_start < 0:
            frame.run_start = at["start"]
        frame.run_end = at["end"]

    def _inline_start(self, tag: str, value: Any, at: Any) -> None:
        frame = self._frame
        if frame.run_start < 0:
            frame.run_start = at["start"]
        frame.run_end = max(frame.run_end, at["end"])
        if value is not None:
            self._link(value, at)

    def _flush_run(self) -> None:
        if self._frame.run_start >= 0:
            self._end_run(self._frame)

    def _end_run(self, frame: _Frame) -> None:
        start, end = frame.run_start, self._line_end(frame.run_end)
        frame.run_start = -1
        at = self._place.at
        frame.children.append(make_block("paragraph", at(start), at(end)))

    # -- leaves ------------------------------------------------------------------------------------------------------

    def _paragraph(self, at: Any, _value: Any) -> None:
        start = at["start"]
        images = math = 0
        sign = self._masked[start]
        for event, where in self._events:
            if "End" in event:
                if event["End"] == "Paragraph":
                    break
            elif "Start" in event:
                tag = event["Start"]
                if tag.__class__ is not str:
                    ((name, value),) = tag.items()
                    self._link(value, where)
                    if name == "Image":
                        images += 1
            elif "FootnoteReference" in event:
                self._footnote_reference(event["FootnoteReference"], where)
            elif "DisplayMath" in event:
                math = where["end"] - where["start"]
        kind: BlockKind = "paragraph"
        if images and sign in "![" and _only_images(self._text[start : at["end"]]):
            kind = "figure"
        elif math and math + 4 > at["end"] - start and self._text[start : at["end"]].strip()[:2] == "$$":
            kind = "math"
        self._add(kind, start, at["end"])

    def _heading(self, at: Any, value: Any) -> None:
        first = last = -1
        pieces: list[str] = []
        text = self._text
        for event, where in self._events:
            if event.__class__ is str:
                pieces.append(" ")
            elif "Text" in event:
                pieces.append(self._original(event["Text"], where))
            elif "Code" in event:
                pieces.append(self._code_span(event["Code"], where))
            elif "End" in event:
                if event["End"].__class__ is not str and "Heading" in event["End"]:
                    break
                continue
            elif "Start" in event:
                if event["Start"].__class__ is not str:
                    self._link(next(iter(event["Start"].values())), where)
            elif "InlineHtml" in event:
                if _BREAK_TAG.match(event["InlineHtml"]):
                    pieces.append(" ")
            elif "InlineMath" in event or "DisplayMath" in event:
                pieces.append(text[where["start"] : where["end"]])
            if first < 0:
                first = where["start"]
            last = max(last, where["end"])
        plain = " ".join("".join(pieces).split())
        start, end = at["start"], self._line_end(at["end"])
        if first < 0:
            first = last = min(self._trim(at["end"], start), end)
        place = self._place.at
        explicit = value["id"]
        anchor = self._sink.slugs.reserve(explicit) if explicit else self._sink.slugs.unique(plain)
        begin = self._line_start(start)
        self._frame.children.append(
            make_block(
                "heading",
                place(begin),
                place(end),
                make_span(place(first), place(last)),
                (),
                {"text": plain},
                int(value["level"][1]),
                printed_number(plain),
                anchor or None,
            )
        )
        self._frame.floor = end

    def _code(self, at: Any, value: Any) -> None:
        start, stop = at["start"], at["end"]
        last_text = -1
        for event, where in self._events:
            if "End" in event:
                break
            last_text = where["end"]
        text = self._text
        if value == "Indented":
            self._add("code", start, self._trim(stop, start), None)
            return
        first_end = text.find("\n", start, stop)
        opening = text[start : stop if first_end < 0 else first_end].rstrip()
        fence_match = _FENCE.match(opening)
        fence = fence_match.group() if fence_match else "```"
        info = opening[len(fence) :].strip()
        trimmed = self._trim(stop, start)
        last_line = text.rfind("\n", start, trimmed) + 1
        close = _FENCE_CLOSE.match(text, last_line, trimmed) if last_line > start else None
        end = self._line_end(trimmed)
        inner_start = end if first_end < 0 else first_end + 1
        closed = close is not None and last_text <= last_line
        inner_end = last_line if closed else end
        begin = self._line_start(start)
        attrs = {"fence": opening, "fence_end": fence}
        if info:
            attrs["language"] = info.split(None, 1)[0]
        if begin < start:
            attrs["indent"] = text[begin:start]
        place = self._place.at
        content = make_span(place(min(inner_start, inner_end)), place(inner_end))
        self._add("code", start, end, content, (), attrs)
        if not closed:
            self._unclosed(place(begin), place(end))

    def _unclosed(self, start: int, end: int) -> None:
        self._sink.notices.append(
            Notice(
                kind="unclosed_fence",
                message="A code fence is never closed; everything behind it was read as code. Add the closing fence.",
                span=Span(start=start, end=end),
            )
        )

    def _html(self, at: Any, _value: Any) -> None:
        for event, _ in self._events:
            if "End" in event:
                break
        start, end = at["start"], self._trim(at["end"], at["start"])
        text = self._text
        if text.startswith("<!--", start) and _only_comments(text, start, end):
            self._add("comment", start, end)
            return
        tag = _TAG.match(text, start)
        self._add("html", start, end, None, (), {"tag": tag.group(1).lower()} if tag else None)

    def _term(self, at: Any, _value: Any) -> None:
        pieces: list[str] = []
        for event, where in self._events:
            if event.__class__ is str:
                pieces.append(" ")
            elif "Text" in event:
                pieces.append(self._original(event["Text"], where))
            elif "Code" in event:
                pieces.append(self._code_span(event["Code"], where))
            elif "End" in event:
                if event["End"] == "DefinitionListTitle":
                    break
            elif "Start" in event and event["Start"].__class__ is not str:
                self._link(next(iter(event["Start"].values())), where)
        self._add("paragraph", at["start"], at["end"], None, (), {"term": "".join(pieces).strip()})

    # -- tables ------------------------------------------------------------------------------------------------------

    def _table(self, at: Any, value: Any) -> None:
        text, place = self._text, self._place.at
        rows: list[Block] = []
        cells: list[Block] = []
        begin = self._line_start(at["start"])
        row_end = begin
        role = "body"
        for event, where in self._events:
            if "Start" in event:
                tag = event["Start"]
                if tag == "TableCell":
                    start, end = where["start"], where["end"]
                elif tag in ("TableRow", "TableHead"):
                    role = "body" if tag == "TableRow" else "header"
                    row_at = where["start"]
                    cells = []
                elif tag.__class__ is not str:
                    self._link(next(iter(tag.values())), where)
            elif "End" in event:
                tag = event["End"]
                if tag == "TableCell":
                    cell = text[start:end]
                    start += len(cell) - len(cell.lstrip())
                    cells.append(make_block("table_cell", place(start), place(start + len(cell.strip()))))
                elif tag in ("TableRow", "TableHead"):
                    row_start = row_at if row_at < row_end or text[row_end:row_at].strip() else row_end
                    row_end = self._line_end(where["end"])
                    rows.append(
                        make_block("table_row", place(row_start), place(row_end), None, tuple(cells), {"role": role})
                    )
                    if tag == "TableHead":
                        row_start, row_end = row_end, self._line_end(row_end + 1)
                        rows.append(
                            make_block("table_row", place(row_start), place(row_end), attrs={"role": "delimiter"})
                        )
                elif tag == "Table":
                    break
            elif "FootnoteReference" in event:
                self._footnote_reference(event["FootnoteReference"], where)
        self._add("table", at["start"], row_end, None, tuple(rows), {"columns": str(len(value))})

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _add(
        self,
        kind: BlockKind,
        start: int,
        end: int,
        content: Span | None = None,
        children: tuple[Block, ...] = (),
        attrs: dict[str, str] | None = None,
        number: str | None = None,
    ) -> None:
        frame = self._frame
        begin = self._line_start(start)
        end = self._line_end(end)
        place = self._place
        if place.local is None:
            base = place.base
            block = make_block(kind, base + begin, base + end, content, children, attrs, None, number)
        else:
            block = make_block(kind, place.at(begin), place.at(end), content, children, attrs, None, number)
        frame.children.append(block)
        frame.floor = end

    def _line_start(self, start: int) -> int:
        """Move ``start`` to the beginning of its line when only white space lies between, inside the open container."""
        text = self._text
        if not start or text[start - 1] not in " \t":
            return start
        frame = self._frame
        floor = frame.floor if frame.children or frame.name != "Root" else 0
        begin = text.rfind("\n", floor, start) + 1 or floor
        return begin if begin < start and text[begin:start].isspace() else start

    def _line_end(self, end: int) -> int:
        text = self._text
        if end and text[end - 1] == "\n":
            return end
        newline = text.find("\n", end)
        return len(text) if newline < 0 else newline + 1

    def _trim(self, end: int, low: int) -> int:
        """Return the end of the last line before ``end`` that is not blank, but not less than ``low``.

        Nested containers end at the same place: the last answer is kept, so that a long blank run is walked once.
        """
        known, trimmed = self._blank
        if trimmed <= end <= known:
            return max(trimmed, low)
        text = self._text
        at = end
        while at > low and text[at - 1] in " \t\n":
            at -= 1
        self._blank = (end, at)
        return at

    def _original(self, value: str, at: Any) -> str:
        """Return the text of an event in the document's own characters; resolved entities stay as they are."""
        start, end = at["start"], at["end"]
        if len(value) != end - start:
            return value
        return self._text[start:end] if self._masked[start:end] == value else value

    def _code_span(self, value: str, at: Any) -> str:
        found = self._masked.find(value, at["start"], at["end"])
        return self._text[found : found + len(value)] if found >= 0 else value

    def _link(self, value: Any, at: Any) -> None:
        start, end = at["start"], at["end"]
        target: str = value["dest_url"]
        if self._text is not self._masked:
            found = self._masked.rfind(target, start, end)
            if found >= 0:
                target = self._text[found : found + len(target)]
        place = self._place.at
        self._sink.links.append((place(start), place(end), target))

    def _footnote_reference(self, _label: str, at: Any) -> None:
        place = self._place.at
        start, end = at["start"], at["end"]
        self._sink.footnotes.append((place(start), place(end), self._text[start + 2 : end - 1]))


def _content_of(bodies: list[Block]) -> Span | None:
    if not bodies:
        return None
    first = bodies[0].content or bodies[0].span
    return make_span(first.start, bodies[-1].span.end)


def _as_paragraph(block: Block) -> Block:
    span = block.content or block.span
    return make_block("paragraph", span.start, span.end)


def _only_images(text: str) -> bool:
    """Return whether a paragraph holds nothing but images and links around images."""
    return not _IMAGE.sub("", text).strip(" \t\n[]")


_IMAGE = re.compile(
    r"!\[[^\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?"  # ![alt](target) or ![alt][label]
    r"(?:\]\([^()\n]*\))?(?:\{[^}\n]*\})?"  # the end of a link around it, attributes
)


def _only_comments(text: str, start: int, end: int) -> bool:
    """Return whether ``text[start:end]`` is HTML comments and white space only."""
    at = start
    while text.startswith("<!--", at):
        close = text.find("-->", at + 2, end)
        if close < 0:
            return False
        at = close + 3
        while at < end and text[at] in " \t\n":
            at += 1
    return at >= end
