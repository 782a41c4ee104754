"""Spans without the white space around them."""

from __future__ import annotations

from withgrain.model import Span
from withgrain.parse.build import make_span


def trimmed(text: str, start: int, end: int) -> Span | None:
    """Return the span without white space around it; indentation of a first whole line stays. None when empty."""
    body = text[start:end]
    stripped = body.strip()
    if not stripped:
        return None
    first = start + (len(body) - len(body.lstrip()))
    line = text.rfind("\n", start, first) + 1
    if line > start or start == 0 or text[start - 1] == "\n":
        first = max(line, start)
    return make_span(first, start + len(body.rstrip()))
