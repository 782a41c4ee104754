"""Filters: checked once, then evaluated in Python over a payload. The reference for every engine."""

from __future__ import annotations

import math
from difflib import get_close_matches

from withgrain.errors import UsageError
from withgrain.model import FIELDS, And, Compare, Filter, Not, Or
from withgrain.store.payload import Payload, Value

#: Filters come from outside: a deeper tree is refused. The engine reads brackets 50 deep; a level takes up to two.
MAX_DEPTH = 16

_OPERATORS = {
    "text": frozenset({"eq", "ne", "in", "contains", "prefix", "lt", "le", "gt", "ge"}),
    "list": frozenset({"eq", "ne", "in", "contains"}),
    "number": frozenset({"eq", "ne", "in", "lt", "le", "gt", "ge"}),
}


def check_field(name: str) -> None:
    """Refuse a name that is no payload field.

    Raises:
        UsageError: Names the field and the nearest one that exists.
    """
    if name not in FIELDS:
        near = get_close_matches(name, FIELDS, n=1)
        hint = f' Did you mean "{near[0]}"?' if near else f" Fields: {', '.join(FIELDS)}."
        raise UsageError(f'Filter: there is no field "{name}".{hint}')


def check_filter(where: Filter | None) -> None:
    """Refuse a filter that has no meaning, before any row is read. Iterative: the tree may come from outside.

    Raises:
        UsageError: An unknown field, an operator that its type does not have, a value of another type, or a tree
            deeper than `MAX_DEPTH`.
    """
    waiting: list[tuple[Filter, int]] = [(where, 1)] if where is not None else []
    while waiting:
        part, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise UsageError(f"Filter: nested deeper than {MAX_DEPTH} levels. Write it flatter.")
        if isinstance(part, Compare):
            _check_compare(part)
        elif isinstance(part, Not):
            waiting.append((part.part, depth + 1))
        else:
            waiting.extend((p, depth + 1) for p in part.parts)


def _check_compare(part: Compare) -> None:
    check_field(part.field)
    kind = FIELDS[part.field]
    if part.operator not in _OPERATORS[kind]:
        allowed = ", ".join(sorted(_OPERATORS[kind]))
        raise UsageError(f'Filter: "{part.field}" is a {kind} field and has no "{part.operator}". It has: {allowed}.')
    many = isinstance(part.value, tuple)
    if many != (part.operator == "in"):
        raise UsageError(f'Filter: "{part.field} {part.operator}" needs {"one value" if many else "a list of values"}.')
    for value in part.value if isinstance(part.value, tuple) else (part.value,):
        if kind == "number":
            if isinstance(value, str) or not math.isfinite(value):
                raise UsageError(f'Filter: "{part.field}" is a number; {value!r} is none.')
        elif not isinstance(value, str):
            raise UsageError(f'Filter: "{part.field}" is text; {value!r} is none.')


def matches(where: Filter | None, row: Payload) -> bool:
    """Return whether a checked filter holds for a payload.

    A missing value (`modified` or `tokens` of None) fulfils no comparison but ``ne``.
    """
    if where is None:
        return True
    if isinstance(where, And):
        return all(matches(p, row) for p in where.parts)
    if isinstance(where, Or):
        return any(matches(p, row) for p in where.parts)
    if isinstance(where, Not):
        return not matches(where.part, row)
    return _compare(where, row[where.field])


def _compare(part: Compare, have: Value) -> bool:
    if part.operator == "ne":
        return not _equal(have, part.value)
    if part.operator == "in":
        assert isinstance(part.value, tuple)
        return any(_equal(have, v) for v in part.value)
    if part.operator == "eq" or isinstance(have, tuple):
        return _equal(have, part.value)
    if have is None:
        return False
    if isinstance(have, str):
        return _compare_text(part.operator, have, str(part.value))
    assert isinstance(part.value, int | float)
    return _ordered(part.operator, (have > part.value) - (have < part.value))


def _equal(have: Value, value: object) -> bool:
    return value in have if isinstance(have, tuple) else have == value


def _compare_text(operator: str, have: str, value: str) -> bool:
    if operator == "contains":
        return value in have
    if operator == "prefix":
        return have.startswith(value)
    return _ordered(operator, (have > value) - (have < value))


def _ordered(operator: str, sign: int) -> bool:
    return {"lt": sign < 0, "le": sign <= 0, "gt": sign > 0, "ge": sign >= 0}[operator]
