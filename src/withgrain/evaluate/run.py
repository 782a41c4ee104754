"""Ask the questions and measure the answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from withgrain.errors import UsageError
from withgrain.evaluate.bootstrap import Estimate, estimate
from withgrain.evaluate.gold import Gold, locate
from withgrain.evaluate.metrics import METRICS, Seen, measure
from withgrain.evaluate.questions import EvalQuestion
from withgrain.model import Compare, Filter, all_of
from withgrain.search import Mode, Weights, search
from withgrain.types import Embedder, Snapshot

#: Hits asked for: enough to fill the budget with short chunks.
DEPTH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question with its metrics.

    Attributes:
        question: The question.
        metrics: By name.
        seconds: Time of the search.
    """

    question: EvalQuestion
    metrics: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The answers of one collection to one set of questions.

    Attributes:
        answers: One a question, in the order of the file.
        problems: ``(line, sentence)`` of each question that could not be asked.
    """

    answers: tuple[Answer, ...]
    problems: tuple[tuple[int, str], ...] = ()

    def overall(self) -> dict[str, Estimate]:
        """Return every metric over all questions, with its interval."""
        return summary(self.answers)

    def by_type(self) -> dict[str, dict[str, Estimate]]:
        """Return every metric for each type of question."""
        groups: dict[str, list[Answer]] = {}
        for answer in self.answers:
            groups.setdefault(answer.question.type, []).append(answer)
        return {name: summary(group) for name, group in sorted(groups.items())}


def summary(answers: Sequence[Answer]) -> dict[str, Estimate]:
    """Return the mean of every metric with its interval."""
    return {name: estimate([a.metrics[name] for a in answers]) for name in METRICS}


def evaluate(
    snapshot: Snapshot,
    questions: Sequence[EvalQuestion],
    embedder: Embedder | None = None,
    *,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    weights: Weights | None = None,
    scoped: bool = True,
    depth: int = DEPTH,
) -> Evaluation:
    """Ask every question and measure the answer.

    Args:
        snapshot: The collection.
        questions: What to ask.
        embedder: The embedder of the collection; not needed for ``lexical``.
        mode: Mode of the search.
        where: A filter for all questions.
        weights: Numbers of the ranking.
        scoped: Whether a question of scope ``document`` is asked inside its document only.
        depth: Hits asked for.

    Raises:
        UsageError: None of the questions can be asked.
    """
    located = locate(questions, snapshot)
    if not located.gold:
        why = "; ".join(f"line {line}: {what}" for line, what in located.problems[:3])
        raise UsageError(f"None of the {len(questions)} questions can be asked of this collection: {why}")
    bodies: dict[str, list[Seen]] = {}
    answers: list[Answer] = []
    for gold in located.gold:
        inside = all_of(where, _scope(gold) if scoped else None)
        began = time.perf_counter()
        results = search(
            snapshot, gold.question.text, k=depth, mode=mode, where=inside, embedder=embedder, weights=weights
        )
        seconds = time.perf_counter() - began
        metrics = measure(gold, results.hits, _candidates(snapshot, gold, bodies))
        answers.append(Answer(question=gold.question, metrics=metrics, seconds=seconds))
    return Evaluation(answers=tuple(answers), problems=located.problems)


def _scope(gold: Gold) -> Filter | None:
    if gold.question.scope != "document":
        return None
    return Compare(field="doc_id", operator="eq", value=gold.document.id)


def _candidates(snapshot: Snapshot, gold: Gold, bodies: dict[str, list[Seen]]) -> list[Seen]:
    documents = dict.fromkeys(doc_id for piece in gold.evidence for doc_id, _ in piece.places)
    for doc_id in documents:
        if doc_id not in bodies:
            chunks = (r.chunk for r in snapshot.chunks(doc_id=doc_id))
            bodies[doc_id] = [Seen(doc_id=doc_id, span=c.span) for c in chunks if c.span]
    return [s for doc_id in documents for s in bodies[doc_id]]
