"""``withgrain eval init``: draft questions from a collection, for a person to complete."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from withgrain.cli import options
from withgrain.cli.screen import plural, write_json
from withgrain.cli.talk import Talk
from withgrain.errors import UsageError

EPILOG = options.examples(
    "withgrain eval init -c kb -o questions.jsonl", "withgrain eval init -c kb --count 60 > drafts.jsonl"
)


def init(
    ctx: typer.Context,
    collection: options.Collection = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a new file instead of stdout.")
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, metavar="N", help="Number of drafts.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array instead of JSON lines.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Draft questions from a collection: evidence of every kind, spread over the documents, without the question.

    Every line is marked as a draft, and is not asked until "draft" is deleted.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    from withgrain.evaluate.drafts import drafts, to_rows
    from withgrain.evaluate.subjects import stored

    name = options.settings(collection=collection).collection
    rows = to_rows(drafts(stored(Path(name), name, vectors=False).snapshot, count))
    if as_json:
        write_json(rows)
        return
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if output is None:
        sys.stdout.write(lines)
    else:
        try:
            with output.open("x", encoding="utf-8") as file:
                file.write(lines)
        except FileExistsError:
            raise UsageError(f"{output} is there already; nothing was written. Choose another name.") from None
    talk.note(f'{plural(len(rows), "draft")}. Write "question", check the evidence, delete "draft" and "about".')


COMMAND = init
