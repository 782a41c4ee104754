"""The page: verdict, figures, plots, and the questions that changed."""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.evaluate.bootstrap import Estimate
from withgrain.evaluate.compare import Comparison
from withgrain.evaluate.metrics import AT_EQUAL_BUDGET, AT_EQUAL_K, BUDGETS, METRICS, Metric
from withgrain.evaluate.report import changed
from withgrain.evaluate.report.plots import Bar, bars, lines
from withgrain.evaluate.report.style import style
from withgrain.evaluate.report.text import escape, gap, milliseconds, probability, share, size
from withgrain.evaluate.study import Outcome, Study

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(study: Study, *, title: str) -> str:
    """Return a study as a complete HTML document.

    Args:
        study: The study.
        title: What was asked: the names of the question files.
    """
    parts = [
        _head(study, title),
        _verdicts(study),
        _legend(study.outcomes),
        _plots(study),
        _metrics(study),
        _types(study),
        _costs(study.outcomes),
        *_changes(study),
        _problems(study),
        _reading(),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Evaluation: {escape(title)}</title><style>{style()}</style></head><body><main>"
        + "\n".join(part for part in parts if part)
        + "</main></body></html>\n"
    )


def _head(study: Study, title: str) -> str:
    first, *others = study.outcomes
    names = ", ".join(f"<b>{escape(o.name)}</b>" for o in others)
    names = f"{names} against <b>{escape(first.name)}</b>" if others else f"<b>{escape(first.name)}</b>"
    documents = study.outcomes[0].cost.documents
    return (
        f"<h1>Retrieval evaluation: {escape(title)}</h1>"
        f'<p class="soft">{names} · {study.asked:,} questions · {documents:,} documents</p>'
    )


def _verdicts(study: Study) -> str:
    cards = [_card(study, o) for o in study.outcomes[1:]]
    if not cards:
        overall = study.outcomes[0].evaluation.overall()
        told = (
            f"{study.outcomes[0].name} finds {overall[AT_EQUAL_BUDGET].mean:.0%} of the evidence within 8,000 "
            f"characters, and {overall[AT_EQUAL_K].mean:.0%} in five hits. Give a second collection (-c) to compare."
        )
        big = f"{AT_EQUAL_BUDGET} {share(overall[AT_EQUAL_BUDGET].mean)}"
        cards = [f'<div class="verdict"><div class="big">{big}</div><p>{escape(told)}</p></div>']
    return f'<div class="verdicts">{"".join(cards)}</div>'


def _card(study: Study, candidate: Outcome) -> str:
    found = [c for c in study.verdicts if c.candidate == candidate.name]
    if not found:
        return f'<div class="verdict"><p>{escape(candidate.name)} was asked none of the same questions.</p></div>'
    first = found[0]
    kind = {"better": "better", "worse": "worse"}.get(first.verdict, "same")
    big = {
        "better": f"{first.candidate} is better than {first.baseline}",
        "worse": f"{first.candidate} is worse than {first.baseline}",
    }.get(first.verdict, f"{first.candidate} and {first.baseline}: no difference that can be shown")
    sentences = "".join(f"<p><b>{_equal(c)}</b> {escape(str(c))}</p>" for c in found)
    return f'<div class="verdict {kind}"><div class="big">{escape(big)}</div>{sentences}</div>'


def _equal(comparison: Comparison) -> str:
    return "At equal budget." if comparison.metric == AT_EQUAL_BUDGET else "At equal k."


def _legend(outcomes: Sequence[Outcome]) -> str:
    chips = "".join(
        f'<span><span class="chip c{n}"></span>{escape(o.name)} <span class="soft">{escape(_about(o))}</span></span>'
        for n, o in enumerate(outcomes)
    )
    return f'<h2>At a glance</h2><div class="legend">{chips}</div>'


def _about(outcome: Outcome) -> str:
    asked = {"lexical": "words", "dense": "vectors", "hybrid": "words and vectors"}
    policy = f"{outcome.policy}, " if outcome.policy != outcome.name else ""
    return f"({policy}{asked.get(outcome.evaluation.mode, outcome.evaluation.mode)})"


def _plots(study: Study) -> str:
    outcomes = study.outcomes
    kinds = [o.evaluation.by_type() for o in outcomes]
    names = sorted({name for found in kinds for name in found})
    by_type = [(name, [_bar(found.get(name, {}).get(AT_EQUAL_BUDGET)) for found in kinds]) for name in names]
    curves = [[e.mean for e in o.evaluation.curve()] for o in outcomes]
    plots = [
        _plot(
            "Recall by type of question",
            "Share of the evidence within 8,000 characters, with 95 % intervals",
            bars(by_type, label="Recall by type of question", show=share, maximum=1.0),
        ),
        _plot(
            "Recall against budget",
            "Share of the evidence in so many characters of context",
            lines(BUDGETS, curves, label="Recall against budget", show=lambda b: f"{b / 1000:g}k"),
        ),
        _plot(
            "Time of a search",
            "Median and 95th percentile on the machine that ran this",
            bars(
                [
                    ("p50", [Bar(value=o.cost.ms_p50) for o in outcomes]),
                    ("p95", [Bar(value=o.cost.ms_p95) for o in outcomes]),
                ],
                label="Time of a search",
                show=milliseconds,
            ),
        ),
    ]
    weights = [o.cost.index_bytes for o in outcomes]
    if any(weights):
        plots.append(
            _plot(
                "Size of the index",
                f"On disk, all included; the documents' text is {size(outcomes[0].cost.text_bytes)}",
                bars([("index", [Bar(value=w) if w else None for w in weights])], label="Size of the index", show=size),
            )
        )
    return f'<div class="plots">{"".join(plots)}</div>'


