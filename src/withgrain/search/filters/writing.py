"""A filter as people write it: what `parse_filter` reads back."""

from __future__ import annotations

import re

from withgrain.model import And, Compare, Filter, Not

_SIGNS = {"eq": "=", "ne": "!=", "prefix": "^=", "contains": "contains", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
#: Names and paths; everything else stands in quotes.
_BARE = re.compile(r"[\w@./][\w@./:-]*")


def written(where: Filter) -> str:
    """Return a filter in the language of filters: ``domain = okta and not (class = faq or quality < 50)``.

    What a program has made and the language has no words for (parts without any condition) is written as true or
    false.
    """
    if isinstance(where, Compare):
        return _compare(where)
    if isinstance(where, Not):
        return f"not {_bracketed(where.part)}"
    word = "and" if isinstance(where, And) else "or"
    if not where.parts:
        return "true" if word == "and" else "false"
    return f" {word} ".join(map(_bracketed, where.parts)) if len(where.parts) > 1 else written(where.parts[0])


def _bracketed(part: Filter) -> str:
    return written(part) if isinstance(part, Compare) else f"({written(part)})"


def _compare(part: Compare) -> str:
    if isinstance(part.value, tuple):
        return f"{part.field} in ({', '.join(map(_value, part.value))})" if part.value else "false"
    return f"{part.field} {_SIGNS[part.operator]} {_value(part.value)}"


def _value(value: str | float) -> str:
    if not isinstance(value, str):
        return str(int(value)) if value == int(value) else str(value)
    return value if _BARE.fullmatch(value) else '"' + value.replace("\\", r"\\").replace('"', r"\"") + '"'
