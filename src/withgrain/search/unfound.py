"""What a filter leaves out, and why: a value that nothing has, words that nothing inside has, what one chunk lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from withgrain.model import FIELDS, And, Compare, Filter, all_of
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
    for part in _conditions(where):
        if isinstance(part, Compare) and part.operator == "eq" and FIELDS.get(part.field) in ("text", "list"):
            values = snapshot.facets(part.field, None)
            wanted = str(part.value)
            if wanted not in values:
                yield f'No {part.field} is "{wanted[:_CHARACTERS]}".{_hint(snapshot, part.field, wanted, values)}'


def left_out(snapshot: Snapshot, where: Filter, only: Filter) -> Iterator[str]:
    """Yield a sentence for each condition of a filter that the one chunk inside ``only`` does not fulfil."""
    for part in _conditions(where):
        if snapshot.statistics((), all_of(part, only)).chunks:
            continue
        if isinstance(part, Compare):
            has = ", ".join(value[:_CHARACTERS] for value in list(snapshot.facets(part.field, only))[:5])
            yield f"The filter on {part.field} leaves it out: it has {has or 'none'}."
        else:
            yield 'A filter with "or" or "not" leaves it out.'


def _conditions(where: Filter) -> Iterator[Filter]:
    """Yield what must hold together."""
    waiting = [where]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, And):
            waiting += part.parts
        else:
            yield part


def _hint(snapshot: Snapshot, field: str, wanted: str, values: Mapping[str, int]) -> str:
    same = next((d.path for d in snapshot.documents() if wanted in d.names), "") if field == "document" else ""
    if same:
        return f" Its text is that of {same[:_CHARACTERS]}: ask for this."
    known = {v.casefold(): v for v in list(values)[:_VALUES]}
    near = get_close_matches(wanted[:_CHARACTERS].casefold(), known, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(known[n][:_CHARACTERS] for n in near)}?" if near else ""
