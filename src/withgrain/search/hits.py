"""Make hits of the best candidates: text, citation, and each channel's rank and score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from withgrain.model import DocumentRecord, Hit, Span
from withgrain.search.citation import cite
from withgrain.search.gather import Gathered
from withgrain.search.pool import ranks
from withgrain.types import Snapshot

_URL_KEYS = ("url", "canonical_url", "canonical", "permalink")


def make_hits(snapshot: Snapshot, found: Gathered, order: Sequence[tuple[str, float]]) -> tuple[Hit, ...]:
    """Return the hits for chunks in their final order, with their fused scores."""
    placed = {channel: ranks(scores) for channel, scores in found.pool.scores.items()}
    documents: dict[str, DocumentRecord | None] = {}
    spans = _leaf_spans(snapshot, found, [i for i, _ in order])
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
                citation=cite(record, found.scorer.weights, leaf=spans.get(chunk_id), url=_url(document)),
                channels=_channels(chunk_id, placed, found.pool.scores),
                modified=record.modified,
                stale=document.stale if document else "",
            )
        )
    return tuple(hits)


def _leaf_spans(snapshot: Snapshot, found: Gathered, ids: Sequence[str]) -> dict[str, Span]:
    """Return where the best leaf stands, for chunks of several sections."""
    several = [i for i in ids if found.pool.records[i].chunk.sections and i in found.leaves]
    if not several:
        return {}
    best = {found.leaves[i] for i in several}
    return {leaf.chunk_id: leaf.span for leaf in snapshot.leaves(several) if leaf.id in best and leaf.span}


def _channels(
    chunk_id: str, placed: Mapping[str, Mapping[str, int]], scores: Mapping[str, Mapping[str, float]]
) -> dict[str, tuple[int, float]]:
    return {
        channel: (positions[chunk_id], scores[channel][chunk_id])
        for channel, positions in placed.items()
        if chunk_id in positions
    }


def _url(document: DocumentRecord | None) -> str | None:
    """Return the address that the document's own metadata gives."""
    if document is None:
        return None
    values = (document.meta.get(key) for key in _URL_KEYS)
    return next((v for v in values if isinstance(v, str) and v.startswith(("http://", "https://"))), None)
