"""Domain isolation: with a domain given nothing of another one comes back; what states no domain is told apart."""

from __future__ import annotations

from dataclasses import replace

from withgrain.model import And, Compare, Filter

#: Hits without a domain that are reported beside the others.
APART = 3


def without_domain(where: Filter | None) -> Filter | None:
    """Return the same filter for chunks that state no domain; None when the filter asks for no domain.

    Only what holds for every chunk inside counts: a comparison that stands alone or in an ``and``, not one of several
    alternatives.
    """
    if isinstance(where, Compare) and where.field == "domain" and where.operator in ("eq", "in"):
        return None if where.value == "" else replace(where, operator="eq", value="")
    if isinstance(where, And):
        parts = [(part, without_domain(part)) for part in where.parts]
        if any(other is not None for _, other in parts):
            return And(parts=tuple(other if other is not None else part for part, other in parts))
    return None