def _bar(value: Estimate | None) -> Bar | None:
    return Bar(value=value.mean, low=value.low, high=value.high) if value else None


def _plot(title: str, note: str, svg: str) -> str:
    return f'<div class="plot"><h3>{escape(title)}</h3><p class="note">{escape(note)}</p>{svg}</div>'


def _metrics(study: Study) -> str:
    overall = [o.evaluation.overall() for o in study.outcomes]
    rows = [_metric(study, m, [e.get(m.name) for e in overall]) for m in METRICS if any(m.name in e for e in overall)]
    compared = len(study.outcomes) == 2
    head = "".join(f"<th>{escape(o.name)}</th>" for o in study.outcomes)
    more = "<th>difference</th><th>p</th><th>better / worse</th>" if compared else ""
    return (
        "<h2>All metrics</h2>"
        f'<div class="scroll"><table><tr><th>metric</th>{head}{more}</tr>{"".join(rows)}</table></div>'
    )


def _metric(study: Study, metric: Metric, values: Sequence[Estimate | None]) -> str:
    means = [v.mean for v in values if v]
    best = (max(means) if metric.higher else min(means)) if len(set(means)) > 1 else None
    cells = "".join(_figure(v, best) for v in values)
    more = ""
    if len(study.outcomes) == 2:
        comparison = study.comparison(study.outcomes[1].name, metric.name)
        more = _difference(comparison) if comparison else "<td></td><td></td><td></td>"
    main = ' class="main"' if metric.name in (AT_EQUAL_BUDGET, AT_EQUAL_K) else ""
    lower = "" if metric.higher else " (less is better)"
    name = f'<td><b>{metric.name}</b><span class="what">{escape(metric.meaning)}{lower}</span></td>'
    return f"<tr{main}>{name}{cells}{more}</tr>"


def _figure(value: Estimate | None, best: float | None) -> str:
    if value is None:
        return '<td class="n">–</td>'
    kind = "n best" if value.mean == best else "n"
    return f'<td class="{kind}">{share(value.mean)}<small>{share(value.low)}–{share(value.high)}</small></td>'


def _difference(found: Comparison) -> str:
    tone = {"better": "good", "worse": "bad"}.get(found.verdict, "")
    low, high = gap(found.difference.low), gap(found.difference.high)
    return (
        f'<td class="n"><span class="{tone}">{gap(found.difference.mean)}</span><small>{low} to {high}</small></td>'
        f'<td class="n">{probability(found.p_holm)}</td><td class="n">{found.better} / {found.worse}</td>'
    )


def _types(study: Study) -> str:
    kinds = [o.evaluation.by_type() for o in study.outcomes]
    names = sorted({name for found in kinds for name in found})
    if len(names) < 2:
        return ""
    head = "".join(f"<th>{escape(o.name)}, {m}</th>" for m in (AT_EQUAL_BUDGET, AT_EQUAL_K) for o in study.outcomes)
    rows = []
    for name in names:
        cells = []
        for metric in (AT_EQUAL_BUDGET, AT_EQUAL_K):
            values = [found.get(name, {}).get(metric) for found in kinds]
            means = [v.mean for v in values if v]
            best = max(means) if len(set(means)) > 1 else None
            cells += [_figure(v, best) for v in values]
        count = max(f[name][AT_EQUAL_BUDGET].count for f in kinds if name in f)
        rows.append(f'<tr><td><b>{escape(name)}</b> <span class="soft">{count}</span></td>{"".join(cells)}</tr>')
    return (
        "<h2>By type of question: equal budget and equal k</h2>"
        f'<div class="scroll"><table><tr><th>type, questions</th>{head}</tr>{"".join(rows)}</table></div>'
    )


def _costs(outcomes: Sequence[Outcome]) -> str:
    rows = "".join(
        f'<tr><td><span class="chip c{n}"></span><b>{escape(o.name)}</b></td><td class="n">{o.cost.chunks:,}</td>'
        f'<td class="n">{o.cost.vectors:,}</td><td class="n">{o.cost.tokens:,}</td>'
        f'<td class="n">{size(o.cost.index_bytes) if o.cost.index_bytes is not None else "–"}</td>'
        f'<td class="n">{f"{o.cost.growth:.1f} ×" if o.cost.growth is not None else "–"}</td>'
        f'<td class="n">{milliseconds(o.cost.ms_p50)} / {milliseconds(o.cost.ms_p95)}</td></tr>'
        for n, o in enumerate(outcomes)
    )
    head = "".join(
        f"<th>{name}</th>"
        for name in ("collection", "chunks", "vectors", "tokens", "index", "index / text", "search p50 / p95")
    )
    return f'<h2>Cost</h2><div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'


def _changes(study: Study) -> list[str]:
    first, *others = study.outcomes
    return [
        f"<h2>Questions that changed: {escape(first.name)} → {escape(o.name)}</h2>{changed.section(first, o)}"
        for o in others
    ]


def _problems(study: Study) -> str:
    if not study.problems:
        return ""
    items = "".join(f"<li>{escape(str(p))}</li>" for p in study.problems[:50])
    rest = len(study.problems) - 50
    more = f"<li>and {rest:,} more</li>" if rest > 0 else ""
    return (
        f"<h2>Left out</h2><p>{len(study.problems):,} lines or questions could not be used.</p><ul>{items}{more}</ul>"
    )


def _reading() -> str:
    return (
        '<h2>How to read this</h2><p class="note">Intervals are 95 % bootstrap intervals over the questions. p is that '
        "of a paired randomisation test, after Holm's correction when several collections are compared. Equal budget "
        "compares what stands in the same number of characters, whatever the size of a chunk; equal k compares the "
        "same number of hits, which favours large chunks. Questions about one document are not independent, so "
        "intervals are narrower than they would be on other documents.</p>"
    )
