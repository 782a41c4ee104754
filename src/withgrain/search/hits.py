"""Make hits of the best candidates: text, citation, and each channel's rank and score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from withgrain.model import ChunkRecord, DocumentRecord, Hit, Span
from withgrain.search.after.copies import folded
from withgrain.search.after.settings import After
from withgrain.search.after.widen import widened
from withgrain.search.citation import cite_chunk, several_roots, url_of
from withgrain.search.gather import Gathered
from withgrain.search.pool import ranks
from withgrain.types import Snapshot

#: Hits made beyond those asked for: some are copies of others or become part of a wider hit.
_SPARE = 5
#: Where those are not enough, twice as many are looked at, or this many; among more copies fewer hits come back.
_LOOKED_AT = 40


def make_hits(
    snapshot: Snapshot, found: Gathered, order: Sequence[tuple[str, float]], k: int, after: After
) -> tuple[Hit, ...]:
    """Return ``k`` hits for chunks in their final order, with their scores: widened, copies folded, numbered.

    Fewer only when there are no more chunks, or too many copies.
    """
    plain: list[Hit] = []
    documents: dict[str, DocumentRecord] = {}
    start, stop = 0, k + _SPARE
    most = min(len(order), max(2 * stop, _LOOKED_AT))
    while True:
        shown = order[start:stop]
        records = {r.chunk.id: r for r in snapshot.chunks(ids=[i for i, _ in shown])}
        documents |= {d.id: d for d in snapshot.documents([r.chunk.doc_id for r in records.values()])}
        plain += _plain(snapshot, found, shown, records, documents)
        hits = _numbered(folded(plain, documents))
        hits = _numbered(widened(snapshot, hits, after)[:k])
        if len(hits) == k or stop >= most:
            return tuple(hits)
        start, stop = stop, most


def _numbered(hits: Sequence[Hit]) -> list[Hit]:
    return [hit if hit.rank == rank else replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]


def _plain(
    snapshot: Snapshot,
    found: Gathered,
    order: Sequence[tuple[str, float]],
    records: Mapping[str, ChunkRecord],
    documents: Mapping[str, DocumentRecord],
) -> list[Hit]:
    placed = {channel: ranks(scores, (i for i, _ in order)) for channel, scores in found.pool.scores.items()}
    spans = _leaf_spans(snapshot, found, list(records))
    several = several_roots(snapshot)
    hits: list[Hit] = []
    for rank, (chunk_id, score) in enumerate(order, 1):
        record = records.get(chunk_id)
        if record is None:
            continue
        chunk, document = record.chunk, documents.get(record.chunk.doc_id)
        leaf = spans.get(chunk_id)
        hits.append(
            Hit(
                rank=rank,
                score=score,
                chunk=chunk,
                text=chunk.display_text,
                body=chunk.body,
                span=chunk.span,
                source_span=record.source_span,
                citation=cite_chunk(
                    record, found.scorer.weights, leaf=leaf, url=url_of(document), several_roots=several
                ),
                channels=_channels(chunk_id, placed, found.pool.scores),
                matched=_matched(found, chunk_id),
                modified=record.modified,
                stale=document.stale if document else "",
                lines=chunk.lines,
                leaf=leaf,
            )
        )
    return hits


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
