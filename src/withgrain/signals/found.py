"""Collects facts with their places, so that each field comes out in order of appearance."""

from __future__ import annotations

from operator import itemgetter

_PLACE, _VALUE = itemgetter(0), itemgetter(1)


class Found:
    """Facts under construction: for each field, pairs of offset and value."""

    __slots__ = ("_fields",)

    def __init__(self) -> None:
        self._fields: dict[str, list[tuple[int, str]]] = {}

    def add(self, field: str, value: str, place: int) -> None:
        """Note that ``value`` stands at offset ``place`` of the text."""
        pairs = self._fields.get(field)
        if pairs is None:
            self._fields[field] = [(place, value)]
        else:
            pairs.append((place, value))

    def has(self, field: str, value: str) -> bool:
        """Return whether the value was noted last or last but one: whether a list of such values goes on."""
        return any(known == value for _, known in self._fields.get(field, ())[-2:])

    def fields(self) -> dict[str, tuple[str, ...]]:
        """Return the distinct values of each field in order of appearance."""
        result: dict[str, tuple[str, ...]] = {}
        for field, pairs in self._fields.items():
            if len(pairs) > 1:
                pairs.sort(key=_PLACE)
            result[field] = tuple(dict.fromkeys(map(_VALUE, pairs)))
        return result
