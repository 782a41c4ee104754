"""What a filter leaves out, and why: a value that nothing has, words that nothing inside has, what one chunk lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice

from withgrain.model import FIELDS, And, Compare, Filter, Not, all_of
from withgrain.model.filter import ANY_CASE
from withgrain.search.filters.writing import written
from withgrain.types import Snapshot

#: Values of a field that are looked through for one that is meant, and the characters of one that are compared.
_VALUES, _CHARACTERS = 5_000, 80
#: How alike a value must be to be meant, and where nobody is sure that one was meant at all: then of few.
_ALIKE, _VERY_ALIKE = 0.6, 0.75
_FEW_VALUES = 200
#: Fields of which all chunks together have few values.
_VOCABULARIES = frozenset({"class", "domain", "kind", "labels", "root"})
#: What one value of a list is called.
_ONE = {"pages": "page", "labels": "label", "markers": "marker", "codes": "code", "keys": "key", "links": "link"}
#: Fields of one condition of which it is told what a chunk has.
_TOLD = 5


class Values:
    """The values that the chunks of a state have, inside its scope."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def has(self, where: Filter) -> bool:
        """Return whether any chunk is inside a filter."""
        if isinstance(where, Compare) and where.operator == "eq" and where.field in _VOCABULARIES:
            values = self._snapshot.facets(where.field, None)
            if len(values) <= _VALUES:  # then they are remembered
                either = str.lower if where.field in ANY_CASE else str
                return either(str(where.value)) in map(either, values)
        return self._snapshot.statistics((), where).chunks > 0

    def missing(self, field: str, wanted: str) -> str:
        """Return a sentence that nothing has a value, with the nearest ones that exist."""
        same = self._copy(wanted) if field == "document" else ""
        near = () if same else self.nearest(field, wanted)
        hint = f" Its text is that of {same}: ask for this." if same else ""
        hint = f" Did you mean {' or '.join(near)}?" if near else hint
        return f'No {_ONE.get(field, field)} is "{wanted[:_CHARACTERS]}".{hint}'

    def nearest(self, field: str, wanted: str, *, strictly: bool = False) -> Sequence[str]:
        """Return the values of a field that are nearest to one that nothing has; of paths also their folders."""
        values = self._snapshot.facets(field, None)
        if strictly and len(values) > _FEW_VALUES:
            return []
        known = {v.casefold(): v for v in islice(values, _VALUES)}
        asked = wanted[:_CHARACTERS].casefold()
        if field == "document":
            folders = {path[: n + 1] for path in known.values() for n, sign in enumerate(path) if sign == "/"}
            known |= {folder.casefold(): folder for folder in folders}
            inner = [path for key, path in known.items() if key.endswith(f"/{asked}")]
            if inner:
                return [path[:_CHARACTERS] for path in inner[:3]]
        near = get_close_matches(asked, known, n=3, cutoff=_VERY_ALIKE if strictly else _ALIKE)
        return [known[n][:_CHARACTERS] for n in near]

    def _copy(self, path: str) -> str:
        """Return the path of the document that stands for the copy at another path; empty without one."""
        return next((d.path[:_CHARACTERS] for d in self._snapshot.documents() if path in d.names), "")


def why_nothing(snapshot: Snapshot, where: Filter | None, in_question: Filter | None) -> tuple[str, ...]:
    """Return what to say when nothing was found.

    Args:
        snapshot: The state, inside its scope.
        where: The filter that held.
        in_question: The part of it that is written in the question.
    """
    if where is None:
        return ()
    inside = snapshot.statistics((), where).chunks
    if inside:
        return (f"Chunks inside the filter: {inside:,}; none has a word of the question.",)
    place = " that is written in the question" if in_question is not None else ""
    return (*nearest_values(snapshot, where), f"No chunk matches the filter{place}.")


def nearest_values(snapshot: Snapshot, where: Filter) -> Iterator[str]:
    """Yield a sentence for each value that a filter asks for and that nothing has, with the nearest ones that exist."""
    values = Values(snapshot)
    for part in _conditions(where):
        if not isinstance(part, Compare) or FIELDS[part.field] == "number" or part.operator not in ("eq", "in"):
            continue
        for value in part.value if isinstance(part.value, tuple) else (part.value,):
            if not values.has(Compare(field=part.field, operator="eq", value=value)):
                yield values.missing(part.field, str(value))


def left_out(snapshot: Snapshot, where: Filter, only: Filter) -> Iterator[str]:
    """Yield a sentence for each condition of a filter that the one chunk inside ``only`` does not fulfil."""
    for part in _conditions(where):
        if snapshot.statistics((), all_of(part, only)).chunks:
            continue
        if isinstance(part, Compare):
            yield f"The filter on {part.field} leaves it out: it has {_of(snapshot, part.field, only)}."
        else:
            has = "; ".join(f"its {field} is {_of(snapshot, field, only)}" for field in _fields(part))
            yield f"The filter leaves it out: {written(part)[:500]}; {has}."


def _of(snapshot: Snapshot, field: str, only: Filter) -> str:
    """Return what the one chunk inside ``only`` has in a field."""
    return ", ".join(value[:_CHARACTERS] for value in list(snapshot.facets(field, only))[:5]) or "none"


def _fields(where: Filter) -> list[str]:
    """Return the fields that a filter names, each once."""
    found: dict[str, None] = {}
    waiting = [where]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, Compare):
            found[part.field] = None
        else:
            waiting += (part.part,) if isinstance(part, Not) else part.parts
    return list(found)[:_TOLD]


def _conditions(where: Filter) -> Iterator[Filter]:
    """Yield what must hold together."""
    waiting = [where]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, And):
            waiting += part.parts
        else:
            yield part
