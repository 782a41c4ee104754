"""Raw HTML in Markdown: which kind of block it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withgrain.model import BlockKind

_TAG = re.compile(r"</?([A-Za-z][\w.-]*)")


def html_block(text: str, start: int, end: int) -> tuple[BlockKind, dict[str, str]]:
    """Return the kind and attributes of the HTML at ``text[start:end]``: ``comment`` when nothing else is in it."""
    if text.startswith("<!--", start) and _only_comments(text, start, end):
        return "comment", {}
    tag = _TAG.match(text, start, end)
    return "html", {"tag": tag.group(1).lower()} if tag else {}


def _only_comments(text: str, start: int, end: int) -> bool:
    at = start
    while text.startswith("<!--", at):
        close = text.find("-->", at + 2, end)
        if close < 0:
            return False
        at = close + 3
        while at < end and text[at] in " \t\n":
            at += 1
    return at >= end
