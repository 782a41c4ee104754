"""A study as text for a person: verdict first, then the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from withgrain.cli.screen import Screen

if TYPE_CHECKING:
    from withgrain.evaluate import Estimate, Outcome, Study


def study(screen: Screen, found: Study) -> None:
    """Write a study."""
    from withgrain.evaluate import METRICS

    outcomes = found.outcomes
    for outcome in outcomes:
        screen.line(
            f"{outcome.name}: policy {outcome.policy}, {len(outcome.evaluation.answers):,} questions, "
            f"{outcome.evaluation.mode}",
            style="bold",
        )
    screen.line()
    for comparison in found.verdicts:
        screen.line(str(comparison), style="bold")
    if found.verdicts:
        screen.line()
    overall = [o.evaluation.overall() for o in outcomes]
    rows = [(m.name, *(_cell(e.get(m.name)) for e in overall)) for m in METRICS if any(m.name in e for e in overall)]
    screen.table(("metric", *(o.name for o in outcomes)), rows)
    screen.line()
    screen.table(("R@8k, recall@5 by type", *(o.name for o in outcomes)), _types(outcomes))
    screen.line()
    screen.table(("cost", *(o.name for o in outcomes)), _costs(outcomes))


def _cell(value: Estimate | None) -> str:
    return "-" if value is None else str(value)


def _types(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    types = [o.evaluation.by_type() for o in outcomes]
    rows = []
    for name in sorted({kind for found in types for kind in found}):
        count = max(found[name]["R@8k"].count for found in types if name in found)
        cells = (f"{f[name]['R@8k'].mean:.3f}, {f[name]['recall@5'].mean:.3f}" if name in f else "-" for f in types)
        rows.append((f"{name} ({count})", *cells))
    return rows


def _costs(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    costs = [o.cost for o in outcomes]
    return [
        ("ms a search, p50 / p95", *(f"{c.ms_p50:.0f} / {c.ms_p95:.0f}" for c in costs)),
        ("chunks", *(f"{c.chunks:,}" for c in costs)),
        ("vectors", *(f"{c.vectors:,}" for c in costs)),
        ("tokens", *(f"{c.tokens:,}" for c in costs)),
        ("index", *(megabytes(c.index_bytes) for c in costs)),
        ("index / text", *(f"{c.growth:.1f}" if c.growth is not None else "-" for c in costs)),
    ]


def megabytes(size: int | None) -> str:
    """Return ``1.2 MB``."""
    return "-" if size is None else f"{size / 1e6:.1f} MB"
