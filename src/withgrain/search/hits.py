"""Make hits of the best candidates: text, citation, and each channel's rank and score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from withgrain.model import ChunkRecord, DocumentRecord, Hit, Span
from withgrain.search.after.copies import Folded, Folding
from withgrain.search.after.settings import After
from withgrain.search.after.widen import widened
from withgrain.search.citation import cite_chunk, several_roots, url_of
from withgrain.search.gather import Gathered
from withgrain.search.pool import ranks
from withgrain.types import Snapshot

#: So many hits more are made where a wide one may take others in.
_SPARE = 5
#: Where copies leave too few chunks, so many times more are looked at; among more copies fewer hits come back.
_TIMES = 16


def make_hits(
    snapshot: Snapshot, found: Gathered, order: Sequence[tuple[str, float]], k: int, after: After
) -> tuple[Hit, ...]:
    """Return ``k`` hits for chunks in their final order, with their scores: copies folded, widened, numbered.

    Fewer only when there are no more chunks, or too many copies.
    """
    wanted = k + _SPARE if after.expand != "none" or after.merge else k
    more = _SPARE
    folding = Folding(snapshot, found.pool.candidates, order)
    while True:
        kept = _first(folding, wanted)
        hits = _hits(snapshot, found, kept, k, after)
        if len(hits) == k or len(kept) < wanted:
            return tuple(hits)
        wanted, more = wanted + more, 2 * more  # wide ones took others in


def _first(folding: Folding, wanted: int) -> Sequence[Folded]:
    """Return the first chunks that are no copies of others, at most ``wanted``; a few more are looked at for copies."""
    kept = folding.first(wanted + _SPARE)
    if len(kept) < wanted:
        kept = folding.first(_TIMES * (wanted + _SPARE))
    return kept[:wanted]


def _hits(snapshot: Snapshot, found: Gathered, kept: Sequence[Folded], k: int, after: After) -> list[Hit]:
    records = {r.chunk.id: r for r in snapshot.chunks(ids=[one.chunk_id for one in kept])}
    owners = [*(r.chunk.doc_id for r in records.values()), *(i for one in kept for i in one.documents)]
    documents = {d.id: d for d in snapshot.documents(owners)}
    hits = _plain(snapshot, found, kept, records, documents)
    return _numbered(widened(snapshot, hits, after, found.where)[:k])


def _numbered(hits: Sequence[Hit]) -> list[Hit]:
    return [hit if hit.rank == rank else replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]


def _plain(
    snapshot: Snapshot,
    found: Gathered,
    kept: Sequence[Folded],
    records: Mapping[str, ChunkRecord],
    documents: Mapping[str, DocumentRecord],
) -> list[Hit]:
    placed = {channel: ranks(scores, (one.chunk_id for one in kept)) for channel, scores in found.pool.scores.items()}
    spans = _leaf_spans(snapshot, found, list(records))
    several = several_roots(snapshot)
    hits: list[Hit] = []
    for one in kept:
        chunk_id, record = one.chunk_id, records.get(one.chunk_id)
        if record is None:
            continue
        document = documents.get(record.chunk.doc_id)
        hits.append(
            as_hit(
                record,
                document,
                weights=found.scorer.weights,
                several_roots=several,
                leaf=spans.get(chunk_id),
                rank=len(hits) + 1,
                score=one.score,
                channels=_channels(chunk_id, placed, found.pool.scores),
                matched=_matched(found, chunk_id),
                copies=_copies(document, one, documents),
            )
        )
    return hits


def _copies(document: DocumentRecord | None, kept: Folded, documents: Mapping[str, DocumentRecord]) -> tuple[str, ...]:
    """Return the uris of the documents that have the same: the hit's own copies, then those of other chunks."""
    names = list(document.copies) if document else []
    for other in filter(None, map(documents.get, kept.documents)):
        names += (other.uri, *other.copies)
    return tuple(dict.fromkeys(names))


def as_hit(
    record: ChunkRecord,
    document: DocumentRecord | None,
    *,
    weights: Mapping[str, float],
    several_roots: bool,
    leaf: Span | None = None,
    **others: Any,
) -> Hit:
    """Return a chunk as a hit, of rank 1 and score 0 if no others are given: its text, its place, its document's state.

    Args:
        record: The chunk.
        document: Its document, where that is known.
        weights: What the words asked for weigh: they choose the section that is cited.
        several_roots: Whether the collection has several roots, so that a citation needs them.
        leaf: The part that is nearest to the question.
        others: Other attributes of a `Hit`.
    """
    chunk = record.chunk
    return Hit(
        chunk=chunk,
        text=chunk.display_text,
        body=chunk.body,
        span=chunk.span,
        source_span=record.source_span,
        citation=cite_chunk(record, weights, leaf=leaf, url=url_of(document), several_roots=several_roots),
        modified=record.modified,
        stale=document.stale if document else "",
        lines=chunk.lines,
        leaf=leaf,
        **{"rank": 1, "score": 0.0, **others},
    )


def _leaf_spans(snapshot: Snapshot, found: Gathered, ids: Sequence[str]) -> dict[str, Span]:
    """Return where the best leaf of each chunk stands."""
    compared = [i for i in ids if i in found.leaves]
    spans = snapshot.leaf_spans(compared) if compared else {}
    return {i: span for i in compared if (span := spans.get(found.leaves[i])) is not None}


def _channels(
    chunk_id: str, placed: Mapping[str, Mapping[str, int]], scores: Mapping[str, Mapping[str, float]]
) -> dict[str, tuple[int, float]]:
    return {
        channel: (positions[chunk_id], scores[channel][chunk_id])
        for channel, positions in placed.items()
        if chunk_id in positions
    }


def _matched(found: Gathered, chunk_id: str) -> dict[str, float]:
    """Return the question's terms that the chunk has, with what each adds to its BM25 score, the largest first."""
    counts, length = found.pool.candidates.counts(chunk_id)
    parts = found.scorer.parts(counts, length)
    return dict(sorted(((t, s) for t, s in parts.items() if s > 0), key=lambda pair: (-pair[1], pair[0])))
