"""Display math over several lines, which may hold blank lines and lines that look like Markdown."""

from __future__ import annotations

import re

_CLOSING = {"$$": "$$", "\\[": "\\]"}
_AFTER = re.compile(r"[ \t]*(?:[.,;]|\{#[^}\n]*\}|\(\d+\))?[ \t]*(?:\n|\Z)")
_FORMULA_SIGN = re.compile(r"[\\^_={}]")
_MAX_LINES = 200


def math_end(text: str, opening: str, start: int) -> int | None:
    """Return the end of the display formula whose opening delimiter ends at ``start``.

    0 when this is no formula over whole lines; None when no closing delimiter follows at all.
    """
    closing = _CLOSING[opening]
    close = text.find(closing, start)
    if close < 0:
        return None
    stop = close + len(closing)
    inner = text[start:close]
    if _AFTER.match(text, stop) is None:
        return 0
    if "\n" not in inner:
        return stop if opening == "$$" or _FORMULA_SIGN.search(inner) else 0
    bare = not inner.partition("\n")[0].strip()
    if inner.count("\n") > _MAX_LINES or (not bare and "\n\n" in inner):
        return 0
    return stop
