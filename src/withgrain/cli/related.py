"""``withgrain related``: what shares keys with a section, and what it links to."""

from __future__ import annotations

from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import answers, options
from withgrain.cli.talk import Talk

EPILOG = options.examples(
    'withgrain related "$(withgrain search "USERKEY" -k 1 --json | jq -r ".hits[0].chunk_id")"',
)


def related(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID|PATH#PART", help="A chunk: its id, or its place as for get.")],
    collection: options.Collection = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Most sections.")] = 10,
    where: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", metavar="EXPRESSION", help="Only chunks that match; repeatable (all must)."),
    ] = None,
    scope: options.Scope = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show sections that share keys, codes, endpoints or markers with a section, and those that it links to."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(chosen.collection, embedder="none", scope=scope or None) as library:
        found = library.related(id, limit=limit, filter=where or None)
    answers.related(found, as_json=as_json)


COMMAND = related
