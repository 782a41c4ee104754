"""What of a page is its content: elements and roles say it; class names only where they are conventions."""

from __future__ import annotations

import re

from withgrain.parse.html.hidden import is_hidden
from withgrain.parse.html.tree import SILENT, Node, around, attribute, classes, has_attribute, plain, tag_of

#: Roles (WAI-ARIA) of what stands around the content.
_ROLES = {
    "navigation": "navigation", "menu": "navigation", "menubar": "navigation", "search": "search",
    "dialog": "dialog", "alertdialog": "dialog", "toolbar": "control", "tablist": "control",
}  # fmt: skip
_OUTER_ROLES = {"banner": "header", "contentinfo": "footer", "complementary": "aside"}
_CONTROLS = frozenset(["button", "select", "input", "textarea", "datalist", "progress", "meter"])
_CONSENT = re.compile(r"cookie|consent|gdpr|onetrust|cookiebot|ccpa", re.IGNORECASE)
_CONSENT_WORDS = re.compile(r"\b(?:cookies?|consent|privacy)\b", re.IGNORECASE)
#: Class names by which the usual generators mark what is no content.
_MARKS = {
    "headerlink": "permalink", "hash-link": "permalink", "anchor-link": "permalink", "anchorjs-link": "permalink",
    "header-anchor": "permalink", "mw-editsection": "control", "mw-jump-link": "navigation", "catlinks": "navigation",
    "printfooter": "footer", "skip-link": "navigation", "footnote-backref": "permalink", "footnote-back": "permalink",
    "navheader": "navigation", "navfooter": "navigation",
    "mw-cite-backlink": "permalink", "theme-edit-this-page": "control", "pagination-nav": "navigation",
}  # fmt: skip
#: How the foot of a page is called, as class or id, where there is no element for it.
_FEET = frozenset({"footer", "site-footer", "page-footer"})
_CHOICE = re.compile(r"\b(?:accept|agree|reject|allow|decline|got it|ok)\b", re.IGNORECASE)
_DEEPEST = 600
_MOST = 0.7
_LEAST_SHARE = 0.25
_SEQUENCE = frozenset({"prev", "next", "up", "home", "first", "last"})
_LONGEST_PAGER = 60
_LONGEST_CONSENT = 250


def content_roots(body: Node) -> list[Node]:
    """Return the elements that hold the content: those of ``main``, else the outermost articles, else the body.

    Where the only article in ``main`` is most of it, that is the content: what stands beside it is a list of contents.

    A ``main`` or articles that hold only a small part of what is visible (a page that is filled by scripts, a page of
    teasers) do not count.
    """
    mains = _outermost(body, "main, [role=main]")
    whole = len(plain(body)) if mains else 0
    if mains and sum(len(plain(n)) for n in mains) >= min(200, whole * _LEAST_SHARE):
        inner = _outermost(mains[0], "article, [role=article]") if len(mains) == 1 else []
        return inner if len(inner) == 1 and len(plain(inner[0])) >= _MOST * len(plain(mains[0])) else mains
    articles = _outermost(body, "article, [role=article]")
    if len(articles) == 1 and len(plain(articles[0])) >= _LEAST_SHARE * len(plain(body)):
        return articles
    return [body]


def _outermost(body: Node, selector: str) -> list[Node]:
    found = [node for node in body.select(selector) if not is_hidden(node)]
    known = set(found)
    return [node for node in found if known.isdisjoint(around(node, _DEEPEST))]


def drop_reason(node: Node, tag: str, *, whole_body: bool, in_article: bool) -> str | None:
    """Return why an element is left out; None for content.

    Args:
        node: The element.
        tag: Its name.
        whole_body: Whether the page names no main content, so that its outer parts are met.
        in_article: Whether it stands in an article or section, whose own header and footer are content.
    """
    if tag in SILENT:
        return "script" if tag == "script" else "style" if tag == "style" else tag
    if tag == "nav":
        return "navigation"
    if tag in _CONTROLS:
        return None if _opens_content(node, tag) else "control"
    if not node.attrs:
        return _outer(tag, whole_body=whole_body, in_article=in_article)
    if is_hidden(node):
        return "hidden"
    role = attribute(node, "role").lower()
    if role in _ROLES:
        return _ROLES[role]
    if whole_body and role in _OUTER_ROLES:
        return _OUTER_ROLES[role]
    mark = next((_MARKS[name] for name in classes(node) if name in _MARKS), None)
    if mark is None and tag in ("div", "table", "p", "ul") and _is_pager(node):
        mark = "navigation"
    if mark is None and _is_consent(node):
        mark = "cookie notice"
    if mark is None and whole_body and not in_article and tag == "div" and _is_foot(node):
        mark = "footer"
    return mark or _outer(tag, whole_body=whole_body, in_article=in_article)


def _is_foot(node: Node) -> bool:
    return attribute(node, "id") in _FEET or not _FEET.isdisjoint(classes(node))


def _outer(tag: str, *, whole_body: bool, in_article: bool) -> str | None:
    return tag if whole_body and not in_article and tag in ("header", "footer", "aside") else None


def _opens_content(node: Node, tag: str) -> bool:
    """Return whether a control shows a text that belongs to the content: the head of an accordion."""
    return tag == "button" and has_attribute(node, "aria-expanded") and has_attribute(node, "aria-controls")


def _is_pager(node: Node) -> bool:
    """Return whether an element is a short line of links to the page before, behind and above."""
    first = node.find("a")
    if first is None or not (first.attrs.get("rel") or first.attrs.get("accesskey")):
        return False
    links = node.find_all("a", limit=12)
    sequence = sum(not _SEQUENCE.isdisjoint(attribute(a, "rel").lower().split()) for a in links)
    keys = sum(attribute(a, "accesskey").lower() in ("p", "n", "u", "h") for a in links)
    return max(sequence, keys) > 1 and len(plain(node).split()) <= _LONGEST_PAGER


def _is_consent(node: Node) -> bool:
    named = f"{attribute(node, 'id')} {attribute(node, 'class')}"
    if not _CONSENT.search(named) or tag_of(node) not in ("div", "section", "aside", "form", "dialog"):
        return False
    words = plain(node)
    if len(words.split()) > _LONGEST_CONSENT or not _CONSENT_WORDS.search(words):
        return False
    return node.find("h1") is None and _CHOICE.search(words) is not None
