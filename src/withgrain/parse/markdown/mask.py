"""The copy of a text that pulldown-cmark gets to see."""

from __future__ import annotations

import re

_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def mask(text: str) -> str:
    """Return ``text`` with an ASCII letter for every other character.

    pyromark counts UTF-8 bytes. The copy has the same block structure as the text, and its byte offsets are the text's
    code-point offsets: nothing has to be converted.
    """
    if text.isascii():
        return text
    if "<?" in text:  # would become "<x": another kind of HTML block
        return _NON_ASCII.sub("x", text)
    return text.encode("ascii", "replace").replace(b"?", b"x").decode("ascii")
