"""Ask every channel for candidates, then score each candidate in every channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from withgrain.model import ChunkRecord, Filter
from withgrain.search.analyse import Question
from withgrain.search.bm25 import Scorer, scorer
from withgrain.search.dense import completed, nearest
from withgrain.search.exact import exact_candidates, exact_scores, literally, telling
from withgrain.search.lexical import lexical_scores
from withgrain.search.pool import Pool
from withgrain.search.scope import names_one_document, without_title
from withgrain.search.weights import Weights
from withgrain.types import Snapshot


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
    """

    pool: Pool
    scorer: Scorer
    proposed: Mapping[str, int]
    literal: Mapping[str, Sequence[str]]
    leaves: Mapping[str, str]
    chunks: int


def gather(
    snapshot: Snapshot,
    question: Question,
    where: Filter | None,
    weights: Weights,
    *,
    vector: Sequence[float] | None,
    words: bool,
    at_least: int,
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
    """
    counts = snapshot.count()
    limit = min(max(weights.candidates, at_least), max(1, counts["chunks"]))
    by_words = snapshot.lexical(list(question.terms), where, limit) if words and question.terms else []
    by_meaning = nearest(snapshot, vector, where, limit) if vector is not None else []
    identifiers = (*question.identifiers, *question.names) if words and weights.exact else ()
    by_identifier = exact_candidates(snapshot, identifiers, where, limit)
    ids = dict.fromkeys([*(i for i, _ in by_words), *(i for i, _, _ in by_meaning), *by_identifier])
    records = {r.chunk.id: r for r in snapshot.chunks(ids=list(ids))} if ids else {}
    asked = _asked(question, where, records)
    statistics = snapshot.statistics(list(asked), where)
    bm25 = scorer(asked, statistics, k1=weights.k1, b=weights.b)
    literal = literally(records, identifiers)
    decisive = telling(literal, question.names, statistics.chunks)
    scores: dict[str, Mapping[str, float]] = {"exact": exact_scores(decisive, statistics.chunks)}
    leaves: dict[str, str] = {}
    if words:
        scores["lexical"], scores["document"] = lexical_scores(
            records, bm25, documents=counts["documents"], chunks=counts["chunks"]
        )
    if vector is not None:
        cosines = completed(snapshot, vector, by_meaning, records, where)
        scores["dense"] = {chunk_id: cosine for chunk_id, _, cosine in cosines}
        leaves = {chunk_id: leaf_id for chunk_id, leaf_id, _ in cosines}
    return Gathered(
        pool=Pool(records=records, scores=scores),
        scorer=bm25,
        proposed={"lexical": len(by_words), "dense": len(by_meaning), "exact": len(by_identifier)},
        literal=literal,
        leaves=leaves,
        chunks=statistics.chunks,
    )


def _asked(question: Question, where: Filter | None, records: Mapping[str, ChunkRecord]) -> Mapping[str, int]:
    """Return the terms that count: inside one document those of its title do not."""
    if not records or not names_one_document(where):
        return question.terms
    return without_title(question.terms, next(iter(records.values())).chunk.title)
