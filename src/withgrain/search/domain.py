"""Domain isolation: with a domain given nothing of another one comes back; what states no domain is told apart."""

from __future__ import annotations

from dataclasses import replace

from withgrain.model import And, Compare, Filter, Not, Or, all_of

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


def domain_condition(where: Filter | None) -> Filter | None:
    """Return what a filter asks of the domain, whichever values the other fields have; None when it asks nothing.

    All that is inside the filter fulfils it; what fails it is of another domain than was asked for.
    """
    return _condition(where, negated=False) if where is not None else None


def _condition(where: Filter, *, negated: bool) -> Filter | None:
    if isinstance(where, Compare):
        own = where if where.field == "domain" else None
        return Not(part=own) if own is not None and negated else own
    if isinstance(where, Not):
        return _condition(where.part, negated=not negated)
    parts = [_condition(part, negated=negated) for part in where.parts]
    asked = tuple(part for part in parts if part is not None)
    if isinstance(where, And) is not negated:
        return all_of(*asked)
    return Or(parts=asked) if len(asked) == len(parts) else None
