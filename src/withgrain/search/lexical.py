"""The lexical channels: BM25 of each candidate chunk, and of its document."""

from __future__ import annotations

from collections.abc import Mapping

from withgrain.model import Candidate
from withgrain.search.bm25 import Scorer


def lexical_scores(
    candidates: Mapping[str, Candidate], scorer: Scorer, *, chunks_per_document: float
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the BM25 score of every candidate, and the BM25 score of its document.

    The score of a document is BM25 over its terms as far as they are seen: counts are added up over its *candidates*
    (the chunks without candidates have few or none of the terms), its length is taken as its number of chunks times the
    mean length, and idf is that of the chunks. That costs no further reading; the exact score would need every chunk of
    every document that has a candidate.

    Args:
        candidates: The candidates, with the counts of the terms.
        scorer: BM25 for this question.
        chunks_per_document: Mean number of chunks of a document.
    """
    by_chunk = {i: scorer.score(c.counts, c.length) for i, c in candidates.items()}
    totals: dict[str, dict[str, int]] = {}
    sizes: dict[str, int] = {}
    for candidate in candidates.values():
        sizes[candidate.doc_id] = candidate.total
        total = totals.setdefault(candidate.doc_id, {})
        for term, n in candidate.counts.items():
            total[term] = total.get(term, 0) + n
    mean = max(1.0, chunks_per_document)
    scores = {
        doc_id: scorer.score(total, scorer.average_length * sizes[doc_id] / mean) for doc_id, total in totals.items()
    }
    return by_chunk, {i: scores[c.doc_id] for i, c in candidates.items()}
