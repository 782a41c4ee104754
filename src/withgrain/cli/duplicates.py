"""``withgrain duplicates``: chunks that say the same twice."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from withgrain import app
from withgrain.cli import options
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk

if TYPE_CHECKING:
    from withgrain.search.duplicates import Place

EPILOG = options.examples("withgrain duplicates", "withgrain duplicates -c kb --similarity 0.9 --json")


def show_duplicates(
    ctx: typer.Context,
    collection: options.Collection = None,
    similarity: Annotated[
        float, typer.Option("--similarity", min=0.1, max=1.0, metavar="S", help="Least share of common word triples.")
    ] = 0.8,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Most pairs to show.")] = 50,
    scope: options.Scope = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show chunks that say the same twice, exactly or nearly, and files that are copies of others.

    Nothing is changed. Equal texts under different headings are different chunks, and may well be meant.
    """
    from withgrain.search.duplicates import duplicates

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(chosen.collection, embedder="none", scope=scope or None) as library:
        snapshot = library.snapshot()
        pairs = duplicates(snapshot, similarity=similarity)
        copies = {d.uri: list(d.copies) for d in snapshot.documents() if d.copies}
    if as_json:
        shown = [asdict(pair) for pair in pairs[:k]]
        write_json({"schema": SCHEMA, "copies": copies, "pairs": shown, "total": len(pairs)})
        return
    screen = Screen()
    for uri, others in copies.items():
        screen.line(f"copies  {uri} = {', '.join(others)}")
    for pair in pairs[:k]:
        screen.line(f"{pair.similarity:.2f}  {pair.kind:<5}  {_shown(pair.first)}")
        screen.line(f"             {_shown(pair.second)}", style="dim")
    screen.line(f"{plural(len(pairs), 'pair')}, {plural(len(copies), 'document')} with copies.")


COMMAND = show_duplicates


def _shown(place: Place) -> str:
    lines = f", lines {place.lines[0]}-{place.lines[1]}" if place.lines else ""
    return " › ".join((place.document, *place.heading_path)) + lines
