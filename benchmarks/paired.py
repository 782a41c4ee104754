"""Two ways to build a collection under the same questions, paired: means, difference with its interval, p, verdict.

Beside the metrics of `withgrain.evaluate.metrics`: R@4k and R@16k, recall within so many characters, and ``whole@8k``,
the share of questions of which all gold stands within the first 8,000 characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from withgrain.evaluate import Comparison, Estimate, Evaluation, compare, estimate
from withgrain.evaluate.compare import paired
from withgrain.evaluate.metrics import BUDGETS

SHOWN = ("R@4k", "R@8k", "R@16k", "whole@8k", "recall@1", "recall@5", "recall@10", "hit@1", "mrr", "ndcg@10")
_BUDGETS = {"R@4k": 4_000, "R@16k": 16_000}


def values(found: Evaluation, metric: str) -> dict[str, float]:
    """Return one metric by the id of the question, where it is defined."""
    if metric == "whole@8k":
        return {question: float(value > 1 - 1e-9) for question, value in found.values("R@8k").items()}
    if metric in _BUDGETS:
        place = BUDGETS.index(_BUDGETS[metric])
        return {a.question.id: a.curve[place] for a in found.answers if a.curve}
    return found.values(metric)


def means(found: Evaluation) -> dict[str, Estimate]:
    """Return every metric that is shown, with its interval."""
    return {metric: estimate(list(values(found, metric).values())) for metric in SHOWN}


def by_type(found: Evaluation, metrics: Sequence[str]) -> Iterator[tuple[str, dict[str, Estimate]]]:
    """Yield the metrics of each type of question, with their intervals."""
    kinds: dict[str, set[str]] = {}
    for answer in found.answers:
        kinds.setdefault(answer.question.type, set()).add(answer.question.id)
    for kind, ids in sorted(kinds.items()):
        yield kind, {m: estimate([v for q, v in values(found, m).items() if q in ids]) for m in metrics}


def comparisons(other: Evaluation, own: Evaluation, names: tuple[str, str]) -> Mapping[str, Comparison]:
    """Compare two evaluations metric by metric, over the questions that both answered.

    Args:
        other: What is compared with.
        own: What is judged.
        names: Their names.
    """
    found = {}
    for metric in SHOWN:
        pairs = paired(values(other, metric), values(own, metric))
        found[metric] = compare(names[0], names[1], metric, pairs)
    return found


def table(name: str, judged: Mapping[str, Comparison]) -> Iterator[str]:
    """Yield one row of Markdown for each metric; `HEAD` stands above them."""
    for metric, c in judged.items():
        gap = c.difference
        least = "" if c.detectable is None else f"{c.detectable:.3f}"
        yield (
            f"| {name} | {c.questions} | {metric} | {c.baseline} {c.values[0]:.3f} | {c.candidate} {c.values[1]:.3f} "
            f"| {gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}] | {c.p:.3f} | {least} | {c.verdict} |"
        )


HEAD = (
    "| data set | questions | metric | compared with | judged | difference | p | detectable | verdict |",
    "|---|---|---|---|---|---|---|---|---|",
)
