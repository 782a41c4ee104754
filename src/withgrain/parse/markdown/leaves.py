"""Blocks that hold no blocks: paragraphs, headings, code, HTML. Each handler consumes the events of its block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from withgrain.model import Notice, Span
from withgrain.parse.build import make_heading, make_span
from withgrain.parse.markdown.cursor import Cursor
from withgrain.parse.markdown.html import html_block
from withgrain.parse.numbers import CLAUSE_STARTS, clause_number, printed_number
from withgrain.parse.text.groups import Group
from withgrain.parse.text.tables import split_table

if TYPE_CHECKING:
    from withgrain.model import BlockKind

_FENCE = re.compile(r"`{3,}|~{3,}")
_CLOSED_AT_TAB = re.compile(r"[ ]*(?:\t[ \t]*#+[ \t]*|[ ]#+[ ]*\t[ \t]*)$")
_ATTRIBUTES = re.compile(r"(?<=\S)\s+\{#([\w:.-]+)[^{}\n]*\}\Z")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_IMAGE = re.compile(
    r"!\[[^\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?"  # ![alt](target) or ![alt][label]
    r"(?:\]\([^()\n]*\))?(?:\{[^}\n]*\})?"  # the end of a link around it, attributes
)


def paragraph(cursor: Cursor, at: Any) -> None:
    """Add a paragraph; a ``figure`` when it holds images only, ``math`` when it is one display formula."""
    images = False
    math = 0
    for event, where in cursor.events:
        if "Text" in event:
            continue
        if "End" in event:
            if event["End"] == "Paragraph":
                break
        elif "Start" in event:
            tag = event["Start"]
            if tag.__class__ is not str:
                cursor.link(tag, where)
                images = images or "Image" in tag
        elif "TaskListMarker" in event:
            cursor.task(event)
        elif "DisplayMath" in event:
            math = where["end"] - where["start"]
    start, end = at["start"], at["end"]
    kind: BlockKind = "paragraph"
    if images or math:
        source = cursor.text[start:end].strip()
        if images and source[0] in "![" and not _IMAGE.sub("", source).strip(" \t\n["):
            kind = "figure"
        elif len(source) == math:
            kind = "math"
    sign = cursor.text[start]
    if sign == "+" and _drawn_table(cursor, start, end):
        return
    number = clause_number(cursor.text, start, end) if sign in CLAUSE_STARTS else None
    if sign in ":!" and cursor.text.startswith((":::", "!!! "), start):
        cursor.has_markers = True
    cursor.add(kind, start, end, None, (), None, number)


def _drawn_table(cursor: Cursor, start: int, end: int) -> bool:
    """Add a paragraph that is a table drawn with signs, as Pandoc and database clients draw it; False for others."""
    if not cursor.text.startswith(("+-", "+="), start):
        return False
    begin, stop = cursor.line_start(start), cursor.line_end(end)
    blocks = split_table(cursor.text, Group(begin, stop, cursor.line_end(start + 1)))
    if blocks:
        cursor.frame.children.extend(blocks)
        cursor.frame.floor = stop
    return bool(blocks)


def heading(cursor: Cursor, at: Any, value: Any) -> None:
    """Add a heading with its plain text, printed number and anchor."""
    first = last = -1
    pieces: list[str] = []
    for event, where in cursor.events:
        if "Text" in event:
            pieces.append(cursor.original(event["Text"], where))
        elif "End" in event:
            if event["End"].__class__ is not str and "Heading" in event["End"]:
                break
            continue
        else:
            pieces.append(_inline_text(cursor, event, where))
        if first < 0:
            first = where["start"]
        if where["end"] > last:  # noqa: PLR1730 - a call of max costs more
            last = where["end"]
    if first < 0 and at["start"] in cursor.specials:
        _special(cursor, at["start"])
        return
    add_heading(cursor, at, value, " ".join("".join(pieces).split()), first, last)


def add_heading(cursor: Cursor, at: Any, value: Any, plain: str, first: int, last: int) -> None:
    """Add a heading with this plain text, which stands at ``[first, last)``; -1 for a heading without text."""
    begin, end = cursor.line_start(at["start"]), cursor.line_end(at["end"])
    if first >= 0 and "\t" in cursor.text[first:last]:
        plain, last = _without_closing(cursor.text, plain, first, last)
    first = first if first < 0 else max(first, begin)
    if first < 0:
        first = last = min(cursor.trim(at["end"], begin), end)
    slugs = cursor.sink.slugs
    explicit = value["id"]
    attributes = _ATTRIBUTES.search(plain) if plain[-1:] == "}" and not explicit else None
    if attributes is not None:  # in front of a closing sequence, where pulldown-cmark leaves them in the text
        plain, explicit = plain[: attributes.start()], attributes[1]
        last = cursor.trim(cursor.text.rfind("{", first, last), first)
    anchor = slugs.reserve(explicit) if explicit else slugs.unique(plain)
    level = int(value["level"][1])
    frame = cursor.frame
    frame.children.append(
        make_heading(begin, end, make_span(first, last), level, plain, printed_number(plain), anchor or None)
    )
    frame.floor = end


def _without_closing(text: str, plain: str, first: int, last: int) -> tuple[str, int]:
    """Take off a closing sequence with a tab beside it, which pulldown-cmark leaves in the text."""
    closing = _CLOSED_AT_TAB.search(text, first, last)
    if closing is None or not text[text.rfind("\n", 0, first) + 1 : first].lstrip(" \t>").startswith("#"):
        return plain, last
    return plain.rstrip("#").rstrip(), closing.start()


def _special(cursor: Cursor, start: int) -> None:
    end, make = cursor.specials[start]
    cursor.frame.children.extend(make())
    cursor.frame.floor = end


def _inline_text(cursor: Cursor, event: Any, where: Any) -> str:
    """Return the plain text of an inline event that is not ``Text``; note links."""
    if event.__class__ is str:
        return " "
    if "Code" in event:
        return cursor.code_span(event["Code"], where)
    if "Start" in event:
        if event["Start"].__class__ is not str:
            cursor.link(event["Start"], where)
    elif "TaskListMarker" in event:
        cursor.task(event)
    elif "InlineHtml" in event:
        return " " if _BREAK_TAG.match(event["InlineHtml"]) else ""
    elif "InlineMath" in event or "DisplayMath" in event:
        return cursor.text[where["start"] : where["end"]]
    return ""


def code(cursor: Cursor, at: Any, value: Any) -> None:
    """Add a code block: indented, or fenced with its language, its fences and the lines between them."""
    for event, _ in cursor.events:
        if "End" in event:
            break
    code_block(cursor, at, value)


def code_block(cursor: Cursor, at: Any, value: Any) -> None:
    """Add a code block whose events were consumed."""
    start, stop = at["start"], at["end"]
    trimmed = cursor.trim(stop, start)
    if value == "Indented":
        cursor.add("code", start, trimmed)
        return
    text = cursor.text
    opening_end = text.find("\n", start, stop)
    opening = text[start : stop if opening_end < 0 else opening_end].rstrip()
    match = _FENCE.match(opening)
    fence = match.group() if match else "```"
    end = cursor.line_end(trimmed)
    last_line = text.rfind("\n", start, trimmed) + 1
    closed = last_line > start and _closes(text[last_line:trimmed], fence)
    inner_end = last_line if closed else end
    inner_start = min(inner_end, end if opening_end < 0 else opening_end + 1)
    begin = cursor.line_start(start)
    attrs = {"fence": opening, "fence_end": fence}
    info = opening[len(fence) :].split(None, 1)
    if info:
        attrs["language"] = info[0]
    if begin < start:
        attrs["indent"] = text[begin:start]
    cursor.add("code", start, end, make_span(inner_start, inner_end), (), attrs)
    if not closed:
        cursor.sink.notices.append(_unclosed(begin, end))


def _closes(line: str, fence: str) -> bool:
    """Return whether a line closes a fence: at least as many of its signs and nothing else."""
    signs = line.rstrip(" \t").lstrip(" \t>")
    return len(signs) >= len(fence) and signs == fence[0] * len(signs)


def _unclosed(start: int, end: int) -> Notice:
    return Notice(
        kind="unclosed_fence",
        message="A code fence is never closed; everything behind it was read as code. Add the closing fence.",
        span=Span(start=start, end=end),
    )


def html(cursor: Cursor, at: Any) -> None:
    """Add a block of raw HTML, or a comment."""
    for event, _ in cursor.events:
        if "End" in event:
            break
    start = at["start"]
    end = cursor.trim(at["end"], start)
    kind, attrs = html_block(cursor.text, start, end)
    cursor.add(kind, start, end, None, (), attrs)


def term(cursor: Cursor, at: Any) -> None:
    """Add the term of a definition, as a paragraph that names it."""
    pieces: list[str] = []
    for event, where in cursor.events:
        if "Text" in event:
            pieces.append(cursor.original(event["Text"], where))
        elif "End" in event:
            if event["End"] == "DefinitionListTitle":
                break
        else:
            pieces.append(_inline_text(cursor, event, where))
    cursor.add("paragraph", at["start"], at["end"], None, (), {"term": " ".join("".join(pieces).split())})
