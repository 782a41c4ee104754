"""``withgrain migrate``: rebuild a collection under this version or other settings."""

from __future__ import annotations

from typing import Annotated

import typer

from withgrain.cli import options
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk

EPILOG = options.examples("withgrain migrate", "withgrain migrate --dry-run", "withgrain migrate --policy paragraph")


def migrate(
    ctx: typer.Context,
    collection: options.Collection = None,
    policy: Annotated[str | None, typer.Option("--policy", "-p", metavar="NAME", help="Cut in another way.")] = None,
    embedder: Annotated[str | None, typer.Option("--embedder", metavar="NAME", help="Make other vectors.")] = None,
    tokenizer: Annotated[str | None, typer.Option("--tokenizer", metavar="SPEC", help="Count other tokens.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Rebuild even when nothing differs: mends damaged rows.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what differs and write nothing.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Rebuild a collection under this version of withgrain, or under other settings, beside the old state.

    Readers see the old state until the new one takes its place in one step; a killed run changes nothing. Documents are
    made from their files where these are unchanged, else from the kept texts; vectors come from the cache where
    possible. Settings that are not given stay the collection's own.
    """
    from withgrain.app.migration import migrate as rebuild

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with talk.progress() as progress:
        done = rebuild(
            chosen.collection,
            policy=policy,
            embedder=embedder,
            tokenizer=tokenizer,
            endpoint=options.endpoint(chosen),
            force=force,
            dry_run=dry_run,
            progress=progress,
        )
    if as_json:
        write_json(
            {
                "schema": SCHEMA,
                "differences": {name: list(pair) for name, pair in done.differences.items()},
                "documents": {origin: len(uris) for origin, uris in done.documents.items()},
                "kept_as_they_were": done.documents["rows"],
                "chunks": done.chunks,
                "embedded": done.embedded,
                "retired": done.retired,
                "version": done.version,
            }
        )
        return
    screen = Screen()
    for name, (old, new) in done.differences.items():
        screen.line(f"{name:<10}  {old} → {new}")
    if done.version is None:
        screen.line("nothing was written" if done.differences else "nothing differs")
        return
    made = done.documents
    screen.line(
        f"version {done.version}: {len(made['file'])} documents from their files, {len(made['text'])} from kept texts; "
        f"{done.chunks:,} chunks, {done.embedded:,} texts embedded, {done.retired:,} ids changed"
    )
    for uri in made["rows"]:
        talk.note(f"kept as it was, because its file is not at hand: {uri}. Ingest its folder again.")


COMMAND = migrate
