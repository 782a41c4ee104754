"""The JSON shape of a study. Keys may be added in later versions; none is renamed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withgrain.evaluate.bootstrap import Estimate
from withgrain.evaluate.compare import Comparison
from withgrain.evaluate.metrics import BUDGETS
from withgrain.evaluate.questions import Problem
from withgrain.evaluate.study import Cost, Outcome, Study

SCHEMA = 1
_DIGITS = 6


def study(value: Study, *, details: bool = False) -> dict[str, Any]:
    """Return a study; with ``details`` also every metric of every question."""
    shape: dict[str, Any] = {
        "schema": SCHEMA,
        "questions": value.asked,
        "collections": {o.name: outcome(o, details=details) for o in value.outcomes},
        "comparisons": [comparison(c) for c in value.comparisons],
        "verdicts": [str(c) for c in value.verdicts],
        "problems": [problem(p) for p in value.problems],
    }
    return shape


def outcome(value: Outcome, *, details: bool = False) -> dict[str, Any]:
    """Return one collection: means, intervals and numbers of questions, overall and by type."""
    overall, types = value.evaluation.overall(), value.evaluation.by_type()
    shape: dict[str, Any] = {
        "policy": value.policy,
        "mode": value.evaluation.mode,
        "questions": len(value.evaluation.answers),
        "metrics": means(overall),
        "intervals": intervals(overall),
        "counts": {name: e.count for name, e in overall.items()},
        "by_type": {kind: means(found) for kind, found in types.items()},
        "by_type_intervals": {kind: intervals(found) for kind, found in types.items()},
        "by_type_questions": {kind: max(e.count for e in found.values()) for kind, found in types.items()},
        "recall_by_budget": {
            str(budget): round(e.mean, _DIGITS) for budget, e in zip(BUDGETS, value.evaluation.curve(), strict=True)
        },
        "cost": cost(value.cost),
        "contract": value.contract,
    }
    if details:
        shape["answers"] = {
            a.question.id: {name: round(v, _DIGITS) for name, v in a.metrics.items()} for a in value.evaluation.answers
        }
    return shape


def means(values: Mapping[str, Estimate]) -> dict[str, float]:
    """Return the means by metric."""
    return {name: round(e.mean, _DIGITS) for name, e in values.items()}


def intervals(values: Mapping[str, Estimate]) -> dict[str, list[float]]:
    """Return the 95 % intervals by metric."""
    return {name: [round(e.low, _DIGITS), round(e.high, _DIGITS)] for name, e in values.items()}


def cost(value: Cost) -> dict[str, Any]:
    """Return what a collection costs."""
    return {
        "ms_p50": round(value.ms_p50, 3),
        "ms_p95": round(value.ms_p95, 3),
        "documents": value.documents,
        "chunks": value.chunks,
        "vectors": value.vectors,
        "tokens": value.tokens,
        "index_bytes": value.index_bytes,
        "text_bytes": value.text_bytes,
        "index_growth": round(value.growth, 3) if value.growth is not None else None,
    }


def comparison(value: Comparison) -> dict[str, Any]:
    """Return a comparison of two collections on one metric."""
    return {
        "baseline": value.baseline,
        "candidate": value.candidate,
        "metric": value.metric,
        "values": [round(v, _DIGITS) for v in value.values],
        "difference": round(value.difference.mean, _DIGITS),
        "interval": [round(value.difference.low, _DIGITS), round(value.difference.high, _DIGITS)],
        "p": round(value.p, _DIGITS),
        "p_holm": round(value.p_holm, _DIGITS),
        "questions": value.questions,
        "better": value.better,
        "worse": value.worse,
        "equal": value.equal,
        "detectable": round(value.detectable, _DIGITS) if value.detectable is not None else None,
        "more_questions": value.more_questions,
        "verdict": value.verdict,
        "sentence": str(value),
    }


def problem(value: Problem) -> dict[str, Any]:
    """Return why a line or question was left out."""
    return {"file": value.file, "line": value.line, "question": value.question, "message": value.message}
