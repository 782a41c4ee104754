"""The chunks that compete for one question, and their scores in every channel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from withgrain.model import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Candidates of all channels together.

    Attributes:
        candidates: The competing chunks, by id.
        scores: For each channel, the score of each chunk that has one.
    """

    candidates: Mapping[str, Candidate]
    scores: Mapping[str, Mapping[str, float]]


def ranks(scores: Mapping[str, float], ids: Iterable[str] | None = None) -> dict[str, int]:
    """Return the 1-based rank of chunks in a channel (all for None); equal scores share the better rank."""
    ordered = sorted(-score for score in scores.values())
    wanted = scores if ids is None else [i for i in ids if i in scores]
    return {i: bisect_left(ordered, -scores[i]) + 1 for i in wanted}
