"""The lexical channels: BM25 of each candidate chunk, and of its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from withgrain.search.bm25 import Scorer
from withgrain.search.pool import ById, Scores

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, np.dtype[Any]]


def lexical_scores(candidates: ById, scorer: Scorer, *, chunks_per_document: float) -> tuple[Scores, Scores]:
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
    import numpy as np

    rows = candidates.rows
    numbers = {doc_id: number for number, doc_id in enumerate(dict.fromkeys(rows.doc_ids))}
    document = np.fromiter(map(numbers.__getitem__, rows.doc_ids), dtype=np.int64, count=len(rows))
    sizes = np.zeros(len(numbers))
    sizes[document] = rows.totals
    lengths = scorer.average_length * sizes / max(1.0, chunks_per_document)
    by_chunk, by_document = np.zeros(len(rows)), np.zeros(len(numbers))
    norms, document_norms = _norms(scorer, np.asarray(rows.lengths, dtype=np.float64)), _norms(scorer, lengths)
    for term, (places, counts) in rows.counts.items():
        weight = scorer.weights.get(term)
        if weight is None:
            continue
        at, count = np.asarray(places), np.asarray(counts, dtype=np.float64)
        by_chunk[at] += weight * count * (scorer.k1 + 1) / (count + norms[at])
        total = np.bincount(document[at], weights=count, minlength=len(numbers))
        has = np.flatnonzero(total)
        by_document[has] += weight * total[has] * (scorer.k1 + 1) / (total[has] + document_norms[has])
    return Scores(candidates, by_chunk), Scores(candidates, by_document[document])


def _norms(scorer: Scorer, lengths: Numbers) -> Numbers:
    """Return what `Scorer.parts` adds to the count of a term, for texts of these lengths."""
    relative = lengths / scorer.average_length if scorer.average_length else lengths**0
    norms: Numbers = scorer.k1 * (1 - scorer.b + scorer.b * relative)
    return norms
