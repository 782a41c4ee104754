"""Put the channels together: one score a chunk, and an order that is the same on every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from withgrain.model import Candidate
from withgrain.search.pool import ById, Pool, column, ranks
from withgrain.search.weights import Weights

#: How far a score that was lifted stands above the next one.
_STEP = 1e-6
#: What orders chunks of equal scores.
Tie = tuple[int, bool, str, str, int, str]

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, np.dtype[Any]]


def standard_scores(scores: Mapping[str, float], candidates: ById) -> Numbers:
    """Return how many standard deviations each chunk lies above the mean of the candidates.

    A chunk without a score (a chunk without vectors) gets the lowest score of the channel. Where all are equal, the
    channel says nothing: 0 for every chunk.
    """
    import numpy as np

    if not scores or not candidates:
        return np.zeros(len(candidates))
    values = column(scores, candidates)
    values = np.where(np.isnan(values), column(scores).min(), values)
    above = values - values.mean()
    deviation = np.sqrt((above**2).mean())
    return above / deviation if deviation >= 1e-9 else np.zeros(len(candidates))


def reciprocal_ranks(scores: Mapping[str, float], candidates: ById, constant: int) -> Numbers:
    """Return ``1 / (constant + rank)``; 0 for a chunk that the channel did not score.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (SIGIR 2009).
    """
    import numpy as np

    placed = ranks(scores)
    return np.array([1.0 / (constant + placed[i]) if i in placed else 0.0 for i in candidates])


def fuse(pool: Pool, weights: Weights) -> list[tuple[str, float]]:
    """Return the candidates with their fused scores, best first.

    Chunks that have identifiers of the question literally stand before all others, by the summed weight of those
    identifiers; their scores are those of the other channels (see `falling`). Equal scores are ordered by quality, then
    short facts before long text, then place.
    """
    import numpy as np

    candidates, ids = pool.candidates, pool.candidates.rows.ids
    total = np.zeros(len(ids))
    for channel in ("lexical", "dense", "document"):
        weight = getattr(weights, channel)
        scores = pool.scores.get(channel, {})
        if not weight or not scores:
            continue
        if weights.fusion == "rrf":
            total += weight * reciprocal_ranks(scores, candidates, weights.rrf_constant)
        else:
            total += weight * standard_scores(scores, candidates)
    exact = pool.scores.get("exact", {}) if weights.exact else {}
    literal = np.round([exact.get(i, 0.0) for i in ids], 9) if exact else np.zeros(len(ids))
    total = np.round(total, 9)
    order = _ordered(literal, total, lambda place: _tie(candidates[ids[place]]))
    return list(zip([ids[place] for place in order], total[order].tolist(), strict=True))


def falling(ranking: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return the ranking with scores that fall from the first to the last, whatever put it into this order.

    A chunk with an identifier of the question stands in front of others with better scores, and so does one that is
    unlike what stands before it: it is lifted above them, with all that stand before it, by the same number. So the
    differences inside a group stay, and sorting by score gives the order of the ranking.
    """
    lift, lifted = 0.0, list[tuple[str, float]]()
    for chunk_id, score in reversed(ranking):
        if lifted and score + lift < lifted[-1][1]:
            lift = lifted[-1][1] + _STEP - score
        lifted.append((chunk_id, score + lift))
    return lifted[::-1]


def _ordered(first: Numbers, second: Numbers, tie: Callable[[int], Tie]) -> list[int]:
    """Return the places by falling ``first``, then falling ``second``; only equal ones are asked for their ``tie``."""
    import numpy as np

    order = np.lexsort((-second, -first))
    alike = (first[order][1:] == first[order][:-1]) & (second[order][1:] == second[order][:-1])
    places: list[int] = order.tolist()
    if not alike.any():
        return places
    begin = 0
    for end, same in enumerate([*alike.tolist(), False], start=1):
        if not same:
            if end - begin > 1:
                places[begin:end] = sorted(places[begin:end], key=tie)
            begin = end
    return places


def _tie(candidate: Candidate) -> Tie:
    return (
        -candidate.quality,
        candidate.kind != "atomic_fact",
        candidate.title,
        candidate.doc_id,
        candidate.ordinal,
        candidate.chunk_id,
    )
