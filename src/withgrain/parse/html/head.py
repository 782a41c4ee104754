"""What a page says about itself: title, address, language, description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from withgrain.parse.html.tree import Node, attribute

_LONGEST = 1_000
_NAMES = {"description": "description", "author": "author", "og:description": "description"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a page says about itself.

    Attributes:
        title: Of the page.
        url: Its canonical address; "" where it gives none.
        base: What relative links are relative to, where the page says so.
        meta: Its metadata.
    """

    title: str
    url: str
    base: str
    meta: dict[str, Any]

    def target(self, href: str) -> str:
        """Return the target of a link: absolute where the page has a base, relative where it stays on the site."""
        href = href.strip()
        if href.startswith("#") or not href:
            return href
        try:
            scheme = urlsplit(href).scheme.lower()
            if scheme in ("javascript", "data", "vbscript"):
                return ""
            if self.base and not scheme:
                href = urljoin(self.base, href)
            if self.url and href.startswith("http"):
                here, there = urlsplit(self.url), urlsplit(href)
                if here.netloc == there.netloc:
                    return href.partition(there.netloc)[2] or "/"
        except ValueError:
            return ""
        return href


def read_head(document: Node) -> Head:
    """Read the head of a page."""
    meta: dict[str, Any] = {}
    title = document.find("title")
    url = ""
    for link in document.find_all("link", limit=500):
        if "canonical" in attribute(link, "rel").lower().split():
            url = _address(attribute(link, "href"))
    for entry in document.find_all("meta", limit=500):
        name = (attribute(entry, "name") or attribute(entry, "property")).lower()
        value = " ".join(attribute(entry, "content").split())[:_LONGEST]
        if name in _NAMES and value:
            meta.setdefault(_NAMES[name], value)
        elif name == "og:url" and not url:
            url = _address(value)
    html = document.find("html")
    language = attribute(html, "lang").strip() if html is not None else ""
    if language and len(language) < 36:
        meta["language"] = language
    if url:
        meta["url"] = url
    base = document.find("base")
    return Head(
        title=" ".join(title.text.split()) if title is not None else "",
        url=url,
        base=_address(attribute(base, "href")) if base is not None else "",
        meta=meta,
    )


def _address(value: str) -> str:
    value = value.strip()
    return value if value.startswith(("http://", "https://")) and len(value) <= _LONGEST else ""
