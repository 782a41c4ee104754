"""The gate: closed when a collection is worse than its baseline beyond noise, or below a pinned floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from withgrain.errors import UsageError
from withgrain.evaluate.baseline import Baseline, question_hash, rounded
from withgrain.evaluate.compare import Comparison, compare, holm, paired
from withgrain.evaluate.metrics import BY_NAME
from withgrain.evaluate.questions import EvalQuestion, Problem
from withgrain.evaluate.study import Outcome
from withgrain.model import sha256_hex

#: What the gate looks at. All are better when higher.
GATED = ("R@8k", "groundedness", "recall@5", "hit@1", "mrr", "citation_precision", "header_present")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One metric at the gate.

    Attributes:
        metric: Its name.
        comparison: Now against the baseline, over the pinned questions; corrected for the number of metrics.
        floor: The pinned floor.
        reason: Why the gate is closed; empty when it is open.
    """

    metric: str
    comparison: Comparison
    floor: float
    reason: str

    @property
    def passed(self) -> bool:
        """Whether this metric leaves the gate open."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the gate says.

    Attributes:
        checks: One a metric.
        changes: How documents and questions differ from the pinned ones; the figures then compare unlike things.
        problems: Lines and questions that could not be used.
        lost: Ids of the questions whose R@8k dropped most, with both values.
    """

    checks: tuple[Check, ...]
    changes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    lost: tuple[tuple[str, float, float], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the gate is open."""
        return all(check.passed for check in self.checks)

    @property
    def exit_code(self) -> int:
        """1 when closed; 4 when open, but not over the pinned documents and questions; else 0."""
        return 1 if not self.passed else 4 if self.changes or self.problems else 0


def judge(pinned: Baseline, outcome: Outcome, corpus: Mapping[str, str], problems: Sequence[Problem] = ()) -> Judgement:
    """Compare what a collection is worth now with its baseline.

    Raises:
        UsageError: None of the pinned questions was asked.
    """
    found = []
    for metric in GATED:
        pairs = paired(pinned.values(metric), _now(outcome, metric))
        if pairs:
            found.append(compare("baseline", "now", metric, pairs))
    if not found:
        raise UsageError("None of the pinned questions was asked. Check the question files, or pin again (--pin).")
    checks = [_check(c, pinned.floors.get(c.metric, 0.0)) for c in holm(found)]
    before, after = pinned.values("R@8k"), _now(outcome, "R@8k")
    drops = [(key, value, after[key]) for key, value in before.items() if after.get(key, value) < value - 1e-9]
    return Judgement(
        checks=tuple(checks),
        changes=(*_changed_documents(pinned.corpus, corpus), *_changed_questions(pinned, outcome)),
        problems=tuple(problems),
        lost=tuple(sorted(drops, key=lambda d: (d[2] - d[1], d[0]))[:10]),
    )


def _now(outcome: Outcome, metric: str) -> dict[str, float]:
    return {key: rounded(value) for key, value in outcome.evaluation.values(metric).items()}


def _check(found: Comparison, floor: float) -> Check:
    assert BY_NAME[found.metric].higher
    reason = ""
    if found.verdict == "worse":
        reason = f"dropped beyond noise ({found.worse} questions worse, {found.better} better, p {found.p_holm:.3f})"
    elif found.values[1] < floor:
        reason = f"below the floor {floor:.3f}"
    return Check(metric=found.metric, comparison=found, floor=floor, reason=reason)


def _changed_documents(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    kinds = {
        "changed": [p for p in before if p in after and before[p] != after[p]],
        "gone": [p for p in before if p not in after],
        "new": [p for p in after if p not in before],
    }
    return [f"{_counted(len(paths), 'document')} {kind}: {_some(paths)}" for kind, paths in kinds.items() if paths]


def _changed_questions(pinned: Baseline, outcome: Outcome) -> list[str]:
    asked = {a.question.id: question_hash(a.question) for a in outcome.evaluation.answers}
    edited = [i for i, known in pinned.asked.items() if i in asked and asked[i] != known]
    missing = [i for i in pinned.asked if i not in asked]
    kinds = {"changed": edited, "not asked": missing}
    return [f"{_counted(len(ids), 'pinned question')} {kind}: {_some(ids)}" for kind, ids in kinds.items() if ids]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def lowered(before: Baseline, after: Baseline) -> dict[str, tuple[float, float]]:
    """Return the metrics whose floor, or mean over the questions of both, pinning anew would lower."""
    found = {}
    for metric, floor in before.floors.items():
        now = after.floors.get(metric)
        if now is None or now < floor:
            found[metric] = (floor, now or 0.0)
            continue
        pairs = paired(before.values(metric), after.values(metric))
        if pairs and sum(b - a for a, b in pairs) < -1e-6:
            found[metric] = (sum(a for a, _ in pairs) / len(pairs), sum(b for _, b in pairs) / len(pairs))
    return found


def subset(questions: Sequence[EvalQuestion], count: int) -> list[EvalQuestion]:
    """Return up to ``count`` questions that are always the same: of every type in turn, by the hash of their ids."""
    groups: dict[str, list[EvalQuestion]] = {}
    for question in sorted(questions, key=lambda q: sha256_hex(q.id)):
        groups.setdefault(question.type, []).append(question)
    turns = sorted(
        (turn, kind, question.id, question) for kind, some in groups.items() for turn, question in enumerate(some)
    )
    chosen = {id for _, _, id, _ in turns[:count]}
    return [q for q in questions if q.id in chosen]
