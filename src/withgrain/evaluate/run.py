"""Ask the questions and measure the answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from withgrain.errors import UsageError
from withgrain.evaluate.bootstrap import Estimate, estimate
from withgrain.evaluate.gold import Documents, Gold, locate
from withgrain.evaluate.metrics import BUDGETS, FIRST, METRICS, PACKED_BUDGETS, Seen, curve, measure
from withgrain.evaluate.questions import EvalQuestion, Problem
from withgrain.evaluate.structure import Structure
from withgrain.model import Compare, Filter, Hit, Results, all_of
from withgrain.search import After, Mode, Weights, pack, search
from withgrain.tokens import wordpiece
from withgrain.types import Embedder, Progress, Snapshot, Tokenizer

#: Hits asked for: enough to fill the budget with short chunks.
DEPTH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question with its metrics.

    Attributes:
        question: The question.
        metrics: By name; those that are defined for this question and answer.
        seconds: Time of the search.
        curve: Recall within each of `withgrain.evaluate.metrics.BUDGETS`.
        gold: The question with its evidence.
        hits: The first hits.
    """

    question: EvalQuestion
    metrics: Mapping[str, float]
    seconds: float
    curve: tuple[float, ...] = ()
    gold: Gold | None = None
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The answers of one collection to one set of questions.

    Attributes:
        answers: One a question, in the order of the file.
        problems: One for each question that could not be asked.
        mode: How the questions were really asked (``hybrid`` needs vectors).
    """

    answers: tuple[Answer, ...]
    problems: tuple[Problem, ...] = ()
    mode: str = ""

    def overall(self) -> dict[str, Estimate]:
        """Return every metric over all questions, with its interval; those that no question defines are left out."""
        return summary(self.answers)

    def by_type(self) -> dict[str, dict[str, Estimate]]:
        """Return every metric for each type of question."""
        groups: dict[str, list[Answer]] = {}
        for answer in self.answers:
            groups.setdefault(answer.question.type, []).append(answer)
        return {name: summary(group) for name, group in sorted(groups.items())}

    def values(self, metric: str) -> dict[str, float]:
        """Return one metric by the id of the question, where it is defined."""
        return {a.question.id: a.metrics[metric] for a in self.answers if metric in a.metrics}

    def curve(self) -> tuple[Estimate, ...]:
        """Return recall within each of `BUDGETS`."""
        rows = [a.curve for a in self.answers if a.curve]
        return tuple(estimate([row[i] for row in rows]) for i in range(len(BUDGETS)))

    def milliseconds(self, quantile: float) -> float:
        """Return a quantile of the time of a search."""
        times = sorted(a.seconds for a in self.answers)
        return 1e3 * times[min(len(times) - 1, int(len(times) * quantile))] if times else 0.0


def summary(answers: Sequence[Answer]) -> dict[str, Estimate]:
    """Return the mean of every metric with its interval, over the answers that define it."""
    values = {m.name: [a.metrics[m.name] for a in answers if m.name in a.metrics] for m in METRICS}
    return {name: estimate(some) for name, some in values.items() if some}


def evaluate(  # noqa: PLR0913  # a facade: every argument but two has its usual value
    snapshot: Snapshot,
    questions: Sequence[EvalQuestion],
    embedder: Embedder | None = None,
    *,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    weights: Weights | None = None,
    after: After | None = None,
    scoped: bool = True,
    depth: int = DEPTH,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask every question and measure the answer.

    Args:
        snapshot: The collection.
        questions: What to ask.
        embedder: The embedder of the collection; not needed for ``lexical``.
        mode: Mode of the search.
        where: A filter for all questions.
        weights: Numbers of the ranking.
        after: What is done after ranking, a reranker for one.
        scoped: Whether a question of scope ``document`` is asked inside its document only.
        depth: Hits asked for.
        progress: Told how it goes on (stage ``ask``).

    Raises:
        UsageError: None of the questions can be asked.
    """
    documents = Documents(snapshot)
    located = locate(questions, snapshot, documents)
    if not located.gold:
        why = "; ".join(str(problem) for problem in located.problems[:3])
        raise UsageError(f"None of the {len(questions)} questions can be asked of this collection: {why}")
    judge = _Judge(snapshot, documents)
    answers: list[Answer] = []
    problems = list(located.problems)
    used = ""
    for number, gold in enumerate(located.gold):
        if progress is not None:
            progress.update("ask", number, len(located.gold), gold.question.id)
        inside = all_of(where, _scope(gold) if scoped else None)
        began = time.perf_counter()
        try:
            results = search(
                snapshot,
                gold.question.text,
                k=depth,
                mode=mode,
                where=inside,
                embedder=embedder,
                weights=weights,
                after=after,
            )
        except UsageError as error:  # the question has no word to search for, or a filter that cannot be
            question = gold.question
            problems.append(Problem(file=question.file, line=question.line, question=question.id, message=str(error)))
            continue
        answers.append(judge.answer(gold, results, time.perf_counter() - began))
        used = str(results.trace.get("mode", mode))
    if progress is not None:
        progress.update("ask", len(located.gold), len(located.gold))
    return Evaluation(answers=tuple(answers), problems=tuple(problems), mode=used)


