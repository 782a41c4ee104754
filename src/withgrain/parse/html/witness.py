"""An independent extraction of the words of a page: it knows tags, not trees, and shares no code with the parser."""

from __future__ import annotations

import re
from html import unescape

from withgrain.parse.html.encoding import read_page

_SKIP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript|svg|head|iframe|title)\b.*?(?:</\1\s*>|\Z)", re.I | re.S
)
_TAG = re.compile(r"<(?:[!?][^>]*+>?|/?([A-Za-z][^\s/>]*+)(?:[^>\"']|\"[^\"]{0,9999}+\"|'[^']{0,9999}+'|[\"'])*+>?)")
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "nobr", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "time",
    "tt", "u", "var", "wbr",
})  # fmt: skip
#: Longer pages are not extracted a second time.
LONGEST = 8_000_000


def page_words(data: bytes) -> str:
    """Return all text of a page, the parts around its content too; scripts, styles and the head are left out."""
    return "" if len(data) > LONGEST else markup_words(read_page(data)[0])


def markup_words(markup: str) -> str:
    """Return the same of a page whose characters are known: the encoding of a mail stands in its header."""
    markup = _SKIP.sub(" ", markup[:LONGEST])
    return unescape(_TAG.sub(lambda tag: "" if (tag.group(1) or "").lower() in _INLINE else " ", markup))
