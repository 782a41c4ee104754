"""``withgrain eval gate``: fail a build when retrieval got worse than it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain.cli import options
from withgrain.cli.evaluate import given
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.search import Mode
from withgrain.cli.talk import Talk, one_line
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.evaluate import EvalQuestion, Outcome, Problem
    from withgrain.evaluate.baseline import Baseline, Pinned
    from withgrain.evaluate.gate import Judgement

EPILOG = options.examples(
    "withgrain eval gate baseline.json --pin --questions questions.jsonl --docs docs/ --mode lexical",
    "withgrain eval gate baseline.json --junit gate.xml --markdown gate.md",
    'withgrain eval gate baseline.json --pin --lower "the FAQ was removed"',
)


def gate(
    ctx: typer.Context,
    baseline: Annotated[Path, typer.Argument(metavar="BASELINE", help="The pinned state, a JSON file.")],
    pin: Annotated[bool, typer.Option("--pin", help="Measure, and write the baseline.")] = False,
    lower: Annotated[
        str | None, typer.Option("--lower", metavar="REASON", help="With --pin: lower floors, and say why.")
    ] = None,
    questions: Annotated[
        list[Path] | None, typer.Option("--questions", metavar="FILE", help="With --pin: question file; repeatable.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, metavar="N", help="With --pin: pin so many of the questions.")
    ] = None,
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", metavar="DIR", help="With --pin: a stored collection.")
    ] = None,
    docs: given.Docs = None,
    policy: options.PolicyName = None,
    mode: Annotated[Mode | None, typer.Option("--mode", "-m", help="With --pin: which channels answer.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit report.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write a summary.")] = None,
    scratch: given.ScratchPlace = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Fail (exit 1) when retrieval is worse than a pinned baseline beyond noise, or below a pinned floor.

    The baseline names questions and documents, and holds the hash of each document and the answers to each question.
    Documents or questions that changed since are reported (exit 4). A floor is never lowered without a reason.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    known = _known(baseline, pin)
    wanted = _wanted(baseline.parent, known, questions, collection, docs, policy, mode)
    with _measured(talk, baseline.parent, wanted, known, sample, scratch) as (outcome, corpus, problems):
        if pin:
            _pin(baseline, wanted, known, outcome, corpus, lower)
            talk.note(f"pinned {plural(len(outcome.evaluation.answers), 'question')} in {baseline}")
            for problem in problems:
                talk.error(one_line(f"left out: {problem}"))
            raise typer.Exit(4 if problems else 0)
        from withgrain.evaluate import gate_reports
        from withgrain.evaluate.gate import judge

        assert known is not None
        found = judge(known, outcome, corpus, problems)
    if junit:
        junit.write_text(gate_reports.to_junit(found), encoding="utf-8")
    if markdown:
        markdown.write_text(gate_reports.to_markdown(found), encoding="utf-8")
    if as_json:
        write_json(gate_reports.to_json(found))
    else:
        _show(Screen(), found)
    for note in (*found.changes, *map(str, found.problems)):
        talk.error(one_line(f"since the baseline: {note}"))
    raise typer.Exit(found.exit_code)


COMMAND = gate


def _known(path: Path, pin: bool) -> Baseline | None:
    from withgrain.evaluate.baseline import read_baseline

    return None if pin and not path.exists() else read_baseline(path)


def _wanted(
    folder: Path,
    known: Baseline | None,
    questions: Sequence[Path] | None,
    collection: str | None,
    docs: Sequence[Path] | None,
    policy: str | None,
    mode: Mode | None,
) -> Pinned:
    """Return what is asked: as pinned, with what the options say instead."""
    from withgrain.evaluate.baseline import Pinned, relative

    if known is None and not questions:
        raise UsageError("--pin needs --questions FILE the first time.")
    if collection and docs:
        raise UsageError("Give either --collection or --docs.")
    wanted = known.pinned if known else Pinned(questions=())
    if questions:
        wanted = replace(wanted, questions=tuple(relative(q, folder) for q in questions))
    if collection:
        wanted = replace(wanted, collection=relative(Path(collection), folder), documents=(), policy="")
    if docs:
        wanted = replace(wanted, collection="", documents=tuple(relative(d, folder) for d in docs))
    if wanted.documents and (policy or not wanted.policy):
        wanted = replace(wanted, policy=policy or options.settings().policy)
    if not wanted.documents and not wanted.collection:
        wanted = replace(wanted, collection=relative(Path(options.settings().collection), folder))
    return replace(wanted, mode=mode.value) if mode else wanted


@contextmanager
def _measured(
    talk: Talk, folder: Path, wanted: Pinned, known: Baseline | None, sample: int | None, scratch: Path | None
) -> Iterator[tuple[Outcome, dict[str, str], tuple[Problem, ...]]]:
    """Yield the outcome, the documents with their hashes, and what was left out."""
    from withgrain.evaluate import study
    from withgrain.evaluate.baseline import corpus_of
    from withgrain.evaluate.gate import subset

    file = given.question_file([folder / name for name in wanted.questions])
    asked: Sequence[EvalQuestion] = file.questions
    if sample:
        asked = subset(asked, sample)
    elif known is not None and any(q.id in known.asked for q in asked):
        asked = [q for q in asked if q.id in known.asked]
    chosen = given.Chosen(
        collections=(str(folder / wanted.collection),) if wanted.collection else (),
        policies=(wanted.policy,) if wanted.documents else (),
        docs=tuple(folder / name for name in wanted.documents),
        settings=options.settings(),
        vectors=wanted.mode != "lexical",
        scratch=scratch,
    )
    with talk.progress() as progress, given.subjects(chosen, talk, progress) as (subjects, failed):
        found = study(
            subjects,
            asked,
            mode=Mode(wanted.mode).value,
            problems=(*file.problems, *failed),
            progress=progress,
        )
        yield found.outcomes[0], corpus_of(subjects[0].snapshot), found.problems


def _pin(
    path: Path,
    wanted: Pinned,
    known: Baseline | None,
    outcome: Outcome,
    corpus: dict[str, str],
    lower: str | None,
) -> None:
    from withgrain.evaluate.baseline import baseline, write_baseline
    from withgrain.evaluate.gate import GATED, lowered

    made = baseline(wanted, corpus, outcome, GATED, known.history if known else ())
    less = lowered(known, made) if known else {}
    if less and not lower:
        told = ", ".join(f"{metric} from {before:.3f} to {after:.3f}" for metric, (before, after) in less.items())
        raise _Lowers(
            f"Pinning anew would lower {told}. Nothing was written. If that is meant, say why: --lower REASON."
        )
    if less:
        entry = {"reason": lower, "lowered": {m: [round(a, 3), round(b, 3)] for m, (a, b) in less.items()}}
        made = replace(made, history=(*made.history, entry))
    write_baseline(path, made)


class _Lowers(UsageError):
    """Pinning would lower a floor: a failed gate, not a mistake in the options."""

    exit_code = 1
    kind = "lowers_floor"


def _show(screen: Screen, found: Judgement) -> None:
    rows = []
    for check in found.checks:
        before, now = check.comparison.values
        state = check.reason or "ok"
        gap = f"{check.comparison.difference.mean:+.3f}"
        rows.append((check.metric, f"{before:.3f}", f"{now:.3f}", gap, f"{check.floor:.3f}", state))
    screen.table(("metric", "pinned", "now", "difference", "floor", ""), rows)
    for question, before, after in found.lost:
        screen.line(f"  lost  {question}: R@8k {before:.2f} → {after:.2f}")
    screen.line("gate open" if found.passed else "gate closed", style="bold green" if found.passed else "bold red")
