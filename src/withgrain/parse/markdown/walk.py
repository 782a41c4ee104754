"""From pulldown-cmark's events to blocks: one pass, no recursion."""

from __future__ import annotations

import re
from typing import Any

import pyromark

from withgrain.model import Block, Span
from withgrain.parse.build import make_block, make_span
from withgrain.parse.markdown.cursor import Cursor, Events, Frame, Specials
from withgrain.parse.markdown.inner import group_marked
from withgrain.parse.markdown.leaves import code, heading, html, paragraph, term
from withgrain.parse.markdown.mask import mask
from withgrain.parse.markdown.place import relocate
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.tables import table
from withgrain.parse.markdown.top import walk_top

#: Containers deeper than this keep their text but get no blocks of their own inside.
MAX_DEPTH = 100

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_HEADING_ATTRIBUTES
    | pyromark.Options.ENABLE_GFM
    | pyromark.Options.ENABLE_MATH
)
_PARSER = pyromark.Markdown(options=_OPTIONS)
_DEFINITION_PARSER = pyromark.Markdown(options=_OPTIONS | pyromark.Options.ENABLE_DEFINITION_LIST)
_DEFINITION = re.compile(r"\n[ \t>]*:[ \t]")
_NO_DEFINITION = re.compile(r"(\n[ \t>]*):(?=[^ \t\n])")
_BODY = {
    "Item": re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]*"),
    "FootnoteDefinition": re.compile(r"\[\^[^\]\n]*\]:[ \t]*"),
    "DefinitionListDefinition": re.compile(r":[ \t]*"),
    "BlockQuote": re.compile(r">[ \t]?(?:[ \t>]*\[!\w+\][^\n]*(?:\n|$))?"),
}
_CONTAINERS = frozenset({"List", "DefinitionList", *_BODY})


def markdown_blocks(text: str, sink: Sink, skip: int = 0, specials: Specials | None = None) -> list[Block]:
    """Return the top-level blocks of a piece of Markdown, in order, in its own offsets.

    The gaps between them are blank or link reference definitions. ``skip`` characters at the start (front matter, up to
    the end of a line) are taken as blank. ``specials`` are ranges of whole lines, by start, that pulldown-cmark is not
    to see, each with its end and the maker of its blocks.
    """
    masked = mask(text)
    seen = " " * (skip - 1) + "\n" + masked[skip:] if skip else masked
    if specials:
        seen = _hide(seen, specials)
    parser = _PARSER
    if _DEFINITION.search(seen):
        parser = _DEFINITION_PARSER
        seen = _NO_DEFINITION.sub(r"\1x", seen)  # ":smile:" and ":::" are no definitions
    events: Events = iter(parser.events_with_range(seen))
    cursor = Cursor(text, masked, events, sink, specials or {})
    if sink.thorough:
        _walk(cursor, events)
    else:
        walk_top(cursor, _container, children_of)
    return cursor.frame.children


def children_of(text: str, span: Span) -> tuple[Block, ...]:
    """Return the children of the one container that stands at ``span``: its lines, read again on their own."""
    blocks = markdown_blocks(span.of(text), Sink(thorough=True))
    return tuple(relocate(list(blocks[0].children), span.start.__add__)) if len(blocks) == 1 else ()


def _hide(seen: str, specials: Specials) -> str:
    """Put an empty heading in the place of each range: it ends whatever is open, and it can be found again."""
    pieces: list[str] = []
    at = 0
    for start, (end, _) in specials.items():
        pieces += (seen[at:start], "#", " " * (end - start - 2), "\n" if end - start > 1 else "")
        at = end
    pieces.append(seen[at:])
    return "".join(pieces)


def _container(cursor: Cursor, event: Any, at: Any) -> None:
    """Handle an event at the top that is not simple: a container is walked through to its end."""
    tag = event.get("Start") if event.__class__ is dict else None
    ((name, value),) = tag.items() if tag.__class__ is dict else ((tag, None),)
    if name not in _CONTAINERS:
        _inline(cursor, event, at)
        return
    root = cursor.frame
    _open(cursor, name, value, at)
    _walk(cursor, cursor.events, [root])


def _walk(cursor: Cursor, events: Events, opened: list[Frame] | None = None) -> None:
    """Walk through the events; with open containers, until the outermost is closed."""
    stack: list[Frame] = opened if opened is not None else []
    for event, at in events:
        if "Text" in event:
            frame = cursor.frame
            if frame.run_start < 0:
                frame.run_start = at["start"]
            frame.run_end = at["end"]
        elif "Start" in event:
            tag = event["Start"]
            if tag == "Paragraph":
                paragraph(cursor, at)
                continue
            if tag.__class__ is str:
                name, value = tag, None
            else:
                ((name, value),) = tag.items()
            frame = cursor.frame
            if name in _CONTAINERS:
                if frame.run_start >= 0:
                    cursor.flush_run()
                if len(stack) < MAX_DEPTH:
                    stack.append(frame)
                    _open(cursor, name, value, at)
                else:
                    _skip(events)
            elif not _leaf(cursor, name, value, at):
                _inline(cursor, event, at)
        elif "End" in event:
            _end(cursor, stack, event["End"])
            if opened is not None and not stack:
                return
        else:
            _inline(cursor, event, at)


