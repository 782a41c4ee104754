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
from withgrain.search.exact import (
    Readings,
    exact_candidates,
    exact_scores,
    literally,
    rare,
    readings_of,
    telling,
)
from withgrain.search.files import chunks_of
from withgrain.search.lazy import Filled, Lazy, fill
from withgrain.search.lexical import lexical_scores
from withgrain.search.pool import ById, Pool
from withgrain.search.scoped import ScopedSnapshot
from withgrain.search.weights import Weights
from withgrain.types import Snapshot, Statistics

_FIRST = itemgetter(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The candidates with their scores, and what the trace and the citations need.

    Attributes:
        pool: Candidates and scores.
        scorer: BM25 for this question: the terms that counted, with their weights.
        proposed: For each channel, how many chunks it brought in.
        literal: For each identifier that is there, the candidates that have it literally.
        named: For each file that the question names and that is there, chunks of it.
        leaves: The best leaf of each candidate, where vectors were compared.
        chunks: Chunks inside the filter.
        lazy: What was embedded for this question; None unless vectors are lazy.
        where: The filter: nothing outside it is a candidate.
    """

    pool: Pool
    scorer: Scorer
    proposed: Mapping[str, int]
    literal: Mapping[str, Sequence[str]]
    named: Mapping[str, Sequence[str]]
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
    meant = _meant(snapshot, question, where, weights, limit, words=words)
    proposed = _proposed(snapshot, question, meant, where, vector=vector, words=words, limit=limit)
    rows = snapshot.candidates(proposed.ids, list(dict.fromkeys((*question.terms, *question.related, *meant.terms))))
    candidates = ById(rows)
    chunks = meant.statistics.chunks
    bm25 = scorer(_asked(question, weights), meant.statistics, k1=weights.k1, b=weights.b)
    literal = literally(snapshot, rows, meant.readings, names=question.names, keys=question.keys)
    decisive = telling(literal, question.names, chunks)
    scores: dict[str, Mapping[str, float]] = {"exact": exact_scores(decisive, meant.first, chunks)}
    if words:
        scores["lexical"], scores["document"] = lexical_scores(
            candidates, bm25, chunks_per_document=_chunks_per_document(snapshot)
        )
    cosines, filled = proposed.cosines, None
    if vector is not None:
        cosines, filled = _filled(snapshot, vector, scores.get("lexical", {}), cosines, lazy)
        scores["dense"] = {chunk_id: cosine for chunk_id, _, cosine in cosines}
    return Gathered(
        pool=Pool(candidates=candidates, scores=scores),
        scorer=bm25,
        proposed=proposed.counts,
        literal={identifier: standing.ids for identifier, standing in literal.items()},
        named=meant.files,
        leaves={chunk_id: leaf_id for chunk_id, leaf_id, _ in cosines},
        chunks=chunks,
        lazy=filled,
        where=where,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meant:
    """What the question means literally.

    Attributes:
        readings: Identifiers with their terms.
        terms: These terms.
        files: For each file that is named and there, chunks of it.
        statistics: Of all terms that count, and of these.
    """

    readings: Readings
    terms: Sequence[str]
    files: Mapping[str, Sequence[str]]
    statistics: Statistics

    @property
    def first(self) -> list[str]:
        """Chunks of the named files."""
        return list(dict.fromkeys(chain.from_iterable(self.files.values())))


def _meant(
    snapshot: Snapshot, question: Question, where: Filter | None, weights: Weights, limit: int, *, words: bool
) -> _Meant:
    """Return what a question means literally; nothing where that does not count.

    A word that may name a key is looked at when the question has no other words, or it is rare.
    """
    on = words and weights.exact
    wanted = dict.fromkeys((*question.identifiers, *question.names, *question.keys)) if on else {}
    readings = readings_of(wanted, snapshot.languages())
    own = list(dict.fromkeys(chain.from_iterable(chain.from_iterable(readings.values()))))
    statistics = snapshot.statistics(list(dict.fromkeys((*_asked(question, weights), *own))), where)
    doubtful = {key for key in question.keys if key in question.names and key in readings}
    dropped = {key for key in doubtful if not rare(readings[key], statistics)}
    return _Meant(
        readings={i: each for i, each in readings.items() if i not in dropped},
        terms=own,
        files=chunks_of(snapshot, question.files, list(question.terms), where, limit) if on else {},
        statistics=statistics,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposed:
    """The chunks that compete.

    Attributes:
        ids: All of them.
        counts: For each channel, how many it brought in.
        cosines: Of those that were compared with the question's vector.
    """

    ids: list[str]
    counts: Mapping[str, int]
    cosines: Nearest


def _proposed(
    snapshot: Snapshot,
    question: Question,
    meant: _Meant,
    where: Filter | None,
    *,
    vector: Sequence[float] | None,
    words: bool,
    limit: int,
) -> _Proposed:
    """Ask every channel for candidates."""
    by_words = snapshot.lexical(list(question.terms), where, limit) if words and question.terms else []
    sought = {i: readings for i, readings in meant.readings.items() if i not in question.keys}
    frequencies = meant.statistics.frequencies
    literal = exact_candidates(snapshot, sought, where, limit, names=question.names, frequencies=frequencies)
    by_identifier = list(dict.fromkeys((*meant.first, *literal)))
    by_meaning: Nearest = []
    compared: Nearest = []
    if vector is not None:
        beside = list(dict.fromkeys(chain(map(_FIRST, by_words), by_identifier)))
        by_meaning, compared = nearest(snapshot, vector, where, limit, beside)
    return _Proposed(
        ids=list(dict.fromkeys(chain(map(_FIRST, by_words), map(_FIRST, by_meaning), by_identifier))),
        counts={"lexical": len(by_words), "dense": len(by_meaning), "exact": len(by_identifier)},
        cosines=[*by_meaning, *compared],
    )


def _filled(
    snapshot: Snapshot, vector: Sequence[float], lexical: Mapping[str, float], cosines: Nearest, lazy: Lazy | None
) -> tuple[Nearest, Filled | None]:
    """Return the cosines with those of vectors that are made now, where some are missing and may be made."""
    if lazy is None or not snapshot.pending():
        return cosines, None
    filled = fill(snapshot, vector, lexical, cosines, lazy)
    return [*cosines, *filled.cosines], filled


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
