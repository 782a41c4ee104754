"""Why a chunk is not among the hits: at which stage it fell out, and what would have brought it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Literal

from withgrain.errors import UsageError
from withgrain.model import Candidate, ChunkRecord, Compare, Filter, Hit, all_of
from withgrain.search.after import After
from withgrain.search.after.order import collapsed
from withgrain.search.domain import APART, without_domain
from withgrain.search.hits import make_hits
from withgrain.search.lazy import Lazy
from withgrain.search.pool import ranks
from withgrain.search.run import Mode, Ranked, apart, rank
from withgrain.search.scoped import scoped
from withgrain.search.unfound import left_out
from withgrain.search.weights import Weights
from withgrain.types import Embedder, Snapshot

if TYPE_CHECKING:
    from withgrain.search.packing import Pack

Stage = Literal["hit", "unknown", "filter", "apart", "candidates", "rank", "diversity", "collapsed", "joined", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Where a chunk fell out.

    Attributes:
        chunk_id: The chunk.
        stage: ``hit``: it is among the hits; ``unknown``: there is no such chunk (or not in the scope); ``filter``: a
            filter leaves it out; ``apart``: it is shown beside the hits, since it states no domain; ``candidates``: no
            channel proposed it; ``rank``: it stands behind the hits; ``diversity``: it was moved back (MMR), and would
            be a hit by score alone; ``collapsed``: a better chunk represents its document; ``joined``: a hit shows it,
            of which it is a copy or a part; ``budget``: it is a hit, but nothing of it fits into the context.
        rank: Its rank among the hits, or that of the hit that shows it; else in the whole ranking; None when it is not
            in it.
        chunks: How many chunks were asked about; this is the best of them.
        channels: Its rank and score in each channel.
        matched: Terms of the question that it has.
        missing: Terms of the question that it lacks.
        advice: What would have brought it, in plain sentences.
    """

    chunk_id: str
    stage: Stage
    rank: int | None = None
    chunks: int = 1
    channels: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


