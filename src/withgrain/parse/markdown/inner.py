"""Admonitions inside list items and quotes: pulldown-cmark sees their markers as paragraphs."""

from __future__ import annotations

import re

from withgrain.model import Block
from withgrain.parse.build import make_block, make_span

_COLONS = re.compile(r"[ \t]*:{3,}[ \t]*(?P<name>[A-Za-z][\w-]*)[ \t]*(?P<title>[^\n]*)(?:\n|$)")
_COLONS_END = re.compile(r"(?:^|\n)[ \t>]*:{3,}[ \t]*\n?$")
_MARK = re.compile(r"[ \t]*!!!\+?[ \t]+(?P<name>[\w-]+)[ \t]*(?:\"(?P<title>[^\"\n]*)\")?[ \t]*(?:\n|$)")


def group_marked(text: str, children: list[Block]) -> list[Block]:
    """Make one admonition of ``:::`` and what follows up to its end, and of ``!!!`` with its indented body."""
    result: list[Block] = []
    index = 0
    while index < len(children):
        block = children[index]
        match, last = None, -1
        if block.kind == "paragraph":
            start, end = block.span.start, block.span.end
            match = _COLONS.match(text, start, end)
            last = _closed_at(text, children, index) if match else -1
            if match is None:
                match = _MARK.match(text, start, end)
                last = _body_end(children, index) if match else -1
        if match is None or last < 0:
            result.append(block)
            index += 1
            continue
        result.append(_admonition(match, children[index : last + 1]))
        index = last + 1
    return result


def _closed_at(text: str, children: list[Block], index: int) -> int:
    for at in range(index, min(len(children), index + 50)):
        span = children[at].span
        if children[at].kind in ("paragraph", "list") and _COLONS_END.search(text[span.start : span.end]):
            return at
    return -1


def _body_end(children: list[Block], index: int) -> int:
    while index + 1 < len(children) and children[index + 1].kind == "code" and "fence" not in children[index + 1].attrs:
        index += 1
    return index


def _admonition(match: re.Match[str], members: list[Block]) -> Block:
    start, end = members[0].span.start, members[-1].span.end
    attrs = {"type": match["name"].lower(), "title": (match["title"] or "").strip(" []\"'")}
    children = tuple(members[1:-1]) if len(members) > 2 else ()
    return make_block("admonition", start, end, make_span(min(match.end(), end), end), children, attrs)
