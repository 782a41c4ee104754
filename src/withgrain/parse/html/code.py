"""Code on a page: its lines exactly, and its language by the conventions of the usual highlighters."""

from __future__ import annotations

import re

from withgrain.parse.html.tree import Node, around, attribute, children, classes, tag_of

_PREFIX = re.compile(
    r"^(?:language|lang|highlight-source|highlight|mw-highlight-lang|brush)[-:](?P<name>[\w+#.-]+)$", re.I
)
_BRUSH = re.compile(r"(?:brush|language)\s*[:=]\s*([\w+#-]+)", re.IGNORECASE)
_NO_LANGUAGE = frozenset(["default", "none", "text", "plain", "plaintext", "source", "notranslate", "wrapper"])
_NUMBERS = re.compile(r"[\d\s]+")


def code_text(node: Node) -> str:
    """Return the lines of a ``pre`` element; buttons and line numbers beside them are no code."""
    pieces: list[str] = []
    stack: list[Node] = list(reversed(children(node)))
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        tag = tag_of(item)
        if tag == "br":
            pieces.append("\n")
        elif tag not in ("button", "script", "style", "svg") and not _is_number(item):
            stack.extend(reversed(children(item)))
    return "".join(pieces)


def _is_number(node: Node) -> bool:
    names = classes(node)
    return any(name in ("linenos", "lineno", "line-number", "hljs-ln-numbers", "linenodiv") for name in names) and bool(
        _NUMBERS.fullmatch(node.text)
    )


def code_language(node: Node) -> str:
    """Return the language of a ``pre`` element by its own class, that of its ``code``, or of what is around it."""
    inner = node.find("code")
    outer = [a for a in around(node, 3) if tag_of(a) in ("div", "figure", "pre", "td")]
    for one in (inner, node, *outer):
        if one is None:
            continue
        for name in ("data-lang", "data-language"):
            if attribute(one, name):
                return attribute(one, name).strip().lower()
        brush = _BRUSH.search(attribute(one, "data-syntaxhighlighter-params"))
        if brush:
            return brush.group(1).lower()
        names = classes(one)
        for name in names:
            match = _PREFIX.match(name)
            if match and match["name"].lower() not in _NO_LANGUAGE:
                return match["name"].lower()
        if names[:1] == ["sourceCode"] and len(names) > 1:
            return names[1].lower()
    return ""


def is_line_numbers(table: Node) -> Node | None:
    """Return the ``pre`` with the code of a table that shows it beside its line numbers; None for any other table."""
    found = table.find_all("pre", limit=3)
    if len(found) == 2 and _NUMBERS.fullmatch(found[0].text or " "):
        return found[1]
    return None
