"""Put the channels together: one score a chunk, and an order that is the same on every run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from withgrain.model import Candidate
from withgrain.search.pool import Pool, ranks
from withgrain.search.weights import Weights


def standard_scores(scores: Mapping[str, float], ids: tuple[str, ...]) -> dict[str, float]:
    """Return how many standard deviations each chunk lies above the mean of the candidates.

    A chunk without a score (a chunk without vectors) gets the lowest score of the channel. Where all are equal, the
    channel says nothing: 0 for every chunk.
    """
    if not scores or not ids:
        return dict.fromkeys(ids, 0.0)
    lowest = min(scores.values())
    values = [scores.get(i, lowest) for i in ids]
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    if deviation < 1e-9:
        return dict.fromkeys(ids, 0.0)
    return {i: (v - mean) / deviation for i, v in zip(ids, values, strict=True)}


def reciprocal_ranks(scores: Mapping[str, float], ids: tuple[str, ...], constant: int) -> dict[str, float]:
    """Return ``1 / (constant + rank)``; 0 for a chunk that the channel did not score.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (SIGIR 2009).
    """
    placed = ranks(scores)
    return {i: 1.0 / (constant + placed[i]) if i in placed else 0.0 for i in ids}


def fuse(pool: Pool, weights: Weights) -> list[tuple[str, float]]:
    """Return the candidates with their fused scores, best first.

    Chunks that have identifiers of the question literally stand before all others, by the summed weight of those
    identifiers. Equal scores are ordered by quality, then short facts before long text, then place.
    """
    ids = tuple(pool.candidates)
    total = dict.fromkeys(ids, 0.0)
    for channel in ("lexical", "dense", "document"):
        weight = getattr(weights, channel)
        scores = pool.scores.get(channel, {})
        if not weight or not scores:
            continue
        if weights.fusion == "rrf":
            parts = reciprocal_ranks(scores, ids, weights.rrf_constant)
        else:
            parts = standard_scores(scores, ids)
        for i in ids:
            total[i] += weight * parts[i]
    exact = pool.scores.get("exact", {}) if weights.exact else {}
    keys = {i: (-round(exact.get(i, 0.0), 9), -round(total[i], 9)) for i in ids}
    equal = {key for key, n in Counter(keys.values()).items() if n > 1}
    ties = {i: _tie(pool.candidates[i]) if keys[i] in equal else () for i in ids}
    return [(i, total[i]) for i in sorted(ids, key=lambda i: (keys[i], ties[i]))]


def _tie(candidate: Candidate) -> tuple[int, bool, str, str, int, str]:
    return (
        -candidate.quality,
        candidate.kind != "atomic_fact",
        candidate.title,
        candidate.doc_id,
        candidate.ordinal,
        candidate.chunk_id,
    )
