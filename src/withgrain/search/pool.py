"""The chunks that compete for one question, and their scores in every channel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from withgrain.model import Candidate, Candidates
from withgrain.model.candidates import counts_at


class ById(Mapping[str, Candidate]):
    """Candidates by their ids, in their order.

    Attributes:
        rows: The candidates by their places.
    """

    def __init__(self, rows: Candidates) -> None:
        self.rows = rows
        self._places = {chunk_id: place for place, chunk_id in enumerate(rows.ids)}

    def __getitem__(self, chunk_id: str) -> Candidate:
        """Return the candidate with an id."""
        return self.rows[self._places[chunk_id]]

    def counts(self, chunk_id: str) -> tuple[dict[str, int], int]:
        """Return how often a candidate has each term, and how many terms it has; makes none."""
        place = self._places[chunk_id]
        return counts_at(place, self.rows.counts), int(self.rows.lengths[place])

    def __contains__(self, chunk_id: object) -> bool:
        """Return whether a chunk is a candidate; makes none."""
        return chunk_id in self._places

    def __iter__(self) -> Iterator[str]:
        """Yield the ids."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Candidates of all channels together.

    Attributes:
        candidates: The competing chunks, by id.
        scores: For each channel, the score of each chunk that has one.
    """

    candidates: ById
    scores: Mapping[str, Mapping[str, float]]


def ranks(scores: Mapping[str, float], ids: Iterable[str] | None = None) -> dict[str, int]:
    """Return the 1-based rank of chunks in a channel (all for None); equal scores share the better rank."""
    ordered = sorted(-score for score in scores.values())
    wanted = scores if ids is None else [i for i in ids if i in scores]
    return {i: bisect_left(ordered, -scores[i]) + 1 for i in wanted}
