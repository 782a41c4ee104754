"""Make hits of the best candidates: text, citation, and each channel's rank and score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from withgrain.model import DocumentRecord, Hit, Span
from withgrain.search.citation import cite_chunk, several_roots, url_of
from withgrain.search.gather import Gathered
from withgrain.search.pool import ranks
from withgrain.types import Snapshot


def make_hits(snapshot: Snapshot, found: Gathered, order: Sequence[tuple[str, float]]) -> tuple[Hit, ...]:
    """Return the hits for chunks in their final order, with their fused scores."""
    placed = {channel: ranks(scores) for channel, scores in found.pool.scores.items()}
    documents: dict[str, DocumentRecord | None] = {}
    spans = _leaf_spans(snapshot, found, [i for i, _ in order])
    several = several_roots(snapshot)
    hits: list[Hit] = []
    for rank, (chunk_id, score) in enumerate(order, 1):
        record = found.pool.records[chunk_id]
        chunk = record.chunk
        if chunk.doc_id not in documents:
            documents[chunk.doc_id] = snapshot.document(chunk.doc_id)
        document = documents[chunk.doc_id]
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
                    record, found.scorer.weights, leaf=spans.get(chunk_id), url=url_of(document), several_roots=several
                ),
                channels=_channels(chunk_id, placed, found.pool.scores),
                modified=record.modified,
                stale=document.stale if document else "",
                lines=chunk.lines,
                leaf=spans.get(chunk_id),
            )
        )
    return tuple(hits)


def _leaf_spans(snapshot: Snapshot, found: Gathered, ids: Sequence[str]) -> dict[str, Span]:
    """Return where the best leaf of each chunk stands."""
    compared = [i for i in ids if i in found.leaves]
    if not compared:
        return {}
    best = {found.leaves[i] for i in compared}
    return {leaf.chunk_id: leaf.span for leaf in snapshot.leaves(compared) if leaf.id in best and leaf.span}


def _channels(
    chunk_id: str, placed: Mapping[str, Mapping[str, int]], scores: Mapping[str, Mapping[str, float]]
) -> dict[str, tuple[int, float]]:
    return {
        channel: (positions[chunk_id], scores[channel][chunk_id])
        for channel, positions in placed.items()
        if chunk_id in positions
    }
