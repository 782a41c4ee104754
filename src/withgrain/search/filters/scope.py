"""A scope as people write it: like a filter, but never empty, and ``tenant=a`` means that label."""

from __future__ import annotations

import re
from collections.abc import Sequence

from withgrain.errors import UsageError
from withgrain.model import FIELDS, And, Compare, Filter, Not, Or, all_of
from withgrain.search.filters.compare import ALIASES
from withgrain.search.filters.parser import parse_filter

_LABEL = re.compile(
    r"""\s*(?P<key>[^\s=<>!^*:"'(),]+)\s*={1,2}\s*(?:"(?P<double>[^"\\]+)"|'(?P<single>[^'\\]+)'|(?P<bare>[^\s"'(),]+))\s*"""
)


def read_scope(given: str | Sequence[str] | Filter) -> Filter:
    """Return the filter that a scope means; of several texts all must hold.

    ``tenant=a`` is short for ``labels contains "tenant=a"`` when ``tenant`` is no field. So a misspelt field shows
    nothing, and never more than was meant.

    Raises:
        UsageError: It asks for nothing (no text, a group without conditions), or cannot be read.
    """
    if isinstance(given, Compare | And | Or | Not):
        return checked_scope(given)
    texts = [given] if isinstance(given, str) else list(given)
    found = all_of(*(_condition(text) for text in texts))
    if found is None:
        raise UsageError("The scope is empty: it names no condition. Leave it out (None) to mean everything.")
    return found


def checked_scope(scope: Filter) -> Filter:
    """Return a scope.

    Raises:
        UsageError: A group in it has no conditions: an ``and`` of nothing is true for everything.
    """
    waiting: list[Filter] = [scope]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Not):
            waiting.append(part.part)
        elif isinstance(part, And | Or):
            if not part.parts:
                raise UsageError("The scope has a group without conditions. Leave it out (None) to mean everything.")
            waiting += part.parts
    return scope


def _condition(text: str) -> Filter | None:
    found = _LABEL.fullmatch(text)
    if found and found["key"].lower() not in FIELDS and found["key"].lower() not in ALIASES:
        value = found["double"] or found["single"] or found["bare"]
        return Compare(field="labels", operator="contains", value=f"{found['key']}={value}")
    return parse_filter([text])
