"""``withgrain info``: what a collection holds, and what wrote it."""

from __future__ import annotations

from dataclasses import fields

import typer

from withgrain import app
from withgrain.cli import options, shapes
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.talk import Talk

EPILOG = options.examples("withgrain info", "withgrain info -c kb --json")


def info(
    ctx: typer.Context,
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    scope: options.Scope = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show what a collection holds, and the contract it was written under."""
    show_info(ctx, collection, as_of, scope, as_json=as_json, quiet=quiet, verbose=verbose)


def show_info(
    ctx: typer.Context,
    collection: str | None,
    as_of: str | None,
    scope: list[str] | None,
    *,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Print what a collection holds: the work of ``info`` and of ``collection info``."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(
        chosen.collection,
        embedder=chosen.embedder,
        endpoint=options.endpoint(chosen),
        scope=scope or None,
        as_of=as_of,
    ) as library:
        found = library.info()
    if as_json:
        write_json(shapes.info(found))
        return
    if not found.version:
        talk.note(
            f'The collection "{found.path}" is empty or does not exist. Fill it: withgrain ingest PATH -c {found.path}'
        )
    rows = [("collection", str(found.path)), ("version", str(found.version or "empty"))]
    rows += [(name, f"{getattr(found, name):,}") for name in ("documents", "chunks")]
    made = f"{found.vectors:,}"
    rows.append(("vectors", made if found.vectors == found.leaves else f"{made} of {found.leaves:,}"))
    if found.contract:
        rows += [(field.name, str(getattr(found.contract, field.name))) for field in fields(found.contract)]
    screen = Screen()
    screen.fields(rows)
    for uri, reason in found.stale.items():
        screen.line(f"stale  {uri}: {reason}", style="red")


COMMAND = info
