"""Why a chunk is not among the hits: at which stage it fell out, and what would have brought it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal

from withgrain.errors import UsageError
from withgrain.model import Candidate, ChunkRecord, Compare, Filter, Hit, all_of
from withgrain.search.after import After
from withgrain.search.hits import make_hits
from withgrain.search.lazy import Lazy
from withgrain.search.pool import ranks
from withgrain.search.run import Mode, Ranked, rank
from withgrain.search.scoped import scoped
from withgrain.search.unfound import left_out
from withgrain.search.weights import Weights
from withgrain.types import Embedder, Snapshot

Stage = Literal["hit", "unknown", "filter", "candidates", "rank", "collapsed", "joined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Where a chunk fell out.

    Attributes:
        chunk_id: The chunk.
        stage: ``hit``: it is among the hits; ``unknown``: there is no such chunk (or not in the scope); ``filter``: a
            filter leaves it out; ``candidates``: no channel proposed it; ``rank``: it stands behind the hits;
            ``collapsed``: a better chunk represents its document; ``joined``: a hit shows it, of which it is a copy or
            a part.
        rank: Its rank among the hits, or that of the hit that shows it; else in the whole ranking; None when it is not
            in it.
        channels: Its rank and score in each channel.
        matched: Terms of the question that it has.
        missing: Terms of the question that it lacks.
        advice: What would have brought it, in plain sentences.
    """

    chunk_id: str
    stage: Stage
    rank: int | None = None
    channels: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


def why_not(  # noqa: PLR0913  # the arguments of `search`
    snapshot: Snapshot,
    query: str,
    chunk_id: str,
    *,
    k: int = 10,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    embedder: Embedder | None = None,
    after: After | None = None,
    weights: Weights | None = None,
    scope: Filter | None = None,
    lazy: Lazy | None = None,
) -> WhyNot:
    """Return why a chunk is not among the first ``k`` hits of a question. Arguments as for `withgrain.search.search`.

    Raises:
        UsageError: Nothing to search for, or ``k`` below 1.
    """
    if k < 1:
        raise UsageError(f"k is {k}; ask for 1 hit or more.")
    inside = scoped(snapshot, scope)
    records = inside.chunks(ids=[chunk_id])
    if not records:
        return _unknown(inside, chunk_id)
    weights, then = weights or Weights.of(embedder), after or After()
    ranked = rank(inside, query, k=k, mode=mode, where=where, embedder=embedder, weights=weights, after=then, lazy=lazy)
    only = Compare(field="chunk_id", operator="eq", value=chunk_id)
    if not inside.statistics((), all_of(ranked.where, only)).chunks:
        advice = left_out(inside, ranked.where, only) if ranked.where is not None else ()
        return WhyNot(chunk_id=chunk_id, stage="filter", advice=(*advice, "Search without it, or with what it has."))
    shown = _shown(inside, ranked, records[0], k, then)
    candidate = ranked.found.pool.candidates.get(chunk_id)
    if candidate is not None:
        return _placed(ranked, candidate, shown, then)
    joined = _joined(WhyNot(chunk_id=chunk_id, stage="candidates"), shown, records[0].chunk.doc_id)
    return joined or _not_proposed(inside, ranked, chunk_id, weights)


def _shown(snapshot: Snapshot, ranked: Ranked, record: ChunkRecord, k: int, after: After) -> Hit | None:
    """Return the hit that shows a chunk: its own, one that was widened over it, or one that it is a copy of."""
    chunk, uri = record.chunk, f"{record.root}/{record.path}"
    hits = make_hits(snapshot, ranked.found, ranked.ranking, k, after)
    own = (h for h in hits if h.chunk.id == chunk.id)
    wider = (
        h for h in hits if h.chunk.doc_id == chunk.doc_id and chunk.span and h.span and h.span.contains(chunk.span)
    )
    copied = (h for h in hits if uri in h.copies and h.chunk.heading_path == chunk.heading_path)
    return next(chain(own, wider, copied), None)


def _joined(why: WhyNot, shown: Hit | None, doc_id: str) -> WhyNot | None:
    """Return that another hit shows the chunk; None when none does."""
    if shown is None or shown.chunk.id == why.chunk_id:
        return None
    what = "part" if shown.chunk.doc_id == doc_id else "copy"
    advice = f"Hit {shown.rank} shows it: it is a {what} of {shown.chunk.id}."
    return replace(why, stage="joined", rank=shown.rank, advice=(advice,))


def _unknown(snapshot: Snapshot, chunk_id: str) -> WhyNot:
    retired = snapshot.retired([chunk_id])
    if not retired:
        return WhyNot(
            chunk_id=chunk_id, stage="unknown", advice=("Nothing has this id. Take one from a search result.",)
        )
    last = retired[0]
    follow = f" Ask for {last.successor}." if last.successor else ""
    advice = f"Its text in {last.path} is {last.reason}.{follow}"
    return WhyNot(chunk_id=chunk_id, stage="unknown", advice=(advice,))


def _not_proposed(snapshot: Snapshot, ranked: Ranked, chunk_id: str, weights: Weights) -> WhyNot:
    found = snapshot.candidates([chunk_id], list(ranked.found.scorer.weights))
    matched = tuple(found[0].counts) if found else ()
    advice = [f"No channel has it among its first {weights.candidates}."]
    advice.append(
        "It has none of the question's words: ask with words that stand in it."
        if not matched
        else f"It has only {', '.join(matched)}: add rarer words that stand in it, or a filter that narrows the search."
    )
    return WhyNot(
        chunk_id=chunk_id,
        stage="candidates",
        matched=matched,
        missing=_missing(ranked, matched),
        advice=tuple(advice),
    )


def _placed(ranked: Ranked, candidate: Candidate, shown: Hit | None, after: After) -> WhyNot:
    chunk_id = candidate.chunk_id
    order = [i for i, _ in ranked.ranking]
    place = order.index(chunk_id) + 1 if chunk_id in order else None
    scores = ranked.found.pool.scores
    channels = {n: (ranks(s)[chunk_id], s[chunk_id]) for n, s in scores.items() if chunk_id in s}
    matched = tuple(t for t in candidate.counts if t in ranked.found.scorer.weights)
    why = WhyNot(
        chunk_id=chunk_id,
        stage="hit",
        rank=place,
        channels=channels,
        matched=matched,
        missing=_missing(ranked, matched),
    )
    if shown is not None:
        return _joined(why, shown, candidate.doc_id) or replace(why, rank=shown.rank)
    if place is None:
        return replace(
            why, stage="collapsed", advice=("A better chunk of its document stands for it; do not collapse.",)
        )
    advice = [f"It has rank {place}: ask for {place} hits (k)."]
    if scores.get("exact") and chunk_id not in scores["exact"]:
        advice.append("Chunks that have an identifier of the question literally stand before all others; it has none.")
    if why.missing:
        advice.append(f"It lacks {', '.join(why.missing[:8])}: ask without these words.")
    if after.reranker is not None:
        advice.append("Compare the order without the reranker.")
    return replace(why, stage="rank", advice=tuple(advice))


def _missing(ranked: Ranked, matched: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(t for t in ranked.question.terms if t not in matched)
