"""The chunks that compete for one question, and their scores in every channel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from withgrain.model import Candidate, Candidates
from withgrain.model.candidates import counts_at

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, np.dtype[Any]]


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

    def place(self, chunk_id: str) -> int:
        """Return where a candidate stands in the rows."""
        return self._places[chunk_id]

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


class Scores(Mapping[str, float]):
    """The score of every candidate in a channel, side by side.

    Attributes:
        candidates: The candidates.
        numbers: Their scores, in their order.
    """

    def __init__(self, candidates: ById, numbers: Numbers) -> None:
        self.candidates, self.numbers = candidates, numbers

    def __getitem__(self, chunk_id: str) -> float:
        """Return the score of a candidate."""
        return float(self.numbers[self.candidates.place(chunk_id)])

    def __contains__(self, chunk_id: object) -> bool:
        """Return whether a chunk is a candidate."""
        return chunk_id in self.candidates

    def __iter__(self) -> Iterator[str]:
        """Yield the ids."""
        return iter(self.candidates)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.candidates)


def column(scores: Mapping[str, float], candidates: ById | None = None) -> Numbers:
    """Return the scores side by side: those that there are, or one for each candidate, NaN for one without."""
    import numpy as np

    if isinstance(scores, Scores) and (candidates is None or candidates is scores.candidates):
        return scores.numbers
    if candidates is None:
        return np.fromiter(scores.values(), dtype=np.float64, count=len(scores))
    return np.fromiter(map(scores.get, candidates.rows.ids, repeat(np.nan)), dtype=np.float64, count=len(candidates))


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
    import numpy as np

    wanted = list(scores) if ids is None else [i for i in ids if i in scores]
    ordered = np.sort(column(scores))
    places = np.searchsorted(ordered, np.array([scores[i] for i in wanted]), side="right")
    return dict(zip(wanted, (len(ordered) + 1 - places).tolist(), strict=True))
