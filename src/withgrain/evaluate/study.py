"""Several collections under the same questions: what each is worth, what it costs, and which one is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from withgrain.errors import UsageError
from withgrain.evaluate.compare import Comparison, compare, holm, paired
from withgrain.evaluate.metrics import AT_EQUAL_BUDGET, AT_EQUAL_K, METRICS
from withgrain.evaluate.questions import EvalQuestion, Problem
from withgrain.evaluate.run import Evaluation, evaluate
from withgrain.model import Filter
from withgrain.search import Mode, Weights
from withgrain.types import Embedder, Progress, Snapshot, Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A collection to be asked.

    Attributes:
        name: How the report calls it.
        snapshot: Its state.
        embedder: The embedder of its vectors; None asks by words only.
        path: Its directory, to weigh it; None when it is in memory.
        weights: Numbers of the ranking; the defaults when None.
    """

    name: str
    snapshot: Snapshot
    embedder: Embedder | None = None
    path: Path | None = None
    weights: Weights | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a collection costs.

    Attributes:
        documents: Number of documents.
        chunks: Number of chunks.
        vectors: Number of vectors.
        tokens: Tokens of what is embedded of all chunks, repeated text included.
        index_bytes: Size of the files, without the cache of vectors; None in memory.
        text_bytes: Size of the documents' canonical text in UTF-8.
        ms_p50: Median time of a search in milliseconds.
        ms_p95: 95th percentile.
    """

    documents: int
    chunks: int
    vectors: int
    tokens: int
    index_bytes: int | None
    text_bytes: int
    ms_p50: float
    ms_p95: float

    @property
    def growth(self) -> float | None:
        """How many times as large as the text the index is."""
        return self.index_bytes / self.text_bytes if self.index_bytes is not None and self.text_bytes else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One collection with its answers and its cost."""

    name: str
    policy: str
    evaluation: Evaluation
    cost: Cost
    contract: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The answers of one or more collections; the first one is the baseline.

    Attributes:
        outcomes: In the order given.
        comparisons: For each metric and each collection but the first.
        problems: Lines and questions that were left out, each once.
    """

    outcomes: tuple[Outcome, ...]
    comparisons: tuple[Comparison, ...] = ()
    problems: tuple[Problem, ...] = field(default=())

    def comparison(self, candidate: str, metric: str) -> Comparison | None:
        """Return the comparison of one collection on one metric, if the questions allow one."""
        return next((c for c in self.comparisons if c.candidate == candidate and c.metric == metric), None)

    @property
    def verdicts(self) -> tuple[Comparison, ...]:
        """The comparisons that decide: at equal budget, then at equal k, for each collection but the first."""
        metrics = (AT_EQUAL_BUDGET, AT_EQUAL_K)
        return tuple(c for o in self.outcomes[1:] for m in metrics if (c := self.comparison(o.name, m)))

    @property
    def asked(self) -> int:
        """Number of distinct questions that at least one collection was asked."""
        return len({a.question.id for o in self.outcomes for a in o.evaluation.answers})


def study(
    subjects: Sequence[Subject],
    questions: Sequence[EvalQuestion],
    *,
    mode: Mode = "hybrid",
    where: Filter | None = None,
    problems: Sequence[Problem] = (),
    progress: Progress | None = None,
) -> Study:
    """Ask every collection every question, and compare all with the first.

    Args:
        subjects: The collections; the first one is the baseline.
        questions: What to ask.
        mode: Mode of the search.
        where: A filter for all questions.
        problems: What is wrong with the question files, to be reported with the rest.
        progress: Told how it goes on.

    Raises:
        UsageError: No collection is given, two have the same name, or one can be asked nothing.
    """
    names = [s.name for s in subjects]
    if not names or len(set(names)) < len(names):
        raise UsageError("Give at least one collection, each once.")
    remembering = _remembering()
    outcomes = []
    for subject in subjects:
        embedder = remembering(subject.embedder)
        found = evaluate(
            subject.snapshot,
            questions,
            embedder,
            mode=mode,
            where=where,
            weights=subject.weights,
            progress=progress,
        )
        outcomes.append(
            Outcome(
                name=subject.name,
                policy=subject.snapshot.contract.policy.partition("@")[0],
                evaluation=found,
                cost=weigh(subject, found),
                contract=subject.snapshot.contract.fingerprint,
            )
        )
    every = {str(p): p for p in (*problems, *(p for o in outcomes for p in o.evaluation.problems))}
    return Study(
        outcomes=tuple(outcomes),
        comparisons=tuple(_compared(outcomes)),
        problems=tuple(sorted(every.values(), key=lambda p: (p.file, p.line))),
    )


def _compared(outcomes: Sequence[Outcome]) -> list[Comparison]:
    first, *others = outcomes
    comparisons: list[Comparison] = []
    for metric in METRICS:
        base = first.evaluation.values(metric.name)
        found = []
        for other in others:
            pairs = paired(base, other.evaluation.values(metric.name))
            if pairs:
                found.append(compare(first.name, other.name, metric.name, pairs, higher_is_better=metric.higher))
        comparisons += holm(found, metric.higher)
    return comparisons


def weigh(subject: Subject, found: Evaluation) -> Cost:
    """Return what a collection costs."""
    snapshot = subject.snapshot
    count = snapshot.count()
    tokens = text_bytes = 0
    documents = snapshot.documents()
    for document in documents:
        record = snapshot.document(document.id)
        text_bytes += len(record.text.encode("utf-8", "surrogatepass")) if record else 0
        tokens += sum(r.chunk.tokens or 0 for r in snapshot.chunks(doc_id=document.id))
    return Cost(
        documents=len(documents),
        chunks=count["chunks"],
        vectors=count["leaves"],
        tokens=tokens,
        index_bytes=directory_bytes(subject.path) if subject.path else None,
        text_bytes=text_bytes,
        ms_p50=found.milliseconds(0.5),
        ms_p95=found.milliseconds(0.95),
    )


def directory_bytes(path: Path) -> int:
    """Return the size of the files of a collection; the cache of vectors, which only saves work, is left out."""
    files = (f for f in path.rglob("*") if f.is_file() and not f.name.startswith("embeddings.sqlite"))
    return sum(f.stat().st_size for f in files)


class RememberedQuestions:
    """An embedder that embeds each question once, however many collections are asked."""

    def __init__(self, embedder: Embedder, known: dict[str, tuple[float, ...]]) -> None:
        self._embedder, self._known = embedder, known
        self.id, self.revision, self.dims = embedder.id, embedder.revision, embedder.dims
        self.window, self.normalised = embedder.window, embedder.normalised
        self.tokenizer: Tokenizer = embedder.tokenizer

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """See `withgrain.types.Embedder`."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> tuple[float, ...]:
        """See `withgrain.types.Embedder`."""
        if text not in self._known:
            self._known[text] = self._embedder.embed_query(text)
        return self._known[text]


def _remembering() -> Callable[[Embedder | None], Embedder | None]:
    spaces: dict[str, dict[str, tuple[float, ...]]] = {}

    def wrap(embedder: Embedder | None) -> Embedder | None:
        if embedder is None:
            return None
        return RememberedQuestions(embedder, spaces.setdefault(f"{embedder.id}@{embedder.revision}", {}))

    return wrap
