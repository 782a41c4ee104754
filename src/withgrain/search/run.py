"""Search: a question and a state of a collection in, ranked and cited sections out.

Pure but for what it reads through the `Snapshot`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from withgrain.errors import ContractMismatch, UsageError
from withgrain.model import Contract, Filter, Results, all_of
from withgrain.search.analyse import Question, analyse
from withgrain.search.fuse import fuse
from withgrain.search.gather import Gathered, gather
from withgrain.search.hits import make_hits
from withgrain.search.scoped import scoped
from withgrain.search.weights import Weights
from withgrain.types import Embedder, Snapshot

Mode = Literal["hybrid", "lexical", "dense"]
_MODES = ("hybrid", "lexical", "dense")


def search(
    snapshot: Snapshot,
    query: str,
    *,
    k: int = 10,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    embedder: Embedder | None = None,
    weights: Weights | None = None,
    scope: Filter | None = None,
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
        weights: Numbers of the ranking; the measured defaults when None.
        scope: What the asker may see at all; see `withgrain.search.scoped`.

    Raises:
        UsageError: Nothing to search for, ``k`` below 1, an unknown mode, or ``dense`` without vectors.
        ContractMismatch: ``dense`` with another embedder than the collection's.
    """
    if k < 1:
        raise UsageError(f"k is {k}; ask for 1 hit or more.")
    if mode not in _MODES:
        raise UsageError(f'The mode is "{mode}"; use one of: {", ".join(_MODES)}.')
    snapshot = scoped(snapshot, scope)
    question = analyse(query, snapshot.languages())
    chosen = weights or Weights()
    used, notices = _usable(mode, snapshot.contract, embedder)
    inside = all_of(where, question.where)
    vector = embedder.embed_query(question.text) if used != "lexical" and embedder else None
    found = gather(snapshot, question, inside, chosen, vector=vector, words=used != "dense", at_least=k)
    hits = make_hits(snapshot, found, fuse(found.pool, chosen)[:k])
    if not hits and question.where is not None:
        notices = (*notices, "No chunk matches the filter that is written in the question.")
    trace = _trace(question, mode=used, where=inside, weights=chosen, found=found)
    trace["notices"] = [*question.notices, *notices]
    return Results(query=query, hits=hits, trace=trace, contract=snapshot.contract.fingerprint)


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


def _trace(question: Question, *, mode: str, where: Filter | None, weights: Weights, found: Gathered) -> dict[str, Any]:
    """Return what was understood and done, as plain values: what ``--explain`` shows."""
    facts = question.facts
    return {
        "mode": mode,
        "text": question.text,
        "terms": dict(found.scorer.weights),
        "left_out_terms": [t for t in question.terms if t not in found.scorer.weights],
        "identifiers": {i: len(found.literal.get(i, ())) for i in question.identifiers},
        "names": {i: len(found.literal.get(i, ())) for i in question.names},
        "operations": list(facts.operations),
        "entities": list(facts.entities),
        "filter": where,
        "weights": asdict(weights),
        "candidates": {**found.proposed, "together": len(found.pool.records)},
        "chunks_inside_filter": found.chunks,
    }
