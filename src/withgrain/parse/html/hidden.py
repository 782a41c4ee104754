"""Text that a reader of the page does not see: left out and listed.

Hidden text is how a page says one thing to a person and another to a machine.
"""

from __future__ import annotations

import re

from withgrain.parse.html.tree import Node, around, attribute, has_attribute

_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none"
    r"|visibility\s*:\s*(?:hidden|collapse)"
    r"|opacity\s*:\s*0?\.?0+%?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0*\.?0+(?:px|pt|em|rem|%)?\s*(?:;|!|$)"
    r"|(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?\s*,?\s*[01](?:px)?\s*,?\s*[01](?:px)?\s*,?\s*[01](?:px)?\s*\)"
    r"|color\s*:\s*transparent)",
    re.IGNORECASE,
)
_SIZE = re.compile(r"(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*0*[01]?(?:px|em|rem|%)?\s*(?:;|!|$)", re.IGNORECASE)
_OVERFLOW = re.compile(r"(?:^|;)\s*overflow(?:-[xy])?\s*:\s*hidden", re.IGNORECASE)
_COLOUR = re.compile(r"(?:^|;)\s*color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITE = frozenset({"white", "#fff", "#ffffff", "rgb(255,255,255)", "#fefefe", "rgba(255,255,255,1)"})


def is_hidden(node: Node) -> bool:
    """Return whether an element and all in it is invisible by its own attributes.

    The panel of a tab is content, whichever tab is in front. Rules in style sheets are not looked at.
    """
    if not node.attrs:
        return False
    if has_attribute(node, "hidden") and attribute(node, "hidden") != "until-found":
        return attribute(node, "role") != "tabpanel"
    if attribute(node, "aria-hidden").strip().lower() == "true":
        return True
    style = attribute(node, "style")
    if not style:
        shade = attribute(node, "color").lower().strip()
        return shade in _WHITE and _behind(node) in _WHITE
    if _STYLE.search(style):
        return attribute(node, "role") != "tabpanel"
    return bool(_SIZE.search(style) and _OVERFLOW.search(style)) or _unseen_colour(node, style)


def _behind(node: Node) -> str:
    """Return the background that an element around says; white where none does."""
    for outer in around(node, 12):
        if outer.attrs:
            found = _BACKGROUND.search(attribute(outer, "style"))
            shade = found.group(1) if found else attribute(outer, "bgcolor")
            if shade:
                return "".join(shade.lower().split())
    return "white"


def _unseen_colour(node: Node, style: str) -> bool:
    """Return whether the text has the colour of what is behind it: the one given here, else white."""
    colour = _COLOUR.search(style)
    if colour is None:
        return False
    behind = _BACKGROUND.search(style)
    front = "".join(colour.group(1).lower().split())
    if behind is None:
        return front in _WHITE and _behind(node) in _WHITE
    back = "".join(behind.group(1).lower().split())
    return front == back or (front in _WHITE and back in _WHITE)
