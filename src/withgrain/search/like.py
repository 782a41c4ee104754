"""More like this: chunks that are like a chunk, a document, or a text that is not in the collection."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from withgrain.model import Filter, Results, stored_path
from withgrain.search.bm25 import idf
from withgrain.search.citation import several_roots
from withgrain.search.hits import as_hit
from withgrain.types import Embedder, Snapshot

#: The most telling terms of a text are asked for.
TERMS = 24
#: Candidates of each channel, and the constant of reciprocal rank fusion (Cormack 2009).
CANDIDATES = 200
RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What others shall be like.

    Attributes:
        terms: Its lexical terms.
        vector: The mean of its vectors; empty where there is none.
        inside: Ids of its own chunks: they are no answer.
    """

    terms: tuple[str, ...]
    vector: tuple[float, ...] = ()
    inside: frozenset[str] = frozenset()


def example_of(snapshot: Snapshot, id_or_path: str) -> Example | None:
    """Return a stored chunk or document as an example; None when nothing has this id or path."""
    records = snapshot.chunks(ids=[id_or_path])
    if not records:
        path = stored_path(id_or_path)
        named = [d.id for d in snapshot.documents() if id_or_path == d.id or path in d.names]
        records = snapshot.chunks(doc_id=named[0]) if named else []
    if not records:
        return None
    ids = [r.chunk.id for r in records]
    vectors = [leaf.vector for leaf in snapshot.leaves(ids) if leaf.vector]
    terms = tuple(t for r in records for t in r.terms.split(" ") if t)
    return Example(terms=terms, vector=_mean(vectors), inside=frozenset(ids))


def example_from(text: str, embedder: Embedder | None) -> Example:
    """Return a text that is not in the collection as an example; as much of it as the embedder reads."""
    from withgrain.tokens.terms import terms

    return Example(terms=tuple(terms(text)), vector=embedder.embed_query(text) if embedder is not None else ())


def like(snapshot: Snapshot, example: Example, *, k: int = 10, where: Filter | None = None) -> list[tuple[str, float]]:
    """Return up to ``k`` (chunk id, score), the most alike first; the example itself is left out.

    By vectors and by its most telling terms, fused by their ranks, so that the score compares within one answer only.
    """
    limit = CANDIDATES + len(example.inside)
    channels = [[i for i, _ in snapshot.lexical(_telling(snapshot, example, where), where, limit)]]
    if example.vector and len(example.vector) == snapshot.contract.dims:
        channels.append([i for i, _, _ in snapshot.dense(example.vector, where, limit)])
    scores: dict[str, float] = {}
    for found in channels:
        others = [i for i in found if i not in example.inside]
        for rank, chunk_id in enumerate(others, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


def more_like(snapshot: Snapshot, example: Example, *, asked: str, k: int = 10, where: Filter | None = None) -> Results:
    """Return what is like an example as hits, ranked and cited; ``asked`` is what the example was asked for by."""
    found = like(snapshot, example, k=k, where=where)
    records = {r.chunk.id: r for r in snapshot.chunks(ids=[i for i, _ in found])}
    documents = {d.id: d for d in snapshot.documents([r.chunk.doc_id for r in records.values()])}
    several = several_roots(snapshot)
    hits = [
        replace(
            as_hit(record, documents.get(record.chunk.doc_id), weights={}, several_roots=several),
            rank=rank,
            score=score,
        )
        for rank, (record, score) in enumerate(((records[i], s) for i, s in found if i in records), start=1)
    ]
    trace = {"like": "what is stored" if example.inside else "a text"}
    return Results(query=asked, hits=tuple(hits), trace=trace, contract=snapshot.contract.fingerprint)


def _telling(snapshot: Snapshot, example: Example, where: Filter | None) -> list[str]:
    counts = Counter(example.terms)
    statistics = snapshot.statistics(tuple(counts), where)
    weights = {
        term: (1 + math.log(number)) * idf(statistics.chunks, statistics.frequencies[term])
        for term, number in counts.items()
        if statistics.frequencies.get(term)
    }
    return sorted(weights, key=lambda t: (-weights[t], t))[:TERMS]


def _mean(vectors: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    if not vectors:
        return ()
    total = [math.fsum(values) for values in zip(*vectors, strict=True)]
    length = math.hypot(*total)
    return tuple(value / length for value in total) if length else ()
