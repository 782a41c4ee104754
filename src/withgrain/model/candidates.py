"""Light rows of the chunks that compete for a question, by columns: all are scored, few are looked at one by one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from withgrain.model.records import Candidate

#: Places in the rows, ascending, and how often each of these has a term.
Occurrences = tuple[Sequence[int], Sequence[int]]


def counts_at(place: int, counts: Mapping[str, Occurrences]) -> dict[str, int]:
    """Return how often the row at a place has each term; terms that it does not have left out."""
    found: dict[str, int] = {}
    for term, (places, numbers) in counts.items():
        at = bisect_left(places, place)
        if at < len(places) and places[at] == place:
            found[term] = int(numbers[at])
    return found


def stated_by(facts: Sequence[Collection[str]]) -> Callable[[Sequence[str]], Mapping[str, Sequence[int]]]:
    """Return what finds the places of the rows that state some identifiers, from those that each row states."""
    return lambda wanted: {i: [n for n, own in enumerate(facts) if i in own] for i in wanted}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates(Sequence[Candidate]):
    """A sequence of `Candidate`, of which those are made that are asked for; columns are for scoring all at once.

    Attributes:
        ids: The chunks, in the order asked.
        doc_ids: Their documents.
        lengths: How many lexical terms each has.
        totals: How many chunks the document of each has.
        counts: For each asked term that a row has: where, and how often.
        stating: Returns for each of some identifiers the places of the rows that state it as a fact
            (`Facts.identifiers`), ascending.
        names: Returns title and heading path of the rows at some places.
        row: Makes the candidate at a place.
    """

    ids: Sequence[str]
    doc_ids: Sequence[str]
    lengths: Sequence[int]
    totals: Sequence[int]
    counts: Mapping[str, Occurrences]
    stating: Callable[[Sequence[str]], Mapping[str, Sequence[int]]]
    names: Callable[[Sequence[int]], Sequence[tuple[str, ...]]]
    row: Callable[[int], Candidate]

    @classmethod
    def of(cls, rows: Sequence[Candidate]) -> Candidates:
        """Return candidates that are made already."""
        counts: dict[str, tuple[list[int], list[int]]] = {}
        for place, one in enumerate(rows):
            for term, count in one.counts.items():
                places, numbers = counts.setdefault(term, ([], []))
                places.append(place)
                numbers.append(count)
        return cls(
            ids=[c.chunk_id for c in rows],
            doc_ids=[c.doc_id for c in rows],
            lengths=[c.length for c in rows],
            totals=[c.total for c in rows],
            counts=counts,
            stating=stated_by([c.identifiers for c in rows]),
            names=lambda places: [(rows[n].title, *rows[n].heading_path) for n in places],
            row=rows.__getitem__,
        )

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> list[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | list[Candidate]:
        """Return one candidate, or some."""
        if isinstance(place, slice):
            return [self.row(n) for n in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self.row(place % len(self))

    def __eq__(self, other: object) -> bool:
        """Return whether two sequences hold equal candidates."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as every sequence that compares by its values
