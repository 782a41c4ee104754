"""``withgrain topics``: what a collection is about."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import options
from withgrain.cli.screen import Screen, plural, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk

EPILOG = options.examples("withgrain topics", "withgrain topics -c kb --count 12 --json")


def show_topics(
    ctx: typer.Context,
    collection: options.Collection = None,
    count: Annotated[
        int | None, typer.Option("--count", min=1, metavar="N", help="How many topics.", show_default="by size")
    ] = None,
    scope: options.Scope = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show what a collection is about: clusters of documents with the words and headings that stand for them.

    The same collection always gives the same topics.
    """
    from withgrain.search.topics import topics

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(chosen.collection, embedder="none", scope=scope or None) as library:
        found = topics(library.snapshot(), count)
    if as_json:
        write_json({"schema": SCHEMA, "topics": [asdict(topic) for topic in found]})
        return
    screen = Screen()
    for number, topic in enumerate(found, start=1):
        size = f"{plural(len(topic.documents), 'document')}, {plural(topic.chunks, 'chunk')}"
        screen.line(f"{number}. {', '.join(topic.words)}  ({size})", style="bold")
        screen.line(f"   {' · '.join(topic.headings)}")
        screen.line(f"   {', '.join(topic.documents[:3])}{' …' if len(topic.documents) > 3 else ''}", style="dim")


COMMAND = show_topics
