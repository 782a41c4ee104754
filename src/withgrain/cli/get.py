"""``withgrain get``: one chunk, section or document of a collection, whole."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import options, shapes
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.talk import Talk, one_line

EPILOG = options.examples(
    'withgrain get "$(withgrain search "rotate the key" -k 1 --json | jq -r ".hits[0].chunk_id")" --around section',
    'withgrain get "policies/data-retention.md#4.2"',
    'withgrain get "runbooks/reset.md#L12-L18" --around neighbours',
)


class Around(StrEnum):
    """How much is shown around what was found."""

    none = "none"
    neighbours = "neighbours"
    section = "section"
    document = "document"


def get(
    ctx: typer.Context,
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID|PATH[#PART]",
            help="Id of a chunk, section or document; or a path, with #L12-L18, #a-heading or #4.2 for a part.",
        ),
    ],
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    around: Annotated[Around, typer.Option("--around", help="How much is shown around it.")] = Around.none,
    scope: options.Scope = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show one chunk, section or document of a collection, whole, with its citation. Retired ids are followed."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(
        chosen.collection, embedder=chosen.embedder, endpoint=options.endpoint(chosen), as_of=as_of, scope=scope or None
    ) as library:
        found = library.get(id, around=around.value)
    if as_json:
        write_json(shapes.content(found))
        return
    talk.note(one_line(str(found.citation)) + (f"  (stale: {found.stale})" if found.stale else ""))
    if found.retired:
        talk.note(f"retired id, {found.retired}")
    beside = [f"{name} {id}" for name, id in (("before", found.previous), ("behind", found.next)) if id]
    if beside and around is Around.none:
        talk.note("  ".join((*beside, *((f"section {found.section}",) if found.section else ()))))
    Screen().text(found.text)


COMMAND = get