def why_not(  # noqa: PLR0913  # the arguments of `search`
    snapshot: Snapshot,
    query: str,
    chunk: str | Sequence[str],
    *,
    k: int = 10,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    embedder: Embedder | None = None,
    weights: Weights | None = None,
    after: After | None = None,
    scope: Filter | None = None,
    lazy: Lazy | None = None,
) -> WhyNot:
    """Return why a chunk is not among the first ``k`` hits of a question; of several chunks the best is explained.

    ``chunk`` is its id, or several ids, such as those of a document. The other arguments are those of
    `withgrain.search.search`.

    Raises:
        UsageError: Nothing to search for, or ``k`` below 1.
    """
    if k < 1:
        raise UsageError(f"k is {k}; ask for 1 hit or more.")
    inside = scoped(snapshot, scope)
    ids = [chunk] if isinstance(chunk, str) else list(chunk)
    records = sorted(inside.chunks(ids=ids), key=lambda r: (r.root, r.path, r.chunk.ordinal))
    if not records:
        return _unknown(inside, ids[0] if ids else "")
    chosen, then = weights or Weights.of(embedder), after or After()
    ranked = rank(inside, query, k=k, mode=mode, where=where, embedder=embedder, weights=chosen, after=then, lazy=lazy)
    only = Compare(field="chunk_id", operator="in", value=tuple(r.chunk.id for r in records))
    fulfil = inside.facets("chunk_id", all_of(ranked.where, only))
    if not fulfil:
        beside = apart(inside, ranked, chosen, then, embedder, lazy)
        return replace(_outside(inside, ranked, records, beside), chunks=len(records))
    hits = make_hits(inside, ranked.found, ranked.ranking, k, then)
    record = _best([r for r in records if r.chunk.id in fulfil], ranked, hits)
    case = _Case(snapshot=inside, ranked=ranked, record=record, after=then, k=k)
    return replace(_explained(case, _shown(hits, record), chosen), chunks=len(records))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A chunk inside the filter, and the ranking that it is looked for in."""

    snapshot: Snapshot
    ranked: Ranked
    record: ChunkRecord
    after: After
    k: int


def _best(records: Sequence[ChunkRecord], ranked: Ranked, hits: Sequence[Hit]) -> ChunkRecord:
    """Return the chunk that the best hit shows, else the one with the best rank, else the first one."""
    shown = [(hit.rank, n) for n, r in enumerate(records) if (hit := _shown(hits, r)) is not None]
    if shown:
        return records[min(shown)[1]]
    places = {chunk_id: place for place, (chunk_id, _) in enumerate(ranked.by_score)}
    return min(records, key=lambda r: places.get(r.chunk.id, len(places)))


def _shown(hits: Sequence[Hit], record: ChunkRecord) -> Hit | None:
    """Return the hit that shows a chunk: its own, one that was widened over it, or one that it is a copy of."""
    chunk, uri = record.chunk, f"{record.root}/{record.path}"
    own = (h for h in hits if h.chunk.id == chunk.id)
    wider = (
        h for h in hits if h.chunk.doc_id == chunk.doc_id and chunk.span and h.span and h.span.contains(chunk.span)
    )
    copied = (h for h in hits if uri in h.copies and h.chunk.heading_path == chunk.heading_path)
    return next(chain(own, wider, copied), None)


def _outside(snapshot: Snapshot, ranked: Ranked, records: Sequence[ChunkRecord], beside: Sequence[Hit]) -> WhyNot:
    """Return that a filter leaves a chunk out, and whether it is shown apart, because it states no domain."""
    assert ranked.where is not None  # else every chunk is inside
    shown = [(hit.rank, n) for n, r in enumerate(records) if (hit := _shown(beside, r)) is not None]
    if shown:
        place, number = min(shown)
        told = (
            f"It states no domain: it is number {place} of those shown apart from the hits.",
            "Without the filter on domain it competes with all others.",
        )
        return WhyNot(chunk_id=records[number].chunk.id, stage="apart", rank=place, advice=told)
    record = records[0]
    only = Compare(field="chunk_id", operator="eq", value=record.chunk.id)
    free = without_domain(ranked.where)
    if free is not None and snapshot.statistics((), all_of(free, only)).chunks:
        behind = f"It states no domain: the best {APART} of these are shown apart from the hits; it is not among them."
        return WhyNot(chunk_id=record.chunk.id, stage="filter", advice=(behind, "Search without the filter on domain."))
    leaves = (*left_out(snapshot, ranked.where, only), "Search without it, or with what it has.")
    return WhyNot(chunk_id=record.chunk.id, stage="filter", advice=leaves)


def _explained(case: _Case, shown: Hit | None, weights: Weights) -> WhyNot:
    """Return where a chunk inside the filter fell out."""
    chunk = case.record.chunk
    candidate = case.ranked.found.pool.candidates.get(chunk.id)
    if candidate is not None:
        return _placed(case, candidate, shown)
    joined = _joined(WhyNot(chunk_id=chunk.id, stage="candidates"), shown, chunk.doc_id)
    return joined or _not_proposed(case.snapshot, case.ranked, chunk.id, weights)


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


def _placed(case: _Case, candidate: Candidate, shown: Hit | None) -> WhyNot:
    """Return where a candidate stands, and which step after fusion took it from the hits, if one did."""
    ranked, chunk_id = case.ranked, candidate.chunk_id
    scores = ranked.found.pool.scores
    matched = tuple(t for t in candidate.counts if t in ranked.found.scorer.weights)
    why = WhyNot(
        chunk_id=chunk_id,
        stage="hit",
        rank=_place(ranked.ranking, chunk_id),
        channels={n: (ranks(s)[chunk_id], s[chunk_id]) for n, s in scores.items() if chunk_id in s},
        matched=matched,
        missing=_missing(ranked, matched),
    )
    if shown is not None:
        return _joined(why, shown, candidate.doc_id) or replace(why, rank=shown.rank)
    by_score = _place(ranked.by_score, chunk_id)
    if by_score is None:
        return replace(why, stage="rank", advice=("The reranker left it out of the order. Search without it.",))
    if why.rank is None:
        return _collapsed(why, case, candidate, by_score)
    told = f"By score alone it has rank {by_score}; diversity (MMR) moved it to rank {why.rank}"
    if case.after.diversity and _without_diversity(case) is not None:
        told += f", since it is like better hits. Ask for less diversity, or for {why.rank} hits (k)."
        return replace(why, stage="diversity", advice=(told,))
    advice = [f"It has rank {why.rank}: ask for {why.rank} hits (k)."]
    if case.after.diversity and not case.after.collapse and why.rank > by_score:
        advice.append(f"{told}: it would not be among the first {case.k} without, either.")
    return replace(why, stage="rank", advice=(*advice, *_better(case, why)))


def _place(order: Sequence[tuple[str, float]], chunk_id: str) -> int | None:
    return next((place for place, (one, _) in enumerate(order, 1) if one == chunk_id), None)


def _collapsed(why: WhyNot, case: _Case, candidate: Candidate, by_score: int) -> WhyNot:
    """Return that a better chunk stands for the document."""
    rows = case.ranked.found.pool.candidates
    place, best = next((n, i) for n, (i, _) in enumerate(case.ranked.ranking, 1) if rows[i].doc_id == candidate.doc_id)
    advice = f"{best}, at rank {place}, stands for its document. Without collapsing it has rank {by_score}"
    return replace(why, stage="collapsed", advice=(f"{advice}: ask then for {by_score} hits (k).",))


def _without_diversity(case: _Case) -> Hit | None:
    """Return the hit that would show the chunk if nothing was moved back for being like better ones."""
    order, rows = case.ranked.by_score, case.ranked.found.pool.candidates.rows
    if case.after.collapse:
        order, _ = collapsed(order, rows)
    return _shown(make_hits(case.snapshot, case.ranked.found, order, case.k, case.after), case.record)


def _better(case: _Case, why: WhyNot) -> Iterator[str]:
    """Yield what better chunks have."""
    scores, terms = case.ranked.found.pool.scores, case.ranked.found.scorer.weights
    if scores.get("exact") and why.chunk_id not in scores["exact"]:
        yield "Chunks that have an identifier of the question literally stand before all others; it has none."
    lacks = [term for term in why.missing if term in terms]
    if "lexical" in scores and not why.matched:
        yield "It has none of the question's words: ask with words that stand in it."
    elif "lexical" in scores and lacks:
        yield f"It lacks {', '.join(lacks[:8])}: ask without these words, or with more that stand in it."
    if case.after.reranker is not None:
        yield "Compare the order without the reranker."


def in_context(why: WhyNot, packed: Pack, max_tokens: int) -> WhyNot:
    """Return what became of a chunk when the hits were packed into a budget: it is there, in part, or fell out."""
    if why.stage not in ("hit", "joined") or why.rank is None:
        return why
    item = next((i for i in packed.items if i.rank == why.rank), None)
    if item is not None and item.whole:
        return replace(why, advice=(*why.advice, f"It is in the context, whole: [{item.mark}]."))
    left = next((one for one in packed.left_out if one.rank == why.rank), None)
    if left is None:
        return why
    if item is not None:
        told = f"A part of it is in the context: [{item.mark}]. All of it has {left.tokens} tokens: allow more."
        return replace(why, advice=(*why.advice, told))
    if left.why == "duplicate":
        told = "Its text is in the context already, in a better hit."
        return replace(why, stage="joined", advice=(*why.advice, told))
    told = f"Hit {why.rank} has {left.tokens} tokens; nothing of it fits into {max_tokens} beside others: allow more."
    return replace(why, stage="budget", advice=(*why.advice, told))


def _missing(ranked: Ranked, matched: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(t for t in ranked.question.terms if t not in matched)
