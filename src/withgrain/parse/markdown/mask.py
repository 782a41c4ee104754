"""The copy of a text that pulldown-cmark gets to see."""

from __future__ import annotations

import re

_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_ODD_TAG = re.compile(r"<(?:/?[^\x00-\x7f]|\?)")
_LETTER_TAG = re.compile(r"(</?)[^\x00-\x7f]")


def mask(text: str) -> str:
    """Return ``text`` with an ASCII letter for every other character.

    pyromark counts UTF-8 bytes. The copy has the same block structure as the text, and its byte offsets are the text's
    code-point offsets: nothing has to be converted.
    """
    if text.isascii():
        return text
    if _ODD_TAG.search(text):  # "<?" and "<é" must not turn into "<x": that would be a tag
        return _NON_ASCII.sub("x", _LETTER_TAG.sub(r"\1.", text))
    return text.encode("ascii", "replace").replace(b"?", b"x").decode("ascii")
