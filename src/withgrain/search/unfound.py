"""Why a question inside a filter found nothing: a value that nothing has, or words that nothing inside has."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from withgrain.model import FIELDS, And, Compare, Filter
from withgrain.types import Snapshot

#: Values of a field that are looked through for one that is meant, and the characters of one that are compared.
_VALUES, _CHARACTERS = 5_000, 80


def why_nothing(snapshot: Snapshot, where: Filter | None, written: Filter | None) -> tuple[str, ...]:
    """Return what to say when nothing was found.

    Args:
        snapshot: The state, inside its scope.
        where: The filter that held.
        written: The part of it that is written in the question.
    """
    if where is None:
        return ()
    inside = snapshot.statistics((), where).chunks
    if inside:
        return (f"Chunks inside the filter: {inside:,}; none has a word of the question.",)
    place = " that is written in the question" if written is not None else ""
    return (*nearest_values(snapshot, where), f"No chunk matches the filter{place}.")


def nearest_values(snapshot: Snapshot, where: Filter) -> Iterator[str]:
    """Yield a sentence for each value that a filter asks for and that nothing has, with the nearest ones that exist."""
    waiting = [where]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, And):
            waiting += part.parts
        elif isinstance(part, Compare) and part.operator == "eq" and FIELDS.get(part.field) in ("text", "list"):
            values = snapshot.facets(part.field, None)
            wanted = str(part.value)
            if wanted not in values:
                known = {v.casefold(): v for v in list(values)[:_VALUES]}
                near = get_close_matches(wanted[:_CHARACTERS].casefold(), known, n=3, cutoff=0.6)
                hint = f" Did you mean {' or '.join(known[n][:_CHARACTERS] for n in near)}?" if near else ""
                yield f'No {part.field} is "{wanted[:_CHARACTERS]}".{hint}'
