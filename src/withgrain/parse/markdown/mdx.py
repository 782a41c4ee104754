"""The parts of MDX that are not Markdown: imports and exports, and lines of component tags."""

from __future__ import annotations

import re

_ESM = re.compile(
    r"import[ \t]*(?:\{|\*|[\"']|[\w$]+(?:[ \t]*,[ \t]*\{[^}]*\})?[ \t]+from[ \t]+[\"'])"
    r"|export[ \t]+(?:const|let|var|default|function|class|async|\{|\*)"
)
_MAX_TAG = 20_000
#: Returned for a tag that does not end within reason.
RUNAWAY = -2
_TAG_START = re.compile(r"</?(?:[A-Za-z][\w.:-]*)?")
_SIGN = re.compile(r"[\"'`{}>]")


def esm_end(text: str, start: int) -> int:
    """Return the end of the import or export at ``start``, at a blank line outside of brackets; -1 for prose."""
    if _ESM.match(text, start) is None:
        return -1
    depth = 0
    at = start
    length = min(len(text), start + _MAX_TAG)
    while at < length:
        newline = text.find("\n", at)
        stop = length if newline < 0 else newline
        line = text[at:stop]
        if not line.strip() and depth <= 0:
            return at - 1
        depth += sum(map(line.count, "{([")) - sum(map(line.count, "})]"))
        at = stop + 1
    return min(at - 1, len(text))


def tag_line_end(text: str, start: int) -> int:
    """Return the end of the tags that begin at ``start`` and stand alone on their lines.

    -1 when text follows them, `RUNAWAY` when one does not end.
    """
    at = start
    limit = min(len(text), start + _MAX_TAG)
    while True:
        at = _tag_end(text, at, limit)
        if at < 0:
            return at
        while at < limit and text[at] in " \t":
            at += 1
        if at >= len(text) or text[at] == "\n":
            return at
        if text[at] != "<":
            return -1


def _tag_end(text: str, start: int, limit: int) -> int:
    """Return the end of one tag; braces and quotes inside it may hold ``>``."""
    match = _TAG_START.match(text, start, limit)
    if match is None:
        return -1
    depth = 0
    at = match.end()
    while True:
        sign = _SIGN.search(text, at, limit)
        if sign is None:
            return RUNAWAY
        at = sign.end()
        mark = sign.group()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
        elif mark == ">":
            if depth <= 0:
                return at
        else:
            close = text.find(mark, at, limit)
            if close < 0:
                return RUNAWAY
            at = close + 1
