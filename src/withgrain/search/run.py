"""Search: a question and a state of a collection in, ranked and cited sections out.

Pure but for what it reads through the `Snapshot`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from withgrain.errors import ContractMismatch, Unavailable, UsageError
from withgrain.model import Contract, Filter, Hit, Results, all_of
from withgrain.search.after import After
from withgrain.search.after.order import Ranking, collapsed, diversified, reranked
from withgrain.search.analyse import Question, analyse
from withgrain.search.domain import APART, without_domain
from withgrain.search.filters import written
from withgrain.search.fuse import falling, fuse
from withgrain.search.gather import Gathered, gather
from withgrain.search.hits import make_hits
from withgrain.search.late import by_tokens
from withgrain.search.lazy import Lazy
from withgrain.search.naming import beside_the_name
from withgrain.search.scoped import scoped
from withgrain.search.unfound import Values, why_nothing
from withgrain.search.weights import Weights
from withgrain.types import Embedder, Snapshot, TokenEmbedder

Mode = Literal["hybrid", "lexical", "dense"]
_MODES = ("hybrid", "lexical", "dense")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The whole ranking of a question, before hits are made of its first chunks.

    Attributes:
        question: The question, understood.
        mode: The mode that was used.
        where: The filter: the caller's and the one written in the question.
        found: Candidates and scores.
        ranking: All candidates with their scores, best first.
        by_score: The ranking before diversity and collapsing changed it.
        same_document: For a collapsed ranking, how many chunks of its document each stands for.
        notices: What could not be done as asked.
    """

    question: Question
    mode: Mode
    where: Filter | None
    found: Gathered
    ranking: Ranking
    by_score: Ranking
    same_document: dict[str, int]
    notices: tuple[str, ...]


def search(  # noqa: PLR0913  # a facade: every argument but two has its usual value
    snapshot: Snapshot,
    query: str,
    *,
    k: int = 10,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    embedder: Embedder | None = None,
    weights: Weights | None = None,
    after: After | None = None,
    scope: Filter | None = None,
    lazy: Lazy | None = None,
) -> Results:
    """Return the ``k`` best sections for a question.

    Args:
        snapshot: The state to search.
        query: The question; may hold filters (``domain:okta``), identifiers and quoted phrases.
        k: How many hits at most.
        mode: ``hybrid`` | ``lexical`` (words only) | ``dense`` (vectors only). Without vectors or embedder, ``hybrid``
            becomes ``lexical``, and the trace says so.
        where: Only chunks inside this filter compete, in every channel and statistic.
        embedder: The embedder of the collection's contract; not needed for ``lexical``.
        weights: Numbers of the ranking; the measured defaults for the embedder when None.
        after: What is done after ranking; ordered lists whole and copies folded when None.
        scope: What the asker may see at all; see `withgrain.search.scoped`.
        lazy: Makes missing vectors for the first candidates; None makes none.

    Raises:
        UsageError: Nothing to search for, ``k`` below 1, an unknown mode, or ``dense`` without vectors.
        ContractMismatch: ``dense`` with another embedder than the collection's.
    """
    if k < 1:
        raise UsageError(f"k is {k}; ask for 1 hit or more.")
    snapshot = scoped(snapshot, scope)
    chosen, then = weights or Weights.of(embedder), after or After()
    ranked = rank(
        snapshot, query, k=k, mode=mode, where=where, embedder=embedder, weights=chosen, after=then, lazy=lazy
    )
    hits = _hits(snapshot, ranked, k, then)
    notices = list(ranked.notices)
    if not hits:
        notices += why_nothing(snapshot, ranked.where, ranked.question.where)
    trace = {**_trace(ranked, chosen, then), "notices": list(dict.fromkeys((*ranked.question.notices, *notices)))}
    beside = apart(snapshot, ranked, chosen, then, embedder, lazy)
    return Results(query=query, hits=hits, trace=trace, contract=snapshot.contract.fingerprint, apart=beside)