def _scope(gold: Gold) -> Filter | None:
    if gold.question.scope != "document":
        return None
    return Compare(field="doc_id", operator="eq", value=gold.document.id)


def packed(results: Results, whole: int | None = None) -> dict[int, list[Seen]]:
    """Return what a reader of the packed context sees, for each of `PACKED_BUDGETS`.

    Args:
        results: The hits.
        whole: Hits that are taken whole first; see `withgrain.search.pack`.
    """
    tokenizer = Counted(wordpiece())
    return {
        budget: [
            Seen(doc_id=item.doc_id, span=item.span)
            for item in pack(results, max_tokens=budget, tokenizer=tokenizer, whole=whole).items
            if item.span
        ]
        for budget in PACKED_BUDGETS.values()
    }


class Counted:
    """A tokenizer that counts a text once, however many budgets ask."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer, self._counts = tokenizer, dict[str, int]()
        self.name, self.version, self.additive = tokenizer.name, tokenizer.version, tokenizer.additive

    def count(self, text: str) -> int:
        """Return the number of tokens."""
        if text not in self._counts:
            self._counts[text] = self._tokenizer.count(text)
        return self._counts[text]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``."""
        return [self.count(text) for text in texts]


class _Judge:
    """Measures answers of one collection; remembers what it has read of each document."""

    def __init__(self, snapshot: Snapshot, documents: Documents) -> None:
        self._snapshot, self._documents = snapshot, documents
        self._bodies: dict[str, list[Seen]] = {}
        self._structures: dict[str, Structure] = {}

    def answer(self, gold: Gold, results: Results, seconds: float) -> Answer:
        """Return the measured answer."""
        return Answer(
            question=gold.question,
            metrics=measure(gold, results.hits, self._candidates(gold), self._structure, packed(results)),
            seconds=seconds,
            curve=curve(gold, results.hits),
            gold=gold,
            hits=results.hits[:FIRST],
        )

    def _structure(self, doc_id: str) -> Structure:
        if doc_id not in self._structures:
            self._structures[doc_id] = Structure(self._documents.by_id(doc_id))
        return self._structures[doc_id]

    def _candidates(self, gold: Gold) -> list[Seen]:
        """Return the bodies of all chunks of the documents that hold the evidence."""
        documents = dict.fromkeys(doc_id for piece in gold.evidence for doc_id, _ in piece.places)
        for doc_id in documents:
            if doc_id not in self._bodies:
                chunks = (r.chunk for r in self._snapshot.chunks(doc_id=doc_id))
                self._bodies[doc_id] = [Seen(doc_id=doc_id, span=c.span) for c in chunks if c.span]
        return [s for doc_id in documents for s in self._bodies[doc_id]]
