"""``withgrain get``: one chunk, section or document of a collection, whole."""

from __future__ import annotations

from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import options, shapes
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.talk import Talk, one_line

EPILOG = options.examples(
    'withgrain get "$(withgrain search "rotate the key" -k 1 --json | jq -r ".hits[0].chunk_id")"'
)


def get(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="Id of a chunk, section or document.")],
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show one chunk, section or document of a collection, whole, with its citation."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(chosen.collection, embedder=chosen.embedder, as_of=as_of) as library:
        found = library.get(id)
    if as_json:
        write_json(shapes.content(found))
        return
    talk.note(one_line(str(found.citation)) + (f"  (stale: {found.stale})" if found.stale else ""))
    Screen().text(found.text)


COMMAND = get
