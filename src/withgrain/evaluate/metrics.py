"""What one ranked answer is worth: pure functions over hits and gold evidence.

| metric | meaning |
|---|---|
| recall@k | share of the gold characters that the bodies of the first k hits hold |
| R@8k | the same for what is read within the first 8,000 characters of the hits' texts |
| hit@1 | 1 when the first hit holds gold |
| mrr | 1 / rank of the first hit that holds gold; 0 when none does |
| ndcg@10 | discounted gain of the first ten hits over that of the best order; gain = share of the gold in the hit |
| precision@5 | gold characters among the characters of the first five bodies (overlap counts twice) |
| iou@5 | gold characters found / (gold + retrieved characters - found) |

Precision and IoU as in the Chroma report "Evaluating Chunking Strategies for Retrieval" (2024), on characters instead
of tokens. A reference that is repeated verbatim elsewhere counts as found at the best of its places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from withgrain.evaluate.gold import Evidence, Gold
from withgrain.model import Hit, Span

BUDGET = 8_000
METRICS = ("recall@1", "recall@5", "recall@10", "R@8k", "hit@1", "mrr", "ndcg@10", "precision@5", "iou@5")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a reader sees of one hit: a range of a document."""

    doc_id: str
    span: Span


def seen(hits: Sequence[Hit]) -> list[Seen]:
    """Return the bodies of hits; a generated summary has none."""
    return [Seen(doc_id=h.chunk.doc_id, span=h.span) for h in hits if h.span]


def within(hits: Sequence[Hit], budget: int) -> list[Seen]:
    """Return the bodies that stand within the first ``budget`` characters of the hits' texts; the last one is cut."""
    result: list[Seen] = []
    for hit in hits:
        if budget <= 0:
            break
        if hit.span:
            ahead = max(0, hit.text.find(hit.body))  # table header, stem … stand before the body
            visible = min(len(hit.span), budget - ahead)
            if visible > 0:
                end = hit.span.start + visible
                result.append(Seen(doc_id=hit.chunk.doc_id, span=Span(start=hit.span.start, end=end)))
        budget -= len(hit.text)
    return result


def covered(place: tuple[str, Span], read: Sequence[Seen]) -> int:
    """Return how many characters of a place were read; what was read twice counts once."""
    doc_id, span = place
    cuts = sorted(
        (max(r.span.start, span.start), min(r.span.end, span.end))
        for r in read
        if r.doc_id == doc_id and r.span.overlaps(span)
    )
    total, reached = 0, span.start
    for start, end in cuts:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def found(evidence: Sequence[Evidence], read: Sequence[Seen]) -> int:
    """Return how many gold characters were read, each piece at the best of its places."""
    return sum(max(covered(place, read) for place in piece.places) for piece in evidence)


def recall(gold: Gold, read: Sequence[Seen]) -> float:
    """Return the share of gold that was read; for document-level questions whether the document was reached."""
    if gold.question.level == "document":
        return float(any(r.doc_id == gold.document.id for r in read))
    return found(gold.evidence, read) / sum(e.length for e in gold.evidence)


def ndcg(gold: Gold, read: Sequence[Seen], candidates: Sequence[Seen], k: int = 10) -> float:
    """Return nDCG at ``k``: the ideal order puts the chunks of the gold documents that hold most gold first."""
    gains = [recall(gold, [r]) for r in read[:k]]
    if gold.question.level == "document":  # one hit of the document is all there is to gain
        first = next((i for i, g in enumerate(gains) if g), None)
        return 0.0 if first is None else 1 / math.log2(first + 2)
    best = sorted((recall(gold, [c]) for c in candidates), reverse=True)[:k]
    ideal = _discounted(best)
    return min(1.0, _discounted(gains) / ideal) if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(i + 2) for i, gain in enumerate(gains))


def measure(gold: Gold, hits: Sequence[Hit], candidates: Sequence[Seen]) -> dict[str, float]:
    """Return every metric of one answer.

    Args:
        gold: The question and its evidence.
        hits: The answer, best first; at least as many as fill the budget.
        candidates: The bodies of all chunks of the gold documents.
    """
    read = seen(hits)
    first = next((i for i, r in enumerate(read) if recall(gold, [r]) > 0), None)
    five = read[:5]
    hit_characters = found(gold.evidence, five)
    retrieved = sum(len(r.span) for r in five)
    total = sum(e.length for e in gold.evidence)
    union = total + retrieved - hit_characters
    return {
        "recall@1": recall(gold, read[:1]),
        "recall@5": recall(gold, five),
        "recall@10": recall(gold, read[:10]),
        "R@8k": recall(gold, within(hits, BUDGET)),
        "hit@1": float(first == 0),
        "mrr": 0.0 if first is None else 1 / (first + 1),
        "ndcg@10": ndcg(gold, read, candidates),
        "precision@5": hit_characters / retrieved if retrieved else 0.0,
        "iou@5": hit_characters / union if union else 0.0,
    }
