"""``withgrain search``: ask a collection; the answer is a ranked list of cited sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from withgrain import app
from withgrain.cli import options, shapes
from withgrain.cli.screen import Screen, first_lines, write_json
from withgrain.cli.talk import Talk
from withgrain.model import Hit, Results

EPILOG = options.examples(
    'withgrain search "how do I reset a password?"',
    'withgrain search "statuskey=7" -k 3 --filter "domain = OKTA"',
    'withgrain search "rotate the key" --mode lexical --json | jq ".hits[0].citation"',
)


class Mode(StrEnum):
    """Which channels answer."""

    hybrid = "hybrid"
    lexical = "lexical"
    dense = "dense"


def search(
    ctx: typer.Context,
    question: Annotated[
        list[str],
        typer.Argument(metavar="QUESTION", help="Words, identifiers or a whole question.", show_default=False),
    ],
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    k: Annotated[int, typer.Option("--k", "-k", min=1, metavar="N", help="Number of results.")] = 10,
    mode: Annotated[Mode, typer.Option("--mode", "-m", help="Which channels answer.")] = Mode.hybrid,
    where: Annotated[
        list[str] | None,
        typer.Option("--filter", "-f", metavar="EXPRESSION", help="Only chunks that match; repeatable (all must)."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what was understood and done.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Ask a collection. The answer is a ranked list of sections, each with its citation; nothing is generated."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings(collection=collection)
    with app.open(chosen.collection, embedder=chosen.embedder, as_of=as_of) as library:
        found = library.search(" ".join(question), k=k, mode=mode.value, filter=where or None)
    if as_json:
        write_json(shapes.results(found, trace=explain))
        return
    for message in found.trace.get("notices", ()):
        talk.note(f"note: {message}")
    _show(Screen(), found, explain)


COMMAND = search


def _show(screen: Screen, found: Results, explain: bool) -> None:
    if not found.hits:
        screen.line("Nothing found.")
    best = max((hit.score for hit in found.hits), default=0.0)
    for hit in found.hits:
        _show_hit(screen, hit, best, explain)
    if explain:
        rows = [(name.replace("_", " "), _told(value)) for name, value in found.trace.items()]
        screen.fields([(name, text) for name, text in rows if text], style="dim")


def _told(value: object) -> str:
    """Return a value of the trace for a person; empty when there is nothing to tell."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(one) or '-'}" for name, one in value.items())
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_told(one) for one in value)
    return "" if value is None else str(value)


def _show_hit(screen: Screen, hit: Hit, best: float, explain: bool) -> None:
    screen.line(f"{hit.rank:>2}. {hit.citation}", style="bold")
    filled = round(10 * max(0.0, hit.score) / best) if best > 0 else 0
    channels = ""
    if explain:
        channels = "  " + "  ".join(f"{name} #{rank} {score:.2f}" for name, (rank, score) in hit.channels.items())
    stale = f"  stale: {hit.stale}" if hit.stale else ""
    screen.line(f"    {'▮' * filled}{'▯' * (10 - filled)} {hit.score:.3f}{channels}{stale}", style="cyan")
    for text in first_lines(hit.text):
        screen.line(f"    {text}")
    screen.line()
