"""What one ranked answer is worth: pure functions over hits and gold evidence.

`METRICS` lists every metric; docs/concepts/evaluation.md defines each with its formula. Precision and IoU are those of
the Chroma report "Evaluating Chunking Strategies for Retrieval" (2024), on characters instead of tokens. A reference
that is repeated verbatim elsewhere counts as found at the best of its places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from withgrain.evaluate.gold import Evidence, Gold
from withgrain.evaluate.structure import Structure, words
from withgrain.model import Hit, Span

#: Characters of context that R@8k looks at.
BUDGET = 8_000
#: Budgets of the packed context in tokens, by the names of their metrics; groundedness looks at `PACKED`, which is
#: about as much as `BUDGET`.
PACKED_BUDGETS = {"packed@1k": 1_000, "packed@2k": 2_000, "packed@4k": 4_000}
PACKED = 2_000
#: Budgets of the curve "recall against budget", in characters.
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000, 16_000)
#: What stands in the first hits is looked at one by one.
FIRST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric.

    Attributes:
        name: As in ``--json``.
        basis: What is held equal between answers: ``k`` hits, a ``budget`` of characters, or the ``order`` of hits.
        meaning: One line for a person.
        higher: Whether more is better.
    """

    name: str
    basis: Literal["k", "budget", "order"]
    meaning: str
    higher: bool = True


METRICS: tuple[Metric, ...] = (
    Metric(name="R@8k", basis="budget", meaning="share of the evidence within the first 8,000 characters"),
    Metric(name="packed@1k", basis="budget", meaning="share of the evidence in the context packed into 1,000 tokens"),
    Metric(name="packed@2k", basis="budget", meaning="share of the evidence in the context packed into 2,000 tokens"),
    Metric(name="packed@4k", basis="budget", meaning="share of the evidence in the context packed into 4,000 tokens"),
    Metric(name="groundedness", basis="budget", meaning="all evidence is inside the packed context"),
    Metric(name="recall@1", basis="k", meaning="share of the evidence in the first hit"),
    Metric(name="recall@5", basis="k", meaning="share of the evidence in the first five hits"),
    Metric(name="recall@10", basis="k", meaning="share of the evidence in the first ten hits"),
    Metric(name="hit@1", basis="order", meaning="the first hit holds evidence"),
    Metric(name="section@1", basis="order", meaning="the section that the first hit cites holds evidence"),
    Metric(name="mrr", basis="order", meaning="1 / rank of the first hit that holds evidence"),
    Metric(name="ndcg@10", basis="order", meaning="order of the first ten hits against the best order"),
    Metric(name="precision@5", basis="k", meaning="evidence among the characters of the first five hits"),
    Metric(name="iou@5", basis="k", meaning="evidence found / evidence and first five hits together"),
    Metric(name="citation_precision", basis="order", meaning="hits with evidence that cite a section which holds it"),
    Metric(name="header_present", basis="order", meaning="the row that answers comes with its table's header"),
    Metric(name="procedure_whole", basis="k", meaning="one of the first five hits holds the whole procedure"),
    Metric(name="orphaned_values", basis="order", meaning="hits with table rows that lack the header", higher=False),
)
BY_NAME = {metric.name: metric for metric in METRICS}
#: The metric of the verdict at equal budget, and the one at equal k.
AT_EQUAL_BUDGET, AT_EQUAL_K = "R@8k", "recall@5"

#: Returns the structure of a document by its id.
Structures = Callable[[str], Structure]


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
    return min(1.0, found(gold.evidence, read) / sum(e.length for e in gold.evidence))


def curve(gold: Gold, hits: Sequence[Hit]) -> tuple[float, ...]:
    """Return recall within each of `BUDGETS`."""
    return tuple(recall(gold, within(hits, budget)) for budget in BUDGETS)


def ndcg(gold: Gold, read: Sequence[Seen], candidates: Sequence[Seen], k: int = 10) -> float:
    """Return nDCG at ``k``: the ideal order puts the chunks of the gold documents that hold most gold first.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (TOIS 2002).
    """
    gains = [recall(gold, [r]) for r in read[:k]]
    if gold.question.level == "document":  # one hit of the document is all there is to gain
        first = next((i for i, g in enumerate(gains) if g), None)
        return 0.0 if first is None else 1 / math.log2(first + 2)
    best = sorted((recall(gold, [c]) for c in candidates), reverse=True)[:k]
    ideal = _discounted(best)
    return min(1.0, _discounted(gains) / ideal) if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(i + 2) for i, gain in enumerate(gains))


