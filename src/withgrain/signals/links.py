"""Targets of links: Markdown, reference definitions, HTML attributes and bare URLs; e-mail addresses are none."""

from __future__ import annotations

import re

from withgrain.signals.family import Family, Token
from withgrain.signals.found import Found
from withgrain.signals.view import View

_INLINE = re.compile(r"\](?:\([ \t]{0,4}|:[ \t]{1,4})<?([^\s()<>]{1,500}(?:\([^\s()<>]{0,100}\)[^\s()<>]{0,300})?)")
_BARE = re.compile(r"https?://(?:[^\s<>\"'`|\\^\]()}]++|\([^\s()<>]{0,100}\)){1,20}")
_ATTRIBUTE = re.compile(r"href=[\"']([^\"'\s<>]{1,500})[\"']")


def find_links(view: View, found: Found) -> None:
    """Find the targets of Markdown's links and of its reference definitions, as written."""
    for match in _INLINE.finditer(view.text):
        if not match[1].startswith("mailto:"):
            found.add("links", match[1], match.start(1))


def _collect_address(token: Token, found: Found) -> None:
    text = token.view.text
    place = text.find("http", token.place)
    if place < 0 or text[max(0, place - 2) : place] in ("](", "(<"):
        return  # the target of a link, which is found as such
    match = _BARE.match(text, place)
    if match:
        found.add("links", match[0].rstrip(".,;:!?*_"), place)


def _collect_attributes(token: Token, found: Found) -> None:
    for match in _ATTRIBUTE.finditer(token.view.text):
        if not match[1].startswith("mailto:"):
            found.add("links", match[1], match.start(1))


ADDRESSES = Family(name="address", pattern=r"https?://[^\s]{3,}", collect=_collect_address)
ATTRIBUTES = Family(name="attribute", pattern="href=", collect=_collect_attributes)
