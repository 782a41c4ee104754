"""The events at the top of a document: what most of them are inside of is stepped over, not looked at.

A chunker needs where blocks begin and end. So inline markup, the lines of code, the rows of tables and the insides of
lists and quotes are skipped in one step of the interpreter (``operator.indexOf`` compares the events), and children
are read when somebody asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import indexOf
from typing import Any

from withgrain.model import Span
from withgrain.parse.build import make_block, make_span
from withgrain.parse.lazy import Unfold, fold
from withgrain.parse.markdown.cursor import Cursor
from withgrain.parse.markdown.html import html_block
from withgrain.parse.markdown.leaves import add_heading, code_block, heading, paragraph, term
from withgrain.parse.numbers import CLAUSE_STARTS, clause_number

_END_PARAGRAPH, _END_CODE, _END_HTML, _END_TABLE = (
    {"End": "Paragraph"},
    {"End": "CodeBlock"},
    {"End": "HtmlBlock"},
    {"End": "Table"},
)
_END_FOOTNOTE = {"End": "FootnoteDefinition"}
#: A heading without inline markup: its text is as it stands.
_PLAIN = re.compile(r"#{1,6} +([^\s`*_\[\]<&\\~$!{}#][^\x00-\x1f`*_\[\]<&\\~$!{}#]*?) *\n?\Z")
#: Paragraphs that begin so are looked into: images, links around them, formulas, markers, drawn tables.
_LOOKED_INTO = frozenset("![$:+")
#: What may hold a heading, whose anchor depends on the headings before it, or a fence, which may be unclosed.
_EARLY = re.compile(r"#|```|~~~|==|--|:::|!!!")
_BODY = {
    "FootnoteDefinition": re.compile(r"\[\^[^\]\n]*\]:[ \t]*"),
    "BlockQuote": re.compile(r">[ \t]?(?:[ \t>]*\[!\w+\][^\n]*(?:\n|$))?"),
}

#: Handles an event that is not simple; gets the open containers into account.
Handler = Callable[[Cursor, Any, Any], None]


def walk_top(cursor: Cursor, handle: Handler, unfold: Unfold) -> None:
    """Make the top-level blocks of a piece.

    ``handle`` gets the first event of everything that is not simple, ``unfold`` reads children later.
    """
    events, text = cursor.events, cursor.text
    frame = cursor.frame
    children = frame.children
    for event, at in events:
        tag = event.get("Start") if event.__class__ is dict else None
        if tag == "Paragraph":
            start, end = at["start"], at["end"]
            sign = text[start]
            if sign in _LOOKED_INTO:
                paragraph(cursor, at)
                continue
            indexOf(events, (_END_PARAGRAPH, at))
            number = clause_number(text, start, end) if sign in CLAUSE_STARTS else None
            if start and text[start - 1] in " \t":
                start = cursor.line_start(start)
            if text[end - 1] != "\n":
                end = cursor.line_end(end)
            children.append(make_block("paragraph", start, end, None, (), None, number))
            frame.floor = end
        elif tag.__class__ is dict:
            ((name, value),) = tag.items()
            if name == "Heading":
                plain = _PLAIN.match(text, at["start"], at["end"])
                if plain is None:
                    heading(cursor, at, value)
                else:
                    indexOf(events, ({"End": {"Heading": value["level"]}}, at))
                    add_heading(cursor, at, value, " ".join(plain[1].split()), plain.start(1), plain.end(1))
            elif name == "CodeBlock":
                indexOf(events, (_END_CODE, at))
                code_block(cursor, at, value)
            elif not _folded(cursor, name, value, at, unfold):
                handle(cursor, event, at)
        elif tag == "HtmlBlock":
            indexOf(events, (_END_HTML, at))
            start = at["start"]
            end = cursor.trim(at["end"], start)
            kind, attrs = html_block(text, start, end)
            cursor.add(kind, start, end, None, (), attrs)
        elif tag == "DefinitionListTitle":
            term(cursor, at)
        else:
            handle(cursor, event, at)


def _folded(cursor: Cursor, name: str, value: Any, at: Any, unfold: Unfold) -> bool:
    """Step over a table, list, quote or footnote whose children can wait; return False when they cannot."""
    start, end = at["start"], at["end"]
    text = cursor.text
    content: Span | None = None
    if name == "Table":
        indexOf(cursor.events, (_END_TABLE, at))
        stop = cursor.line_end(cursor.trim(end, start))
        cursor.add("table", start, stop, None, (), {"columns": str(len(value))})
    elif _EARLY.search(text, start, end) is not None:
        return False
    elif name == "List":
        indexOf(cursor.events, ({"End": {"List": value is not None}}, at))
        attrs = None if value is None else {"ordered": "1"}
        cursor.add("list", start, cursor.line_end(cursor.trim(end, start)), None, (), attrs)
    elif name in ("BlockQuote", "FootnoteDefinition"):
        match = _BODY[name].match(text, start, end)
        ending = {"End": {"BlockQuote": value}} if name == "BlockQuote" else _END_FOOTNOTE
        indexOf(cursor.events, (ending, at))
        stop = cursor.line_end(cursor.trim(end, start))
        content = make_span(min(match.end() if match else start, stop), stop)
        if name == "FootnoteDefinition":
            label = text[start + 2 : content.start].partition("]")[0]
            cursor.add("footnote", start, stop, content, (), {"label": label})
        elif value is None:
            cursor.add("quote", start, stop, content)
        else:
            cursor.add("admonition", start, stop, content, (), {"type": value.lower(), "title": ""})
    else:
        return False
    fold(cursor.frame.children[-1], text, unfold)
    return True
