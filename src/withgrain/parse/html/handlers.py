"""Which element is read by what; an element that is not here is a block or a stretch of text."""

from __future__ import annotations

from collections.abc import Mapping

from withgrain.parse.html import listing, phrases, sections
from withgrain.parse.html.walk import Handler

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CODE = ("code", "kbd", "samp", "tt")

HANDLERS: Mapping[str, Handler] = (
    dict.fromkeys(_HEADINGS, sections.heading)
    | dict.fromkeys(_CODE, phrases.code)
    | dict.fromkeys(("ul", "ol", "menu", "dir"), listing.bullets)
    | dict.fromkeys(("del", "s", "strike"), phrases.struck)
    | {
        "pre": sections.pre, "xmp": sections.pre, "listing": sections.pre, "br": phrases.line_break, "a": phrases.link,
        "img": phrases.image, "sup": phrases.superscript, "q": phrases.quoted, "math": phrases.formula,
        "li": listing.item, "dl": listing.definitions, "details": sections.details, "table": sections.table,
        "tr": sections.row,
    })  # fmt: skip
