"""Numbers and check boxes of list items."""

from __future__ import annotations

from withgrain.parse.html.tree import Node, attribute, children, has_attribute, tag_of

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_MOST = 100_000_000


def list_start(node: Node) -> int:
    """Return the number of the first item of an ordered list."""
    return _number(attribute(node, "start"), 1)


def item_number(item: Node, parent: Node) -> str | None:
    """Return the printed number of an item; None where the list counts by itself in digits, or does not count."""
    if tag_of(parent) != "ol":
        return None
    style = attribute(parent, "type")
    own = attribute(item, "value")
    if style not in ("a", "A", "i", "I"):
        return str(_number(own, 1)) if own else None
    number = _number(own, 0) or list_start(parent) + _before(item)
    return f"{letters(number, style)}."


def item_task(item: Node) -> bool | None:
    """Return whether the check box at the start of an item is set; None where there is none."""
    node = item
    for _ in range(3):
        first = next((c for c in children(node) if not isinstance(c, str) or c.strip()), None)
        if first is None or isinstance(first, str):
            return None
        if tag_of(first) == "input":
            return has_attribute(first, "checked") if attribute(first, "type").lower() == "checkbox" else None
        node = first
    return None


def _before(item: Node) -> int:
    return sum(1 for sibling in item.previous_siblings if getattr(sibling, "tag", "") == "li")


def _number(text: str, otherwise: int) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else otherwise


def letters(number: int, style: str) -> str:
    """Return a number as letters or a Roman numeral; ``style`` is ``a``, ``A``, ``i`` or ``I``."""
    if number < 1 or number > 4_000:
        return str(number)
    if style in "iI":
        text = ""
        for value, sign in _ROMAN:
            while number >= value:
                text += sign
                number -= value
    else:
        text = ""
        while number:
            number, rest = divmod(number - 1, 26)
            text = chr(97 + rest) + text
    return text.upper() if style in "AI" else text
