"""Comparisons with a moment: what is written names all of its year, month, day, hour or minute."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from withgrain.errors import UsageError
from withgrain.model import And, Compare, Filter, Not, Or
from withgrain.model.filter import Operator

#: Payload fields that hold a moment as ISO 8601 text in UTC, which sorts as time does.
TIMES = frozenset({"modified"})
_WRITTEN = re.compile(
    r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)
_REST = "0000-01-01T00:00:00"


def compare_time(field: str, operator: Operator, values: tuple[str, ...]) -> Filter:
    """Return the comparison: ``modified=2026-01-31`` holds on all of that day, and ``>`` begins behind its end.

    Raises:
        UsageError: A value is no date and no time.
    """
    if operator in ("prefix", "contains"):
        return Compare(field=field, operator=operator, value=values[0])
    moments = [_moment(field, value) for value in values]
    named = [Compare(field=field, operator="prefix", value=moment) for moment in moments]
    if operator == "in":
        return Or(parts=tuple(named))
    if operator in ("eq", "ne"):
        return named[0] if operator == "eq" else Not(part=named[0])
    if operator == "le":
        return Or(parts=(Compare(field=field, operator="lt", value=moments[0]), named[0]))
    if operator == "gt":
        return And(parts=(Compare(field=field, operator="ge", value=moments[0]), Not(part=named[0])))
    return Compare(field=field, operator=operator, value=moments[0])


def _moment(field: str, value: str) -> str:
    """Return the beginning that the stored text of every moment in ``value`` has."""
    found = _WRITTEN.fullmatch(value.strip())
    try:
        if found is None or (found[2] and len(found[1]) < len("2026-01-31")):
            raise ValueError(value)
        written = f"{found[1]}T{found[2]}" if found[2] else found[1]
        moment = datetime.fromisoformat(written + _REST[len(written) :] + (found[3] or "Z"))
        return moment.astimezone(UTC).isoformat()[: len(written)]
    except (ValueError, OverflowError):
        raise UsageError(
            f'The field "{field}" is a time, "{value[:80]}" is none. Write for example: {field}>=2026-01-31, or '
            f'{field}<"2026-01-31T08:00".'
        ) from None
