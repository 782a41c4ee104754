"""What to try when a search found nothing: another value, one filter less, another collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from withgrain.errors import UsageError
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.sanitise import label
from withgrain.model import Compare, Filter, all_of

#: Values that are looked through for one that is meant, and terms of a question that are looked up.
_VALUES = 5000
_TERMS = 32


def advice(
    collections: Collections, views: Sequence[View], query: str, conditions: Sequence[Filter | None]
) -> list[str]:
    """Return sentences that say what to try next; all of it is found inside what the reader may see."""
    given = [condition for condition in conditions if condition is not None]
    found = [line for view in views for condition in given for line in _nearest_value(view, condition)]
    if not found and given:
        found = [*_broader(views, query, given), "Try fewer filters, or facets to see which values there are."]
    if not given:
        found += _elsewhere(collections, views, query)
    return list(dict.fromkeys(found))[:4]


def _nearest_value(view: View, condition: Filter) -> Iterator[str]:
    if not isinstance(condition, Compare) or not isinstance(condition.value, str) or condition.operator != "eq":
        return
    values = view.snapshot.facets(condition.field, None)
    if condition.value in values:
        return
    near = get_close_matches(condition.value[:200], list(values)[:_VALUES], n=3, cutoff=0.6)
    hint = f" Did you mean: {', '.join(label(v, 80) for v in near)}?" if near else ""
    yield f'No {condition.field} is "{label(condition.value, 80)}".{hint} facets lists the values that there are.'


def _broader(views: Sequence[View], query: str, given: Sequence[Filter]) -> Iterator[str]:
    for number, condition in enumerate(given, 1):
        rest = all_of(*(other for other in given if other is not condition))
        if any(_matches(view, query, rest) for view in views):
            what = condition.field if isinstance(condition, Compare) else f"number {number}"
            yield f"Without the filter on {what} there are hits."


def _elsewhere(collections: Collections, views: Sequence[View], query: str) -> Iterator[str]:
    asked = {view.name for view in views}
    for name in collections.names:
        if name in asked:
            continue
        try:
            (view,) = collections.views(name)
        except UsageError:  # nothing was ingested there
            continue
        if _matches(view, query, None):
            yield f"The collection {name} has words of it: ask with collection={name}, or with none."


def _matches(view: View, query: str, where: Filter | None) -> bool:
    from withgrain.tokens.terms import terms

    return bool(view.snapshot.lexical(terms(query)[:_TERMS], where, 1))
