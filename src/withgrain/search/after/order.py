"""Steps on the ranking, before any text is read for hits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from withgrain.errors import Unavailable
from withgrain.model import Candidates, ChunkRecord
from withgrain.search.after.settings import After
from withgrain.types import Snapshot

#: (chunk id, score), best first.
Ranking = list[tuple[str, float]]

#: How many of the first candidates diversity looks at, and collapse counts.
LOOKED_AT = 100


def reranked(
    snapshot: Snapshot, question: str, ranking: Ranking, first: Mapping[str, float], after: After
) -> tuple[Ranking, dict[str, float], str]:
    """Return the ranking with its first candidates in a new order, the reranker's scores, and a notice.

    Chunks that have identifiers of the question literally (``first``) stay in front, in the new order among each
    other. A service that does not answer changes nothing but the notice.
    """
    if after.reranker is None or not ranking:
        return ranking, {}, ""
    head = ranking[: after.reranked]
    records = {r.chunk.id: r for r in snapshot.chunks(ids=[i for i, _ in head])}
    head = [(i, score) for i, score in head if i in records]
    try:
        scores = after.reranker.scores(question, [passage(records[i]) for i, _ in head])
    except Unavailable as error:
        return ranking, {}, f'The reranker "{after.reranker.name}" did not answer, the order is that of fusion: {error}'
    if len(scores) != len(head) or not all(math.isfinite(s) for s in scores):
        return ranking, {}, f'The reranker "{after.reranker.name}" gave no usable scores, the order is that of fusion.'
    given = {i: score for (i, _), score in zip(head, scores, strict=True)}
    return [*reordered(head, scores, first, after.rerank_weight), *ranking[after.reranked :]], given, ""


def reordered(head: Ranking, scores: Sequence[float], first: Mapping[str, float], weight: float) -> Ranking:
    """Return candidates by the sum of the standard scores that they had and, weighted, of new ones.

    Args:
        head: The first candidates.
        scores: A new score for each.
        first: Chunks that have identifiers of the question literally: they stay in front of the others.
        weight: Of the new scores; ``inf`` lets them decide alone.
    """
    own, new = _standard([score for _, score in head]), _standard(scores)
    total = [n if math.isinf(weight) else o + weight * n for o, n in zip(own, new, strict=True)]
    order = sorted(range(len(head)), key=lambda n: (-round(first.get(head[n][0], 0.0), 9), -round(total[n], 9), n))
    return [(head[n][0], total[n]) for n in order]


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
    head = ranking[: max(LOOKED_AT, k)]
    words = {r.chunk.id: frozenset(r.terms.split()) for r in snapshot.chunks(ids=[i for i, _ in head])}
    worth = dict(zip((i for i, _ in head), _unit([score for _, score in head]), strict=True))
    left, chosen = [i for i, _ in head], list[str]()
    nearest = dict.fromkeys(left, 0.0)
    scores = dict(head)
    while left:
        best = max(left, key=lambda i: ((1 - diversity) * worth[i] - diversity * nearest[i], -left.index(i)))
        left.remove(best)
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


def _unit(values: Sequence[float]) -> list[float]:
    """Return the values moved into 0 to 1."""
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 1.0 for v in values]
