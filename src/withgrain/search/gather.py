"""Ask every channel for candidates, then score each candidate in every channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

from withgrain.model import Filter
from withgrain.search.analyse import Question
from withgrain.search.bm25 import Scorer, scorer
from withgrain.search.dense import Nearest, nearest
from withgrain.search.exact import exact_candidates, exact_scores, literally, telling
from withgrain.search.lazy import Filled, Lazy, fill
from withgrain.search.lexical import lexical_scores
from withgrain.search.pool import ById, Pool
from withgrain.search.scoped import ScopedSnapshot
from withgrain.search.weights import Weights
from withgrain.tokens.terms import query_terms
from withgrain.types import Snapshot

_FIRST = itemgetter(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The candidates with their scores, and what the trace and the citations need.

    Attributes:
        pool: Candidates and scores.
        scorer: BM25 for this question: the terms that counted, with their weights.
        proposed: For each channel, how many chunks it brought in.
        literal: For each identifier that is there, the candidates that have it literally.
        leaves: The best leaf of each candidate, where vectors were compared.
        chunks: Chunks inside the filter.
        lazy: What was embedded for this question; None unless vectors are lazy.
        where: The filter: nothing outside it is a candidate.
    """

    pool: Pool
    scorer: Scorer
    proposed: Mapping[str, int]
    literal: Mapping[str, Sequence[str]]
    leaves: Mapping[str, str]
    chunks: int
    lazy: Filled | None
    where: Filter | None

    def scored(self, channel: str, scores: Mapping[str, float]) -> Gathered:
        """Return the same with the scores of one more channel."""
        pool = Pool(candidates=self.pool.candidates, scores={**self.pool.scores, channel: scores})
        return replace(self, pool=pool)


def gather(
    snapshot: Snapshot,
    question: Question,
    where: Filter | None,
    weights: Weights,
    *,
    vector: Sequence[float] | None,
    words: bool,
    at_least: int,
    lazy: Lazy | None = None,
) -> Gathered:
    """Return the candidates of all channels, each scored in all of them, so that no channel is judged by its gaps.

    Args:
        snapshot: The state to search.
        question: The question.
        where: The filter; nothing outside it is read.
        weights: Numbers of the ranking.
        vector: The question's vector; None for a search by words only.
        words: Whether words count; False for a search by vectors only.
        at_least: How many candidates each channel is asked for at least.
        lazy: Makes vectors that are missing; None makes none.
    """
    limit = max(weights.candidates, at_least)
    by_words = snapshot.lexical(list(question.terms), where, limit) if words and question.terms else []
    identifiers = (*question.identifiers, *question.names) if words and weights.exact else ()
    by_identifier = exact_candidates(snapshot, identifiers, where, limit)
    by_meaning: Nearest = []
    compared: Nearest = []
    if vector is not None:
        beside = list(dict.fromkeys(chain(map(_FIRST, by_words), by_identifier)))
        by_meaning, compared = nearest(snapshot, vector, where, limit, beside)
    ids = dict.fromkeys(chain(map(_FIRST, by_words), map(_FIRST, by_meaning), by_identifier))
    counted = dict.fromkeys(
        [*question.terms, *question.related, *(t for i in identifiers for t in query_terms(i, snapshot.languages()))]
    )
    rows = snapshot.candidates(list(ids), list(counted))
    candidates = ById(rows)
    asked = _asked(question, weights)
    statistics = snapshot.statistics(list(asked), where)
    bm25 = scorer(asked, statistics, k1=weights.k1, b=weights.b)
    literal = literally(snapshot, rows, identifiers)
    decisive = telling(literal, question.names, statistics.chunks)
    scores: dict[str, Mapping[str, float]] = {"exact": exact_scores(decisive, statistics.chunks)}
    leaves: dict[str, str] = {}
    filled: Filled | None = None
    if words:
        scores["lexical"], scores["document"] = lexical_scores(
            candidates, bm25, chunks_per_document=_chunks_per_document(snapshot)
        )
    if vector is not None:
        cosines = [*by_meaning, *compared]
        if lazy is not None and snapshot.pending():
            filled = fill(snapshot, vector, scores.get("lexical", {}), cosines, lazy)
            cosines = [*cosines, *filled.cosines]
        scores["dense"] = {chunk_id: cosine for chunk_id, _, cosine in cosines}
        leaves = {chunk_id: leaf_id for chunk_id, leaf_id, _ in cosines}
    return Gathered(
        pool=Pool(candidates=candidates, scores=scores),
        scorer=bm25,
        proposed={"lexical": len(by_words), "dense": len(by_meaning), "exact": len(by_identifier)},
        literal=literal,
        leaves=leaves,
        chunks=statistics.chunks,
        lazy=filled,
        where=where,
    )


def _chunks_per_document(snapshot: Snapshot) -> float:
    """Return the mean number of chunks of a document; a scope, which must read its leaves to count, lists documents."""
    scoped = isinstance(snapshot, ScopedSnapshot)
    documents = len(snapshot.documents()) if scoped else snapshot.count()["documents"]
    return snapshot.statistics((), None).chunks / max(1, documents)


def _asked(question: Question, weights: Weights) -> Mapping[str, float]:
    """Return the terms that count, with their weight."""
    if not weights.synonyms:
        return question.terms
    return {**dict.fromkeys(question.related, weights.synonyms), **question.terms}
