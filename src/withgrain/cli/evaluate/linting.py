"""``withgrain eval lint``: check question files before anything is asked."""

from __future__ import annotations

from pathlib import Path

import typer

from withgrain.cli import options
from withgrain.cli.evaluate import given
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.talk import Talk

EPILOG = options.examples("withgrain eval lint questions.jsonl", "withgrain eval lint questions.jsonl -c kb")


def lint(
    ctx: typer.Context,
    questions: given.Questions,
    collection: options.Collection = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Check question files: form, ids, drafts; with -c also that documents and evidence are in the collection.

    Exit code 1 when a line or question could not be used; warnings leave it at 0.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    from withgrain.evaluate import lint as checks
    from withgrain.evaluate import read_questions, shapes
    from withgrain.evaluate.subjects import stored

    file = read_questions(*questions)
    snapshot = stored(Path(collection), collection, vectors=False).snapshot if collection else None
    found = checks.lint(file, snapshot)
    if as_json:
        write_json(
            {
                "schema": shapes.SCHEMA,
                "questions": found.questions,
                "errors": [shapes.problem(p) for p in found.errors],
                "warnings": [shapes.problem(p) for p in found.warnings],
            }
        )
    else:
        screen = Screen()
        for problem in found.errors:
            screen.line(f"error    {problem}", style="red")
        for problem in found.warnings:
            screen.line(f"warning  {problem}", style="yellow")
        screen.line(
            f"{plural(found.questions, 'question')} can be asked, {plural(len(found.errors), 'error')}, "
            f"{plural(len(found.warnings), 'warning')}"
        )
    raise typer.Exit(1 if found.errors else 0)


COMMAND = lint