def measure(
    gold: Gold,
    hits: Sequence[Hit],
    candidates: Sequence[Seen],
    structures: Structures | None = None,
    contexts: Mapping[int, Sequence[Seen]] | None = None,
) -> dict[str, float]:
    """Return the metrics of one answer that are defined for it.

    Args:
        gold: The question and its evidence.
        hits: The answer, best first; at least as many as fill the budget.
        candidates: The bodies of all chunks of the gold documents.
        structures: The structure of the documents; without it citations and tables are not judged.
        contexts: What stands in the packed context, by its budget in tokens; what is not there is not judged.
    """
    read = seen(hits)
    first = next((i for i, r in enumerate(read) if recall(gold, [r]) > 0), None)
    five = read[:FIRST]
    values = {
        "R@8k": recall(gold, within(hits, BUDGET)),
        "recall@1": recall(gold, read[:1]),
        "recall@5": recall(gold, five),
        "recall@10": recall(gold, read[:10]),
        "hit@1": float(first == 0),
        "mrr": 0.0 if first is None else 1 / (first + 1),
        "ndcg@10": ndcg(gold, read, candidates),
    }
    values |= _packed(gold, contexts or {})
    if gold.question.level == "chunk":
        values |= _shares(gold, five)
        if gold.question.type == "procedure":
            values["procedure_whole"] = float(any(recall(gold, [r]) > 1 - 1e-9 for r in five))
        if gold.header:
            values |= _header(gold, hits[:FIRST])
    if structures is not None:
        values |= _citations(gold, hits[:FIRST], structures)
        values |= _orphans(hits[:FIRST], structures)
    return values


def _packed(gold: Gold, contexts: Mapping[int, Sequence[Seen]]) -> dict[str, float]:
    shares = {budget: recall(gold, context) for budget, context in contexts.items()}
    values = {name: shares[budget] for name, budget in PACKED_BUDGETS.items() if budget in shares}
    return values | ({"groundedness": float(shares[PACKED] > 1 - 1e-9)} if PACKED in shares else {})


def _shares(gold: Gold, read: Sequence[Seen]) -> dict[str, float]:
    hit = found(gold.evidence, read)
    retrieved = sum(len(r.span) for r in read)
    union = sum(e.length for e in gold.evidence) + retrieved - hit
    return {"precision@5": hit / retrieved if retrieved else 0.0, "iou@5": hit / union if union else 0.0}


def _header(gold: Gold, hits: Sequence[Hit]) -> dict[str, float]:
    """Return whether the header stands in front of the row, in the first hit that holds it; nothing when none does."""
    for hit in hits:
        places = [p for e in gold.evidence for p in e.places if covered(p, seen([hit]))]
        if places and hit.span:
            row = max(0, places[0][1].start - hit.span.start)
            ahead = hit.text[: max(0, hit.text.find(hit.body)) + row]
            return {"header_present": float(words(gold.header) in words(ahead))}
    return {}


def _citations(gold: Gold, hits: Sequence[Hit], structures: Structures) -> dict[str, float]:
    right = [_cites_evidence(gold, hit, structures) for hit in hits]
    values = {"section@1": float(bool(right and right[0]))}
    holding = [r for r, hit in zip(right, hits, strict=True) if recall(gold, seen([hit])) > 0]
    return values | ({"citation_precision": sum(holding) / len(holding)} if holding else {})


def _cites_evidence(gold: Gold, hit: Hit, structures: Structures) -> bool:
    if hit.span is None:
        return False
    doc_id = hit.chunk.doc_id
    if gold.question.level == "document":
        return doc_id == gold.document.id
    if not any(doc == doc_id for e in gold.evidence for doc, _ in e.places):
        return False
    cited = structures(doc_id).cited(hit.citation.heading_path, hit.span)
    return found(gold.evidence, [Seen(doc_id=doc_id, span=s) for s in cited]) > 0


def _orphans(hits: Sequence[Hit], structures: Structures) -> dict[str, float]:
    """Return the share of hits with table rows that neither hold nor repeat the header; nothing without such hits."""
    lacking = []
    for hit in hits:
        if hit.span is None or ("|" not in hit.body and "table" not in hit.chunk.block_kinds):
            continue
        shown = words(hit.text)
        headers = [t.header for t in structures(hit.chunk.doc_id).tables if t.rows.overlaps(hit.span)]
        if headers:
            lacking.append(any(header not in shown for header in headers))
    return {"orphaned_values": sum(lacking) / len(lacking)} if lacking else {}
