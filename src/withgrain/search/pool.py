"""The chunks that compete for one question, and their scores in every channel."""

from __future__ import annotations

from collections.abc import Mapping
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


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Return the 1-based rank of each chunk in a channel; equal scores share the better rank."""
    result: dict[str, int] = {}
    previous, rank = None, 0
    for position, (chunk_id, score) in enumerate(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])), 1):
        if score != previous:
            previous, rank = score, position
        result[chunk_id] = rank
    return result
