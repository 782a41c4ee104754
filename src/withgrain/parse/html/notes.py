"""Notes, warnings and the like, as the usual generators mark them.

Sphinx, MkDocs, Docusaurus, Confluence, Notion, MediaWiki, GitHub, AsciiDoc, VitePress, Bootstrap: each has its class
names; what is common to them is a container that names a type, and inside it an element that names itself a title.
"""

from __future__ import annotations

import re

from withgrain.parse.html.tree import Node, around, attribute, children, classes, plain, tag_of

_CONTAINERS = frozenset({
    "admonition", "theme-admonition", "admonitionblock", "markdown-alert", "custom-block", "callout",
    "confluence-information-macro", "ambox", "hatnote", "mw-message-box", "warningbox", "errorbox", "successbox",
    "notice-box", "alert", "panel", "infobox-note",
})  # fmt: skip
_TYPES = {
    "note": "note", "info": "info", "information": "info", "notice": "note", "tip": "tip", "hint": "hint",
    "important": "important", "warning": "warning", "warn": "warning", "attention": "attention", "caution": "caution",
    "danger": "danger", "error": "error", "success": "success", "seealso": "seealso", "example": "example",
    "question": "question", "bug": "bug", "abstract": "abstract", "failure": "failure", "quote": "quote",
    "secondary": "note", "primary": "info", "warningbox": "warning", "errorbox": "error", "successbox": "success",
    "content": "note", "style": "note", "speedy": "warning", "delete": "warning", "protection": "note",
    "todo": "todo", "help": "help",
}  # fmt: skip
_PREFIX = re.compile(
    r"^(?:theme-admonition|admonition|alert|markdown-alert|callout|confluence-information-macro|mw-message-box|ambox)[-_]+"
)
#: Containers that are one only when they name a type as well, or have a title.
_NEED_TYPE = frozenset({"alert", "panel", "callout"})
_BARE = frozenset({"note", "tip", "important", "warning", "caution", "danger", "hint", "attention"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TITLE = re.compile(r"title|heading|^header$|panelHeader", re.IGNORECASE)
_TITLE_DEPTH = 3


def note_type(node: Node, tag: str) -> str | None:
    """Return the type of a note; None when the element is none."""
    names = classes(node)
    if tag not in ("div", "aside", "section", "blockquote", "figure", "table", "details", "p"):
        return None
    role = attribute(node, "role")
    marked = [name for name in names if name in _CONTAINERS]
    if not marked and len(names) == 1 and names[0] in _BARE and note_title(node) is not None:
        return _TYPES[names[0]]  # DocBook: <div class="warning"><h3 class="title">
    if not marked and role != "note":
        return None
    for name in names:
        bare = _PREFIX.sub("", name.lower()).lstrip("-_")
        if bare in _TYPES and (name not in _CONTAINERS or bare in ("warningbox", "errorbox", "successbox")):
            return _TYPES[bare]
    if marked and all(name in _NEED_TYPE for name in marked) and tag != "figure" and note_title(node) is None:
        return None
    return "note"


def has_headings(node: Node) -> bool:
    """Return whether headings of the page's outline stand in an element; titles of notes are none."""
    for tag in _HEADINGS:
        for heading in node.find_all(tag, limit=50):
            outer = []
            for one in around(heading, 600):
                if one == node:
                    break
                outer.append(one)
            if not any(note_type(one, tag_of(one)) for one in outer if one.attrs):
                return True
    return False


def folded_type(node: Node) -> str:
    """Return the type of a folded note (MkDocs marks it by a class of its name); "details" for any other fold."""
    return next((_TYPES[name] for name in classes(node) if name in _TYPES), "details")


def note_title(node: Node) -> Node | None:
    """Return the element that is the title of a note; None where there is none."""
    level = [node]
    for _ in range(_TITLE_DEPTH):
        inner = [c for n in level for c in children(n)[:4] if not isinstance(c, str)]
        for child in inner:
            if tag_of(child) in ("summary", "h1", "h2", "h3", "h4", "h5", "h6") or any(
                _TITLE.search(name) for name in classes(child)
            ):
                return child if len(plain(child)) <= 200 else None
        level = inner
    return None


def shown_title(title: Node | None, kind: str) -> str:
    """Return the title of a note; "" where it only repeats the type."""
    words = plain(title) if title is not None else ""
    return "" if words.lower().rstrip(":") in (kind, "") else words
