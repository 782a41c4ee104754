"""Filters: checked once, then evaluated in Python over a payload. The reference for every engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from withgrain.errors import UsageError
from withgrain.model import FIELDS, And, Compare, Filter, Not, Or
from withgrain.model.filter import ANY_CASE, MAX_DEPTH, OPERATORS, PROSE_LISTS
from withgrain.store.payload import Payload

#: Levels that joining filters may add: a scope, the caller's filter and what is written in the question hold together.
JOINED = 4


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
        if depth > MAX_DEPTH + JOINED:
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
    if part.operator not in OPERATORS[kind]:
        allowed = ", ".join(sorted(OPERATORS[kind]))
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
    return _compare(where, row)


def _compare(part: Compare, row: Payload) -> bool:
    """Return whether a comparison holds for one of the values that a field has."""
    have, operator = _values(part.field, row), part.operator
    if operator == "in" or (operator == "contains" and FIELDS[part.field] == "list" and part.field not in PROSE_LISTS):
        operator = "eq"
    wanted = part.value if isinstance(part.value, tuple) else (part.value,)
    if part.field in ANY_CASE:
        have, wanted = [str(h).lower() for h in have], tuple(str(w).lower() for w in wanted)
    if operator == "ne":
        return not any(h == w for h in have for w in wanted)
    return any(_holds(operator, h, w) for h in have for w in wanted)


def _values(field: str, row: Payload) -> Sequence[str | int]:
    if field == "page":
        return [int(page) for page in row["pages"] or ()]  # type: ignore[union-attr]  # a list field
    value = row[field]
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _holds(operator: str, have: Any, value: Any) -> bool:
    """Return whether one value fulfils a comparison; `check_filter` has seen to the types."""
    if operator == "contains":
        return bool(value in have)
    if operator == "prefix":
        return bool(have.startswith(value))
    sign = (have > value) - (have < value)
    return bool({"eq": sign == 0, "lt": sign < 0, "le": sign <= 0, "gt": sign > 0, "ge": sign >= 0}[operator])


def fields_of(where: Filter) -> frozenset[str]:
    """Return the fields that a filter names."""
    if isinstance(where, Compare):
        return frozenset({where.field})
    parts = (where.part,) if isinstance(where, Not) else where.parts
    return frozenset().union(*map(fields_of, parts))
