"""Which defaults: nested cross-validation over sets and documents, on results that are already there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from benchmarks.grid.cells import Cell
from withgrain.evaluate import Estimate, estimate

FOLDS = 5
METRICS = ("R@8k",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One outer fold: what was chosen on the other folds, and what it is worth on this one."""

    number: int
    chosen: str
    inner: float
    outer: float
    default: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The outcome.

    Attributes:
        folds: The outer folds.
        means: Mean over the sets of each candidate, over all questions.
        gain: What choosing gains over the default on questions that it was not chosen on.
    """

    folds: tuple[Fold, ...]
    means: Mapping[str, float]
    gain: Estimate


def choose(results: Mapping[str, Mapping[str, Cell]], default: str, metrics: Sequence[str] = METRICS) -> Choice:
    """Choose among candidates that have results on every set.

    Questions of one document are in one fold. On four folds the candidate with the best mean over the sets is chosen,
    and asked on the fifth. So the gain is that of the procedure "choose the best", not that of a lucky candidate.

    Args:
        results: For each candidate and set, its cell.
        default: The candidate to compare with.
        metrics: What is chosen by: the mean of these.
    """
    sets = sorted(set.intersection(*({*r} for r in results.values())))
    values = {name: {s: _mean(cells[s], metrics) for s in sets} for name, cells in results.items()}
    documents = {s: results[default][s].documents for s in sets}
    folds, gains = [], []
    for number in range(FOLDS):
        inner = {n: _macro(v, documents, number, inside=False) for n, v in values.items()}
        chosen = max(sorted(inner, key=lambda n: n != default), key=lambda n: round(inner[n], 9))
        folds.append(
            Fold(
                number=number,
                chosen=chosen,
                inner=inner[chosen],
                outer=_macro(values[chosen], documents, number, inside=True),
                default=_macro(values[default], documents, number, inside=True),
            )
        )
        gains += list(_gains(values[chosen], values[default], documents, number))
    means = {n: sum(sum(v.values()) / len(v) for v in some.values()) / len(some) for n, some in values.items()}
    return Choice(folds=tuple(folds), means=means, gain=_macro_estimate(gains, sets))


def difference(
    results: Mapping[str, Mapping[str, Cell]], candidate: str, default: str, metrics: Sequence[str] = METRICS
) -> Estimate:
    """Return what a candidate gains over the default over all questions, each set counting alike."""
    sets = sorted(results[candidate].keys() & results[default].keys())
    gains = []
    for name in sets:
        own, other = (_mean(results[c][name], metrics) for c in (candidate, default))
        gains += [(name, own[question] - other[question]) for question in own if question in other]
    return _macro_estimate(gains, sets)


def _mean(cell: Cell, metrics: Sequence[str]) -> dict[str, float]:
    """Return the mean of some metrics for each question that has them all."""
    values = [cell.values(metric) for metric in metrics]
    return {q: sum(v[q] for v in values) / len(values) for q in values[0] if all(q in v for v in values)}


def _fold(document: str) -> int:
    return int(sha256(document.encode()).hexdigest(), 16) % FOLDS


def _macro(
    values: Mapping[str, Mapping[str, float]],
    documents: Mapping[str, Mapping[str, str]],
    fold: int,
    *,
    inside: bool,
) -> float:
    means = []
    for name, some in values.items():
        kept = [v for q, v in some.items() if (_fold(documents[name].get(q, q)) == fold) == inside]
        if kept:
            means.append(sum(kept) / len(kept))
    return sum(means) / len(means) if means else 0.0


def _gains(
    chosen: Mapping[str, Mapping[str, float]],
    default: Mapping[str, Mapping[str, float]],
    documents: Mapping[str, Mapping[str, str]],
    fold: int,
) -> Iterator[tuple[str, float]]:
    for name, some in chosen.items():
        for question, value in some.items():
            if _fold(documents[name].get(question, question)) == fold and question in default[name]:
                yield name, value - default[name][question]


def _macro_estimate(gains: Sequence[tuple[str, float]], sets: Sequence[str]) -> Estimate:
    """Return the mean gain in which each set counts alike, with its interval."""
    sizes = {s: sum(name == s for name, _ in gains) for s in sets}
    return estimate([gain * len(gains) / (len(sets) * sizes[name]) for name, gain in gains])
