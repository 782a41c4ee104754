"""The lexical channels: BM25 of each candidate chunk, and of its document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from withgrain.model import ChunkRecord
from withgrain.search.bm25 import Scorer, count_terms


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    counts: Mapping[str, int]
    length: int


def lexical_scores(
    records: Mapping[str, ChunkRecord], scorer: Scorer, *, documents: int, chunks: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the BM25 score of every candidate, and the BM25 score of its document.

    The score of a document is BM25 over its terms as far as they are seen: counts are added up over its *candidates*
    (the chunks without candidates have few or none of the terms), its length is taken as its number of chunks times the
    mean length, and idf is that of the chunks. That costs no further reading; the exact score would need every chunk of
    every document that has a candidate.

    Args:
        records: The candidates.
        scorer: BM25 for this question.
        documents: Documents in the collection.
        chunks: Chunks in the collection.
    """
    counted = {
        i: _Counted(counts=c, length=n) for i, r in records.items() for c, n in [count_terms(r.terms, scorer.weights)]
    }
    by_chunk = {i: scorer.score(c.counts, c.length) for i, c in counted.items()}
    totals: dict[str, dict[str, int]] = {}
    sizes: dict[str, int] = {}
    for chunk_id, record in records.items():
        doc_id = record.chunk.doc_id
        sizes[doc_id] = record.chunk.total
        total = totals.setdefault(doc_id, {})
        for term, n in counted[chunk_id].counts.items():
            total[term] = total.get(term, 0) + n
    mean = max(1.0, chunks / max(1, documents))
    scores = {
        doc_id: scorer.score(total, scorer.average_length * sizes[doc_id] / mean) for doc_id, total in totals.items()
    }
    return by_chunk, {chunk_id: scores[record.chunk.doc_id] for chunk_id, record in records.items()}
