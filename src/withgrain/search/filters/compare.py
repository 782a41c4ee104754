"""One comparison: is the field known, does the operator fit its type, is the value of that type?"""

from __future__ import annotations

import math
from difflib import get_close_matches

from withgrain.errors import UsageError
from withgrain.model import FIELDS, Compare, Filter, Not, Or, stored_path
from withgrain.model.filter import OPERATORS, Operator
from withgrain.search.filters.times import TIMES, compare_time

#: Other names that people write for a field.
ALIASES: dict[str, str] = {
    "path": "document",
    "file": "document",
    "label": "labels",
    "marker": "markers",
    "page": "pages",
}

_SIGNS: dict[str, Operator] = {
    "=": "eq",
    "==": "eq",
    ":": "eq",
    "!=": "ne",
    "^=": "prefix",
    "*=": "contains",
    "contains": "contains",
    "in": "in",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}


def field_named(name: str, value: str = "VALUE") -> str:
    """Return the payload field that ``name`` means (itself or the field of an alias).

    An error shows how to ask for the label ``name=value``.

    Raises:
        UsageError: There is no such field; the message names the nearest one and lists all.
    """
    lowered = name.lower()
    field = ALIASES.get(lowered, lowered)
    if field in FIELDS:
        return field
    near = get_close_matches(lowered, [*FIELDS, *ALIASES], n=1, cutoff=0.5)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise UsageError(
        f'There is no field "{name}" to filter by.{hint} Fields: {", ".join(sorted(FIELDS))}. What stands in the front '
        f'matter or was given with --label is a label: labels contains "{name}={value}".'
    )


def _told(sign: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the one value that can be shown in an example, if there is one."""
    plain = len(values) == 1 and len(values[0]) < 100 and '"' not in values[0]
    return values if plain and _SIGNS[sign] == "eq" else ()


def compare(name: str, sign: str, values: tuple[str, ...]) -> Filter:
    """Return the comparison ``name sign values``; only ``in`` takes other than one value.

    Raises:
        UsageError: Unknown field, an operator that its type does not have, or a value that is no number or no time.
    """
    field, operator = field_named(name, *_told(sign, values)), _SIGNS[sign]
    if field == "pages" and operator in ("lt", "le", "gt", "ge"):
        field = "page"  # the same pages, as numbers
    kind = FIELDS[field]
    if operator not in OPERATORS[kind]:
        signs = ", ".join(sorted(s for s, o in _SIGNS.items() if o in OPERATORS[kind]))
        raise UsageError(f'The field "{field}" is a {kind}: "{sign}" does not work on it. Use one of: {signs}.')
    if kind == "number":
        numbers = tuple(_number(field, value) for value in values)
        return Compare(field=field, operator=operator, value=numbers if operator == "in" else numbers[0])
    if field in TIMES:
        return compare_time(field, operator, values)
    if field == "document":
        values = tuple(stored_path(value) for value in values)
        if operator in ("eq", "ne", "in") and any(value.endswith("/") for value in values):
            return _folders(values, negated=operator == "ne")
    return Compare(field=field, operator=operator, value=values if operator == "in" else values[0])


def _folders(paths: tuple[str, ...], *, negated: bool) -> Filter:
    """Return the filter for paths of which some are folders: everything in them."""
    parts = [Compare(field="document", operator="prefix" if p.endswith("/") else "eq", value=p) for p in paths]
    any_of = parts[0] if len(parts) == 1 else Or(parts=tuple(parts))
    return Not(part=any_of) if negated else any_of


def _number(field: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f'The field "{field}" is a number, "{value[:80]}" is none. Write for example: {field}>=60.')
    return number
