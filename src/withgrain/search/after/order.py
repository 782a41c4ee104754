"""Steps on the ranking, before any text is read for hits."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

from withgrain.errors import Unavailable, WithgrainError
from withgrain.model import Candidates, ChunkRecord
from withgrain.search.after.settings import After
from withgrain.types import Reranker, Snapshot

_LOG = logging.getLogger(__name__)

#: (chunk id, score), best first.
Ranking = list[tuple[str, float]]

#: How many of the first candidates diversity looks at, and collapse counts.
LOOKED_AT = 100
#: More are never compared with each other, however many hits are asked for: that takes the square of their number.
_MOST_COMPARED = 400
#: Scores beyond this cannot be compared: their squares have no number.
_LARGEST = 1e100


def reranked(
    snapshot: Snapshot, question: str, ranking: Ranking, first: Mapping[str, float], after: After
) -> tuple[Ranking, dict[str, float], str]:
    """Return the ranking with its first candidates in a new order, the reranker's scores, and a notice.

    Chunks that have identifiers of the question literally (``first``) stay in front, in the new order among each
    other. A service that does not answer changes nothing but the notice.
    """
    if after.reranker is None or not ranking:
        return ranking, {}, ""
    records = {r.chunk.id: r for r in snapshot.chunks(ids=[i for i, _ in ranking[: after.reranked]])}
    ranking = [pair for place, pair in enumerate(ranking) if place >= after.reranked or pair[0] in records]
    read = [i for i, _ in ranking[: len(records)]]
    try:
        scores = _scores(after.reranker, question, [passage(records[i]) for i in read])
    except Unavailable as error:
        return ranking, {}, f'The reranker "{after.reranker.name}" did not answer, the order is that of fusion: {error}'
    return reordered(ranking, scores, first, after.rerank_weight), dict(zip(read, scores, strict=True)), ""


def _scores(reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
    """Return the reranker's score of each text, as plain numbers; it may be anybody's code.

    Raises:
        WithgrainError: The reranker's own.
        Unavailable: Another error, or not one number a text.
    """
    try:
        scores = [float(score) for score in reranker.scores(question, texts)]
    except WithgrainError:
        raise
    except Exception as error:
        _LOG.debug('The reranker "%s" failed', reranker.name, exc_info=True)
        raise Unavailable(f"{type(error).__name__}: {error}") from error
    if len(scores) != len(texts) or not all(abs(score) < _LARGEST for score in scores):
        raise Unavailable(f"it gave no usable score for each of {len(texts)} texts.")
    return scores


def reordered(ranking: Ranking, scores: Sequence[float], first: Mapping[str, float], weight: float) -> Ranking:
    """Return the ranking with its first candidates by the sum of the standard scores that they had and of new ones.

    The sums are lifted above the scores of the candidates behind, so that scores still fall from the first to the last.

    Args:
        ranking: All candidates.
        scores: A new score for each of the first candidates.
        first: Chunks that have identifiers of the question literally: they stay in front of the others.
        weight: Of the new scores; ``inf`` lets them decide alone.
    """
    head, tail = ranking[: len(scores)], ranking[len(scores) :]
    own, new = _standard([score for _, score in head]), _standard(scores)
    total = [n if math.isinf(weight) else o + weight * n for o, n in zip(own, new, strict=True)]
    lift = max(score for _, score in tail) - min(total) if tail else 0.0
    order = sorted(range(len(head)), key=lambda n: (-round(first.get(head[n][0], 0.0), 9), -round(total[n], 9), n))
    return [*((head[n][0], round(total[n] + lift, 9)) for n in order), *tail]


def passage(record: ChunkRecord) -> str:
    """Return what a reranker reads: a line with title and path, then what a reader is shown."""
    chunk = record.chunk
    path = chunk.heading_path if chunk.heading_path[:1] == (chunk.title,) else (chunk.title, *chunk.heading_path)
    return f"{' › '.join(path)}\n{chunk.display_text}"


def diversified(snapshot: Snapshot, ranking: Ranking, diversity: float, k: int) -> Ranking:
    """Return the ranking with what is like something better moved back.

    Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) with the share of common terms (Jaccard) as
    similarity, so that it works without vectors.
    """
    if not diversity or len(ranking) < 2:
        return ranking
    head = ranking[: min(max(LOOKED_AT, k), _MOST_COMPARED)]
    words = {r.chunk.id: frozenset(r.terms.split()) for r in snapshot.chunks(ids=[i for i, _ in head])}
    left = dict(zip((i for i, _ in head), _worth([score for _, score in head]), strict=True))
    nearest = dict.fromkeys(left, 0.0)
    scores, chosen = dict(head), list[str]()
    while left:
        best = max(left, key=lambda i: (1 - diversity) * left[i] - diversity * nearest[i])  # the first of equal ones
        del left[best]
        chosen.append(best)
        for i in left:
            nearest[i] = max(nearest[i], _alike(words.get(i, frozenset()), words.get(best, frozenset())))
    return [*((i, scores[i]) for i in chosen), *ranking[len(head) :]]


def collapsed(ranking: Ranking, candidates: Candidates) -> tuple[Ranking, dict[str, int]]:
    """Return the best chunk of each document, and for how many of the first candidates it stands."""
    documents = dict(zip(candidates.ids, candidates.doc_ids, strict=True))
    kept: dict[str, tuple[str, float]] = {}
    counts: dict[str, int] = {}
    for place, (chunk_id, score) in enumerate(ranking):
        best, _ = kept.setdefault(documents[chunk_id], (chunk_id, score))
        if place < LOOKED_AT or best == chunk_id:
            counts[best] = counts.get(best, 0) + 1
    return list(kept.values()), counts


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 0.0


def _standard(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    return [(v - mean) / deviation if deviation > 1e-9 else 0.0 for v in values]


def _worth(scores: Sequence[float]) -> list[float]:
    """Return scores moved into 0 to 1 that never rise: what leads for another reason is worth what follows it."""
    falling = list(accumulate(reversed(scores), max))[::-1]
    low, high = falling[-1], falling[0]
    return [(v - low) / (high - low) if high > low else 1.0 for v in falling]
