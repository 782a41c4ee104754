"""``withgrain cite``: does a quote stand in the collection, and where?"""

from __future__ import annotations

from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import answers, options
from withgrain.cli.talk import Talk

EPILOG = options.examples(
    'withgrain cite "A legal hold suspends every period"',
    'withgrain cite "a hold suspends some periods" --json | jq ".places[0].differences"',
)


def cite(
    ctx: typer.Context,
    quote: Annotated[str, typer.Argument(metavar="QUOTE", help="The words, as you would quote them.")],
    collection: options.Collection = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Most places.")] = 10,
    scope: options.Scope = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Tell whether and where a quote stands in a collection: letter for letter, apart from typography, or nearly.

    Exit code 1 when it stands nowhere as quoted: then the nearest text is shown with the words that differ.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(chosen.collection, embedder="none", scope=scope or None) as library:
        found = library.cite(quote, limit=limit)
    answers.quotes(found, quote, as_json=as_json)
    if not found or found[0].found == "near":
        raise typer.Exit(1)


COMMAND = cite
