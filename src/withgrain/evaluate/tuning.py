"""Search for better settings on one half of the questions, and believe only what the other half says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from withgrain.errors import UsageError
from withgrain.evaluate.compare import Comparison, compare, paired
from withgrain.evaluate.metrics import BY_NAME
from withgrain.evaluate.questions import EvalQuestion
from withgrain.evaluate.run import evaluate
from withgrain.evaluate.study import RememberedQuestions, Subject
from withgrain.model import sha256_hex
from withgrain.search import Mode, Weights
from withgrain.types import Progress

if TYPE_CHECKING:
    from withgrain.chunk import Policy

#: Fewer questions than this cannot be halved and still show anything.
FEWEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One setting with its mean on the half that is searched."""

    name: str
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What a search found.

    Attributes:
        trials: Every setting tried, the default first.
        chosen: Name of the best one; the default's own when none beats it on the searched half.
        weights: Its search weights.
        changes: Those of them that are other than usual, by name: what a search or ``[search]`` of the settings takes.
        comparison: Default against chosen, on the other half; None when the default is chosen.
        searched: Number of questions of the searched half.
        reported: Number of questions of the other half.
    """

    trials: tuple[Trial, ...]
    chosen: str
    weights: Weights
    changes: Mapping[str, Any]
    comparison: Comparison | None
    searched: int
    reported: int

    @property
    def keep_default(self) -> bool:
        """Whether the other half shows no improvement."""
        return self.comparison is None or self.comparison.verdict != "better"

    def __str__(self) -> str:
        """Return the answer in a sentence or two."""
        if self.comparison is None:
            return f"Keep the default: nothing that was tried is better on the {self.searched} questions searched."
        if self.keep_default:
            return (
                f"Keep the default. {self.chosen} was best on the half that was searched, but on the other half: "
                f"{self.comparison}"
            )
        return f"Use {self.chosen}. On the half that was not searched: {self.comparison}"


def halves(questions: Sequence[EvalQuestion]) -> tuple[list[EvalQuestion], list[EvalQuestion]]:
    """Split questions into two halves with like types; which one a question is in depends on its id only.

    Raises:
        UsageError: There are too few.
    """
    if len(questions) < FEWEST:
        raise UsageError(f"{len(questions)} questions are too few to tune with; write at least {FEWEST}.")
    order = sorted(questions, key=lambda q: (q.type, sha256_hex(q.id)))
    first = {q.id for q in order[::2]}
    return [q for q in questions if q.id in first], [q for q in questions if q.id not in first]


def weight_candidates(*, vectors: bool, default: Weights | None = None) -> dict[str, Weights]:
    """Return the search weights to try beside the default, by a name that says what differs."""
    own = default or Weights()
    tried: dict[str, tuple[float | str, ...]] = {"document": (0.0, 0.25, 0.5), "b": (0.4, 0.75, 0.9)}
    if vectors:
        tried |= {"dense": (0.5, 1.0, 1.5, 2.0), "fusion": ("zscore", "rrf")}
    return {
        f"{name} {value}" if isinstance(value, str) else f"{name} {value:g}": own.having({name: value})
        for name, values in tried.items()
        for value in values
        if value != getattr(own, name)
    }


def policy_candidates(default: Policy) -> dict[str, Policy]:
    """Return the policies to try beside the default: its smaller and larger sizes, merging, and the plain ones."""
    from withgrain.chunk import POLICIES

    found: dict[str, Policy] = {}
    for share in (0.5, 0.75):
        target = max(16, round(default.budget.target * share))
        maximum = max(target, round(default.budget.maximum * (share + 0.1)))
        smaller = replace(default.budget, target=target, maximum=maximum, minimum=min(default.budget.minimum, target))
        smaller = replace(smaller, overlap=min(smaller.overlap, maximum - 1), whole=min(smaller.whole, maximum))
        found[f"{default.name}, target {target}"] = replace(default, budget=smaller, classes=())
    if default.merge == "never":
        found[f"{default.name}, merged"] = replace(default, merge="siblings")
    plain = ("paragraph", "heading", "parent_child")
    return found | {name: POLICIES[name] for name in plain if name in POLICIES and name != default.name}


def tune(
    subjects: Mapping[str, Subject],
    questions: Sequence[EvalQuestion],
    *,
    mode: Mode = "hybrid",
    metric: str = "R@8k",
    progress: Progress | None = None,
) -> Tuned:
    """Try every setting on one half of the questions, and compare the best with the default on the other half.

    Args:
        subjects: Settings by name, the default first: collections, each with its search weights.
        questions: All questions.
        mode: Mode of the search.
        metric: What to improve.
        progress: Told how it goes on.

    Raises:
        UsageError: Too few questions, or no such metric.
    """
    if metric not in BY_NAME:
        raise UsageError(f'There is no metric "{metric}". Metrics: {", ".join(BY_NAME)}.')
    search_half, report_half = halves(questions)
    known: dict[str, tuple[float, ...]] = {}

    def asked(name: str, half: Sequence[EvalQuestion]) -> dict[str, float]:
        subject = subjects[name]
        embedder = RememberedQuestions(subject.embedder, known) if subject.embedder else None
        found = evaluate(subject.snapshot, half, embedder, mode=mode, weights=subject.weights, progress=progress)
        return found.values(metric)

    default = next(iter(subjects))
    sign = 1 if BY_NAME[metric].higher else -1
    values = {name: asked(name, search_half) for name in subjects}
    trials = tuple(Trial(name=name, mean=sum(v.values()) / max(1, len(v))) for name, v in values.items())
    best = max(trials, key=lambda t: round(sign * t.mean, 9))  # the first of equals: the default
    usual = Weights.of(subjects[best.name].embedder)
    weights = subjects[best.name].weights or usual
    comparison = None
    if best.name != default:
        pairs = paired(asked(default, report_half), asked(best.name, report_half))
        comparison = compare("the default", best.name, metric, pairs, higher_is_better=BY_NAME[metric].higher)
    return Tuned(
        trials=trials,
        chosen=best.name,
        weights=weights,
        changes=weights.changes(usual),
        comparison=comparison,
        searched=len(search_half),
        reported=len(report_half),
    )