def _end(cursor: Cursor, stack: list[Frame], tag: Any) -> None:
    if tag.__class__ is not str:
        (tag,) = tag
    if tag in _CONTAINERS:
        frame = cursor.frame
        cursor.frame = stack.pop()
        _close(cursor, frame)


def _leaf(cursor: Cursor, name: str, value: Any, at: Any) -> bool:
    """Consume a block without blocks inside; return False when ``name`` is inline markup."""
    if name not in ("Heading", "CodeBlock", "Table", "HtmlBlock", "DefinitionListTitle"):
        return False
    if cursor.frame.run_start >= 0:
        cursor.flush_run()
    if name == "Heading":
        heading(cursor, at, value)
    elif name == "CodeBlock":
        code(cursor, at, value)
    elif name == "Table":
        table(cursor, at, value)
    elif name == "HtmlBlock":
        html(cursor, at)
    else:
        term(cursor, at)
    return True


def _skip(events: Events) -> None:
    depth = 1
    for event, _ in events:
        if "Start" in event:
            depth += 1
        elif "End" in event:
            depth -= 1
            if not depth:
                return


def _inline(cursor: Cursor, event: Any, at: Any) -> None:
    """Take note of inline text at the level of a container: that of a tight list item."""
    frame = cursor.frame
    if event == "Rule":
        if frame.run_start >= 0:
            cursor.flush_run()
        cursor.add("rule", at["start"], at["end"])
        return
    if "TaskListMarker" in event:
        cursor.task(event)
        return
    if "Start" in event and event["Start"].__class__ is not str:
        cursor.link(event["Start"], at)
    if frame.run_start < 0:
        frame.run_start = at["start"]
    frame.run_end = max(frame.run_end, at["end"])


def _open(cursor: Cursor, name: str, value: Any, at: Any) -> None:
    start, end = at["start"], at["end"]
    body = start
    if name == "List":
        body = cursor.line_start(start)
    elif name in _BODY:
        match = _BODY[name].match(cursor.text, start, end)
        if match:
            body = match.end()
        if name == "BlockQuote":
            cursor.quotes += 1
    cursor.frame = Frame(name, value, start, end, body)


def _close(cursor: Cursor, frame: Frame) -> None:
    """Make the block of a container whose end has come; ``cursor.frame`` is its parent again."""
    name = frame.name
    if name == "DefinitionList":
        _close_definitions(cursor, frame)
        return
    children = frame.children
    if frame.run_start >= 0 and children:
        start, end = frame.run_start, cursor.line_end(frame.run_end)
        children.append(make_block("paragraph", start, end))
        frame.floor = end
    if children and cursor.has_markers:
        children = group_marked(cursor.text, children)
    end = _container_end(cursor, frame)
    start = frame.start
    if name == "List":
        cursor.add("list", start, end, None, tuple(children), None if frame.value is None else {"ordered": "1"})
        return
    content = make_span(min(frame.body, end), end)
    if name == "Item":
        marker = cursor.text[start : frame.body].rstrip()
        attrs = {"marker": marker} if frame.task is None else {"marker": marker, "task": frame.task}
        cursor.add("list_item", start, end, content, tuple(children), attrs, marker[:-1] or None)
    elif name == "BlockQuote":
        cursor.quotes -= 1
        if frame.value is None:
            cursor.add("quote", start, end, content, tuple(children))
        else:
            attrs = {"type": frame.value.lower(), "title": ""}
            cursor.add("admonition", start, end, content, tuple(children), attrs)
    elif name == "FootnoteDefinition":
        label = cursor.text[start + 2 : frame.body].partition("]")[0]
        cursor.add("footnote", start, end, content, tuple(children), {"label": label})
    else:
        cursor.add("definition", start, end, content, tuple(children))


def _container_end(cursor: Cursor, frame: Frame) -> int:
    low = max(frame.floor, frame.run_end)
    if cursor.quotes and frame.name != "BlockQuote":
        # The lines of a quote begin with ">": what is cut from a line of content comes back with `line_end`.
        return cursor.line_end(cursor.trim(frame.end, low, " \t\n>"))
    return cursor.line_end(cursor.trim(frame.end, low))


def _close_definitions(cursor: Cursor, frame: Frame) -> None:
    """Make one block of every term (or terms) and its definitions."""
    group: list[Block] = []
    for block in frame.children:
        if group and block.kind != "definition" and group[-1].kind == "definition":
            _add_definition(cursor, group)
            group = []
        group.append(block)
    if group:
        _add_definition(cursor, group)


def _add_definition(cursor: Cursor, group: list[Block]) -> None:
    bodies = [block for block in group if block.kind == "definition"]
    children: list[Block] = []
    for body in bodies:
        inside = body.content or body.span
        children.extend(body.children or (make_block("paragraph", inside.start, inside.end),))
    terms = [block.attrs.get("term", "") for block in group if block.kind != "definition"]
    content = _content_of(bodies)
    start, end = group[0].span.start, group[-1].span.end
    cursor.add("definition", start, end, content, tuple(children), {"term": " / ".join(terms)})


def _content_of(bodies: list[Block]) -> Span | None:
    if not bodies:
        return None
    first = bodies[0].content or bodies[0].span
    return make_span(first.start, bodies[-1].span.end)
