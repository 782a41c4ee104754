"""``withgrain eval QUESTIONS``: ask one collection or several, and say which one is better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain.cli import options
from withgrain.cli.evaluate import given, showing
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.search import Mode
from withgrain.cli.talk import Talk, one_line
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.evaluate import Study

EPILOG = options.examples(
    "withgrain eval questions.jsonl -c kb",
    "withgrain eval questions.jsonl -c a -c b --report report.html",
    "withgrain eval questions.jsonl --docs docs/ --policy token_only --policy structure_aware",
    "withgrain eval questions.csv -c kb --json | jq .collections.kb.metrics",
)


def run(
    ctx: typer.Context,
    questions: given.Questions,
    collection: given.Collections = None,
    policy: given.Policies = None,
    docs: given.Docs = None,
    mode: Annotated[Mode, typer.Option("--mode", "-m", help="Which channels answer.")] = Mode.hybrid,
    where: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", metavar="EXPRESSION", help="Only chunks that match; repeatable (all must)."),
    ] = None,
    max_tokens: options.MaxTokens = None,
    embedder: options.Embedder = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    scratch: given.ScratchPlace = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write a report for people: one HTML file.")
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="With --json: every metric of every question.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Ask questions with known answers, measure what is found, and say which collection or policy is better.

    The first collection is the baseline. With --policy and --docs, collections are made for the comparison and thrown
    away. Lines and questions that cannot be used are reported, and the others are asked (exit 4).
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = given.Chosen(
        collections=tuple(collection or ()),
        policies=tuple(policy or ()),
        docs=tuple(docs or ()),
        settings=options.settings(max_tokens=max_tokens, embedder=embedder, include=include, exclude=exclude),
        vectors=mode is not Mode.lexical,
        scratch=scratch,
    )
    if report is not None and not report.parent.is_dir():
        raise UsageError(f"--report: there is no folder {report.parent}.")
    found = asked(talk, questions, chosen, mode, where or ())
    if report is not None:
        _write_report(report, found, questions)
        talk.note(f"report  {report}")
    if as_json:
        from withgrain.evaluate import shapes

        write_json(shapes.study(found, details=details))
    else:
        showing.study(Screen(), found)
    for problem in found.problems:
        talk.error(one_line(f"left out: {problem}"))
    raise typer.Exit(4 if found.problems else 0)


COMMAND = run


def asked(talk: Talk, questions: Sequence[Path], chosen: given.Chosen, mode: Mode, where: Sequence[str]) -> Study:
    """Return the study that the options describe."""
    from withgrain.evaluate import study
    from withgrain.search import parse_filter

    file = given.question_file(questions)
    with _progress(talk) as progress, given.subjects(chosen, talk, progress) as (subjects, problems):
        return study(
            subjects,
            file.questions,
            mode=mode.value,
            where=parse_filter(list(where)) if where else None,
            problems=(*file.problems, *problems),
            progress=progress,
        )


@contextmanager
def _progress(talk: Talk) -> Iterator[given.MaybeProgress]:
    with talk.progress() as progress:
        yield progress


def _write_report(path: Path, found: Study, questions: Sequence[Path]) -> None:
    from withgrain.evaluate.report import page

    text = page(found, title=", ".join(q.name for q in questions))
    path.write_text(text, encoding="utf-8", errors="replace")
