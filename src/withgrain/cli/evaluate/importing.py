"""``withgrain eval import``: questions from a table, with the places of the quoted answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from withgrain.cli import options
from withgrain.cli.evaluate import given
from withgrain.cli.screen import plural, write_json
from withgrain.cli.talk import Talk, one_line
from withgrain.errors import UsageError

EPILOG = options.examples(
    "withgrain eval import questions.csv -c kb -o questions.jsonl", "withgrain eval questions.csv -c kb"
)


def import_(
    ctx: typer.Context,
    questions: given.Questions,
    collection: options.Collection = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a new file instead of stdout.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array instead of JSON lines.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Turn a table (question, file, quoted answer) into a question file: each quote is located in its document.

    Quotes that are not there, or stand in several places, are reported with their line and left out (exit 4).
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    from withgrain.evaluate import read_questions
    from withgrain.evaluate.gold import locate
    from withgrain.evaluate.rows import to_row
    from withgrain.evaluate.subjects import stored

    file = read_questions(*questions)
    name = options.settings(collection=collection).collection
    snapshot = stored(Path(name), name, vectors=False).snapshot
    located = locate(file.questions, snapshot)
    documents = {d.id: snapshot.document(d.id) for d in snapshot.documents()}
    rows = [to_row(gold, documents) for gold in located.gold]
    if as_json:
        write_json(rows)
    else:
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        _write(lines, output)
    talk.note(f"{plural(len(rows), 'question')} located")
    problems = sorted((*file.problems, *located.problems), key=lambda p: (p.file, p.line))
    for problem in problems:
        talk.error(one_line(f"left out: {problem}"))
    raise typer.Exit(4 if problems else 0)


COMMAND = import_


def _write(lines: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(lines)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(lines)
    except FileExistsError:
        raise UsageError(f"{output} is there already; nothing was written. Choose another name.") from None
