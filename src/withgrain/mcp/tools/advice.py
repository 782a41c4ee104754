"""What to try when a search found nothing: another value, one filter less, another collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from withgrain.errors import UsageError
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.sanitise import label
from withgrain.model import Compare, Filter, all_of

#: Terms of a question that are looked up.
_TERMS = 32


def advice(
    collections: Collections, views: Sequence[View], query: str, conditions: Sequence[Filter | None]
) -> list[str]:
    """Return sentences that say what to try next; all of it is found inside what the reader may see."""
    from withgrain.search.unfound import nearest_values

    given = [condition for condition in conditions if condition is not None]
    found = [label(line, 300) for view in views for c in given for line in nearest_values(view.snapshot, c)]
    if found:
        found.append("facets lists the values that there are.")
    elif given:
        found = [*_broader(views, query, given), "Try fewer filters, or facets to see which values there are."]
    if not given:
        found += _elsewhere(collections, views, query)
    return list(dict.fromkeys(found))[:4]


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
