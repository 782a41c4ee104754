"""The figures of docs/results/evaluation.md, between two marks; what stands around them is written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.grid.cells import Cell, DataSet, Kept
from benchmarks.grid.contestants import REFERENCE, Contestant, clauses, in_vectors, peers, policies, variants
from benchmarks.grid.defaults import choose, difference
from withgrain.evaluate import METRICS, Comparison, Estimate, compare, holm
from withgrain.evaluate.compare import paired

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
SUBJECT = REFERENCE
#: Sets that defaults are chosen on.
CHOSEN_ON = ("techops", "tatqa", "chroma", "cuad")
#: The set whose documents are contracts: sizes of clauses matter there alone.
CLAUSES_IN = ("cuad",)
#: What sizes of clauses are chosen by: equal budget, equal budget and equal k, equal k.
CRITERIA = (("R@8k",), ("R@8k", "recall@5"), ("R@8k", "ndcg@10"), ("recall@5",))
SHOWN = ("R@8k", "packed@2k", "recall@5", "mrr", "citation_precision", "orphaned_values")
Grid = Mapping[str, Mapping[str, Cell]]


def write(path: Path, kept: Kept, sets: Sequence[DataSet]) -> None:
    """Write the figures into the page, which is made where there is none."""
    text = path.read_text(encoding="utf-8") if path.is_file() else f"# Evaluation\n\n{BEGIN}\n{END}\n"
    figures = "\n".join(_figures(kept, sets)).strip()
    made = re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n\n{figures}\n\n{END}", text, flags=re.DOTALL)
    path.write_text(made, encoding="utf-8")


def _figures(kept: Kept, sets: Sequence[DataSet]) -> Iterator[str]:
    theirs, _ = peers()
    lexical = grid(kept, sets, [*policies(), *theirs], "lexical")
    codes = sorted({c.facts["code"] for cells in lexical.values() for c in cells.values()})
    yield f"Code {', '.join(codes)}."
    if SUBJECT in lexical:
        for metric in SHOWN:
            yield from ("", f"### By words only: {metric}", "", *table(lexical, sets, metric))
        yield from ("", "### By words only: every comparison", "", *sentences(lexical, sets))
        yield from ("", "### By words only: types of questions", "", *types(lexical, sets))
    hybrid = grid(kept, sets, [*policies(), *theirs], "hybrid")
    if SUBJECT in hybrid:
        for metric in SHOWN:
            yield from ("", f"### By words and vectors: {metric}", "", *table(hybrid, sets, metric))
        yield from ("", "### By words and vectors: every comparison", "", *sentences(hybrid, sets))
    yield from defaults(grid(kept, sets, variants(), "lexical"), "by words only")
    yield from defaults(grid(kept, sets, [*variants(), *in_vectors()], "hybrid"), "by words and vectors")
    for kind, how in (("lexical", "by words only"), ("hybrid", "by words and vectors")):
        yield from clause_sizes(grid(kept, sets, clauses(), kind), how)


def grid(kept: Kept, sets: Sequence[DataSet], contestants: Sequence[Contestant], kind: str) -> Grid:
    """Return the cells that are there, by contestant and set."""
    found: dict[str, dict[str, Cell]] = {}
    for contestant in contestants:
        for data_set in sets:
            cell = kept.get(data_set.name, contestant, kind)
            if cell is not None:
                found.setdefault(contestant.name, {})[data_set.name] = cell
    return found


def comparisons(cells: Grid, data_set: str, metric: str) -> dict[str, Comparison]:
    """Compare the subject with every other contestant on one set, corrected for their number."""
    higher = {m.name: m.higher for m in METRICS}[metric]
    if data_set not in cells[SUBJECT]:
        return {}
    own = cells[SUBJECT][data_set].values(metric)
    found = []
    for name, some in cells.items():
        if name != SUBJECT and data_set in some:
            pairs = paired(some[data_set].values(metric), own)
            if pairs:
                found.append(compare(name, SUBJECT, metric, pairs, higher_is_better=higher))
    return {c.baseline: c for c in holm(found, higher)}


def table(cells: Grid, sets: Sequence[DataSet], metric: str) -> Iterator[str]:
    """Yield means by contestant and set; marks say how the subject compares with each."""
    names = [s.name for s in sets if s.name in cells[SUBJECT]]
    judged = {s: comparisons(cells, s, metric) for s in names}
    heads = [f"{s} ({len(cells[SUBJECT][s].values(metric))})" for s in names]
    yield f"| | {' | '.join(heads)} |"
    yield "|---|" + "---|" * len(names)
    marks = {"better": " ▲", "worse": " ▼", "no difference": ""}
    for name, some in cells.items():
        row = []
        for s in names:
            values = some[s].values(metric) if s in some else {}
            mark = marks[judged[s][name].verdict] if name in judged[s] else ""
            row.append(f"{_short(sum(values.values()) / len(values))}{mark}" if values else "")
        bold = "**" if name == SUBJECT else ""
        yield f"| {bold}{name}{bold} | {' | '.join(row)} |"


def sentences(cells: Grid, sets: Sequence[DataSet]) -> Iterator[str]:
    """Yield every comparison at equal budget in words and numbers: losses first."""
    yield "| set | against | R@8k | difference | p | detectable | verdict |"
    yield "|---|---|---|---|---|---|---|"
    every = [(s.name, c) for s in sets for c in comparisons(cells, s.name, "R@8k").values()]
    order = {"worse": 0, "no difference": 1, "better": 2}
    for name, c in sorted(every, key=lambda e: (order[e[1].verdict], e[1].difference.mean)):
        gap = c.difference
        least = _short(c.detectable) if c.detectable is not None else ""
        interval = f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"
        yield (
            f"| {name} | {c.baseline} | {_short(c.values[1])} : {_short(c.values[0])} | {interval} | "
            f"{c.p_holm:.3f} | {least} | {c.verdict} |"
        )


def types(cells: Grid, sets: Sequence[DataSet]) -> Iterator[str]:
    """Yield R@8k by type of question, over all sets together."""
    kinds: dict[str, dict[str, list[float]]] = {}
    names = [s.name for s in sets if s.name in cells[SUBJECT]]
    for name, some in cells.items():
        if not all(s in some for s in names):
            continue
        for s in names:
            for question, value in some[s].values("R@8k").items():
                kinds.setdefault(some[s].types[question], {}).setdefault(name, []).append(value)
    order = sorted(kinds)
    yield f"| | {' | '.join(f'{k} ({len(next(iter(kinds[k].values())))})' for k in order)} |"
    yield "|---|" + "---|" * len(order)
    for name in cells:
        if all(name in kinds[k] for k in order):
            row = (_short(sum(kinds[k][name]) / len(kinds[k][name])) for k in order)
            yield f"| {name} | {' | '.join(row)} |"


def defaults(cells: Grid, how: str) -> Iterator[str]:
    """Yield the nested cross-validation over the candidates that were measured on all sets."""
    found = {n: {s: some[s] for s in CHOSEN_ON} for n, some in cells.items() if set(CHOSEN_ON) <= some.keys()}
    if REFERENCE in found and len(found) > 1:
        yield from ("", f"### Which defaults, {how}", "")
        yield from _cross_validation(found)


def clause_sizes(cells: Grid, how: str) -> Iterator[str]:
    """Yield the sizes for contracts: means, what other sizes change, and what each criterion chooses."""
    names = [c.name for c in clauses() if c.name in cells]
    if len(names) < 2 or names[0] != clauses()[0].name:
        return
    metrics = ("R@8k", "recall@5", "ndcg@10", "mrr")
    found = {n: {s: cells[n][s] for s in CLAUSES_IN} for n in names}
    yield from (
        "",
        f"### Sizes of clauses, {how}",
        "",
        f"| cuad | {' | '.join(metrics)} |",
        "|---|" + "---|" * len(metrics),
    )
    for name in names:
        row = []
        for metric in metrics:
            (base, own) = (found[n][CLAUSES_IN[0]].values(metric) for n in (names[0], name))
            c = compare(names[0], name, metric, paired(base, own))
            change = "" if name == names[0] else f" ({c.difference.mean:+.3f}, p {c.p:.3f})"
            row.append(f"{_short(c.values[1])}{change}")
        yield f"| {name} | {' | '.join(row)} |"
    yield from ("", "| chosen by | on each fold | gain on the others |", "|---|---|---|")
    for criterion in CRITERIA:
        choice = choose(found, names[0], criterion)
        chosen = ", ".join(f.chosen.removeprefix("clauses ").split(",")[0] for f in choice.folds)
        yield f"| {' and '.join(criterion)} | {chosen} | {_told(choice.gain)} |"


def _cross_validation(found: Grid) -> Iterator[str]:
    choice = choose(found, REFERENCE)
    sets = sorted(found[REFERENCE])
    yield f"| candidate | mean R@8k | against {REFERENCE} | {' | '.join(sets)} | mean recall@5 |"
    yield "|---|---|---|" + "---|" * (len(sets) + 1)
    for name, mean in sorted(choice.means.items(), key=lambda pair: -pair[1]):
        gap = "" if name == REFERENCE else _told(difference(found, name, REFERENCE))
        row = [_short(_average(found[name][s].values("R@8k"))) for s in sets]
        five = sum(_average(found[name][s].values("recall@5")) for s in sets) / len(sets)
        yield f"| {name} | {_short(mean)} | {gap} | {' | '.join(row)} | {_short(five)} |"
    yield from ("", f"| fold | chosen on the others | there | here | {REFERENCE} here |", "|---|---|---|---|---|")
    for fold in choice.folds:
        figures = (_short(fold.inner), _short(fold.outer), _short(fold.default))
        yield f"| {fold.number + 1} | {fold.chosen} | {' | '.join(figures)} |"
    yield ""
    yield f"Choosing gains {_told(choice.gain)} on questions that nothing was chosen on."


def _told(gap: Estimate) -> str:
    return f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def _average(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)


def _short(value: float) -> str:
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text
