"""``withgrain forget``: remove documents for good."""

from __future__ import annotations

from typing import Annotated

import typer

from withgrain.app import collection as care
from withgrain.cli import options
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk

EPILOG = options.examples("withgrain forget people/alice.md", "withgrain forget handbook/old.md -c kb --json")


def forget(
    ctx: typer.Context,
    documents: Annotated[list[str], typer.Argument(metavar="DOC", help="Path, uri or id of a document; repeatable.")],
    collection: options.Collection = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Remove documents from the collection for good: rows, vectors, cache, older states and retired ids.

    Afterwards every file of the collection is searched for traces. Older states are given up for all documents. The
    files that were ingested are not touched: leave them out of the next ingest, or they come back.
    """
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    done = care.forget(chosen.collection, documents)
    if as_json:
        write_json(
            {
                "schema": SCHEMA,
                "documents": list(done.documents),
                "copies": list(done.copies),
                "chunks": done.chunks,
                "cached_vectors": done.vectors,
                "files_searched": done.files,
                "files_with_traces": list(done.found),
            }
        )
        return
    screen = Screen()
    for uri in (*done.documents, *done.copies):
        screen.line(f"forgotten  {uri}")
    screen.line(f"{done.chunks} chunks and {done.vectors} cached vectors removed; {done.files} files hold no trace")
    talk.note("The source files are untouched: the next ingest brings them back unless they are excluded.")


COMMAND = forget