def rank(
    snapshot: Snapshot,
    query: str,
    *,
    k: int,
    mode: Mode,
    where: Filter | None,
    embedder: Embedder | None,
    weights: Weights,
    after: After,
    lazy: Lazy | None = None,
) -> Ranked:
    """Understand a question and rank every candidate for it; see `search`."""
    if mode not in _MODES:
        raise UsageError(f'The mode is "{mode}"; use one of: {", ".join(_MODES)}.')
    question = analyse(query, snapshot.languages(), Values(snapshot))
    used, notices = _usable(mode, snapshot.contract, embedder)
    inside = all_of(where, question.where)
    asked = beside_the_name(snapshot, question, inside)
    vector = None
    if used != "lexical" and embedder is not None:
        try:
            vector = embedder.embed_query(asked.text)
        except Unavailable as error:  # a server that is away takes no words away
            if used == "dense":
                raise
            used, notices = "lexical", (*notices, f"{error} Searched by words only.")
    found = gather(snapshot, asked, inside, weights, vector=vector, words=used != "dense", at_least=k, lazy=lazy)
    ranking = fuse(found.pool, weights)
    first = found.pool.scores.get("exact", {}) if weights.exact else {}
    if vector is not None and isinstance(embedder, TokenEmbedder):
        ranking, near = by_tokens(snapshot, asked.text, ranking, first, weights, embedder)
        if near:
            found = found.scored("late", near)
    ranking, given, notice = reranked(snapshot, asked.text, ranking, first, after)
    if given:
        found = found.scored("rerank", given)
    by_score = ranking
    ranking = diversified(snapshot, ranking, after.diversity, k)
    if first or after.diversity:  # else it is sorted by score
        ranking = falling(ranking)
    counts: dict[str, int] = {}
    if after.collapse:
        ranking, counts = collapsed(ranking, found.pool.candidates.rows)
    return Ranked(
        question=question,
        mode=used,
        where=inside,
        found=found,
        ranking=ranking,
        by_score=by_score,
        same_document=counts,
        notices=(*notices, *filter(None, (found.lazy.notice if found.lazy else "", notice))),
    )


def _hits(snapshot: Snapshot, ranked: Ranked, k: int, after: After) -> tuple[Hit, ...]:
    hits = make_hits(snapshot, ranked.found, ranked.ranking, k, after)
    counts = ranked.same_document
    return tuple(replace(h, same_document=counts.get(h.chunk.id, 1)) for h in hits) if counts else hits


def apart(
    snapshot: Snapshot, ranked: Ranked, weights: Weights, after: After, embedder: Embedder | None, lazy: Lazy | None
) -> tuple[Hit, ...]:
    """Return the best hits that state no domain, when the filter asks for one."""
    where = without_domain(ranked.where)
    if where is None or not snapshot.statistics((), where).chunks:
        return ()
    other = rank(
        snapshot,
        ranked.question.text,
        k=APART,
        mode=ranked.mode,
        where=where,
        embedder=embedder,
        weights=weights,
        after=replace(after, reranker=None),
        lazy=lazy,
    )
    return _hits(snapshot, other, APART, after)


def _usable(mode: Mode, contract: Contract, embedder: Embedder | None) -> tuple[Mode, tuple[str, ...]]:
    """Return the mode that the collection and the embedder allow, and why it is not the asked one."""
    if mode == "lexical":
        return mode, ()
    if contract.dims == 0:
        why = "The collection has no vectors (it was made without an embedder)"
    elif embedder is None:
        why = "No embedder is given"
    elif not contract.embedder.startswith(f"{embedder.id}@") or embedder.dims != contract.dims:
        why = f'The collection was embedded with "{contract.embedder}", not with "{embedder.id}@{embedder.revision}"'
        if mode == "dense":
            raise ContractMismatch(f"{why}: their vectors cannot be compared. Use that embedder, or mode lexical.")
    else:
        return mode, ()
    if mode == "dense":
        raise UsageError(f"{why}: dense search is not possible. Use mode lexical, or ingest with an embedder.")
    return "lexical", (f"{why}: searched by words only.",)


def _trace(ranked: Ranked, weights: Weights, after: After) -> dict[str, Any]:
    """Return what was understood and done, as plain values: what ``--explain`` shows."""
    question, found = ranked.question, ranked.found
    facts = question.facts
    return {
        "mode": ranked.mode,
        "text": question.text,
        "terms": dict(found.scorer.weights),
        "left_out_terms": [t for t in question.terms if t not in found.scorer.weights],
        "identifiers": _found(question.identifiers, found),
        "names": _found([n for n in question.names if n not in question.keys], found),
        "keys": {key: number for key, number in _found(question.keys, found).items() if number},
        "documents": {file: len(ids) for file, ids in found.named.items()},
        "markers": list(facts.markers),
        "operations": list(facts.operations),
        "entities": list(facts.entities),
        "synonyms": list(question.related),
        "filter": written(ranked.where) if ranked.where is not None else None,
        "weights": {one.name: getattr(weights, one.name) for one in fields(weights)},
        "after": {
            "reranker": after.reranker.name if after.reranker else None,
            "expand": after.expand,
            "lists": after.lists,
            "merge": after.merge,
            "collapse": after.collapse,
            "diversity": after.diversity,
        },
        "candidates": {**found.proposed, "together": len(found.pool.candidates)},
        "chunks_inside_filter": found.chunks,
        "lazy": dict(found.lazy.trace) if found.lazy else None,
    }


def _found(identifiers: Sequence[str], found: Gathered) -> dict[str, int]:
    return {i: len(found.literal.get(i, ())) for i in identifiers}
