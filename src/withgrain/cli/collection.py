"""``withgrain collection``: the care of a collection."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from withgrain import app
from withgrain.app import collection as care
from withgrain.app import export as exporting
from withgrain.cli import options
from withgrain.cli.info import show_info
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.model import State

_INTEGRITY = 6


def build() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(no_args_is_help=True, help="Look after a collection: check it, go back, tidy, take out.")
    lines: dict[Callable[..., None], tuple[str, ...]] = {
        info: ("withgrain collection info", "withgrain collection info --as-of 12 --json"),
        verify: ("withgrain collection verify", "withgrain collection verify -c kb --json"),
        history: ("withgrain collection history",),
        restore: ("withgrain collection restore 12", "withgrain collection restore 2026-11-30T08:00"),
        compact: ("withgrain collection compact", "withgrain collection compact --drop-history"),
        export: (
            "withgrain collection export > chunks.ndjson",
            "withgrain collection export --format parquet --out tables/ --vectors",
        ),
    }
    for command, examples in lines.items():
        group.command(help=options.described(command), epilog=options.examples(*examples))(command)
    return group


def info(
    ctx: typer.Context,
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show what a collection holds, and the contract it was written under."""
    show_info(ctx, collection, as_of, None, as_json=as_json, quiet=quiet, verbose=verbose)


def verify(
    ctx: typer.Context,
    collection: options.Collection = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Check every file and every row; list what is wrong with the command that mends it. Exit code 6 if anything is."""
    place = _place(ctx, collection, quiet=quiet, verbose=verbose)
    found = care.verify(place, lazy={"lazy": True, "eager": False}.get(options.settings().vectors))
    if as_json:
        problems = [{"kind": p.kind, "where": p.where, "what": p.what, "mend": p.mend} for p in found.problems]
        shape: dict[str, Any] = {"schema": SCHEMA, "version": found.version, "problems": problems}
        write_json(shape | {"checked": dict(found.checked), "notes": list(found.notes)})
    else:
        screen = Screen()
        for problem in found.problems:
            screen.line(f"{problem.kind}  {problem.where}: {problem.what}", style="red")
            screen.line(f"    mend: {problem.mend}")
        for note in found.notes:
            screen.line(f"note  {note}")
        counts = ", ".join(f"{n:,} {name}" for name, n in found.checked.items())
        wrong = f"{len(found.problems)} problems" if found.problems else "no problem"
        screen.line(f"{wrong}; checked {counts}")
    if found.problems:
        raise typer.Exit(_INTEGRITY)


def history(
    ctx: typer.Context,
    collection: options.Collection = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """List the kept states: the last one of each of the last five runs that wrote."""
    place = _place(ctx, collection, quiet=quiet, verbose=verbose)
    states = care.history(place)
    if as_json:
        write_json({"schema": SCHEMA, "states": [_state(s) for s in states]})
        return
    header = ("version", "time", "documents", "chunks", "vectors", "contract")
    rows = [
        (str(s.version), s.time, *(f"{s.counts.get(n, 0):,}" for n in ("documents", "chunks", "vectors")), s.contract)
        for s in states
    ]
    Screen().table(header, rows)


def restore(
    ctx: typer.Context,
    state: Annotated[str, typer.Argument(metavar="VERSION|TIME", help="A kept state; see `collection history`.")],
    collection: options.Collection = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Make a kept state the newest again. What was newest stays in the history."""
    place = _place(ctx, collection, quiet=quiet, verbose=verbose)
    made = care.restore(place, state)
    if as_json:
        write_json({"schema": SCHEMA, "state": _state(made)})
    else:
        Screen().line(f"version {made.version} holds what {state} held")


def compact(
    ctx: typer.Context,
    collection: options.Collection = None,
    drop_history: Annotated[
        bool, typer.Option("--drop-history", help="Give up the older states, which frees their space.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Write the live rows anew, without the garbage between them, and build the indexes again."""
    place = _place(ctx, collection, quiet=quiet, verbose=verbose)
    before, after = care.compact(place, history=not drop_history)
    if as_json:
        write_json({"schema": SCHEMA, "bytes_before": before, "bytes_after": after})
    else:
        kept = "" if drop_history or after <= before else "; the older states keep their files: see --drop-history"
        Screen().line(f"{before:,} bytes before, {after:,} after{kept}")


def export(
    ctx: typer.Context,
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="ndjson, or parquet.")] = "ndjson",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="A file for ndjson (else stdout), a folder.")
    ] = None,
    vectors: Annotated[bool, typer.Option("--vectors", help="Also the vectors.")] = False,
    collection: options.Collection = None,
    as_of: options.AsOf = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Write all chunks as NDJSON, or the tables as Parquet; with --out, --json says how many rows were written."""
    place = _place(ctx, collection, quiet=quiet, verbose=verbose)
    if form not in ("ndjson", "parquet"):
        raise UsageError(f'There is no format "{form}". Use ndjson or parquet.')
    if form == "parquet" and out is None:
        raise UsageError("Parquet needs a folder: --out FOLDER.")
    talk: Talk = ctx.obj
    with app.open(place, embedder="none", as_of=as_of) as library:
        snapshot = library.snapshot()
        if form == "parquet" and out is not None:
            written = dict(exporting.write_parquet(snapshot, out, vectors=vectors))
        elif out is None:
            exporting.write_ndjson(snapshot, sys.stdout, vectors=vectors)
            return
        else:
            with out.open("w", encoding="utf-8") as file:
                written = {"chunks": exporting.write_ndjson(snapshot, file, vectors=vectors)}
    if as_json:
        write_json({"schema": SCHEMA, "out": str(out), "rows": written})
    else:
        talk.note(", ".join(f"{name}: {rows:,} rows" for name, rows in written.items()))


def _place(ctx: typer.Context, collection: str | None, *, quiet: bool, verbose: bool) -> str:
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    return str(options.settings(collection=collection).collection)


def _state(state: State) -> dict[str, Any]:
    return {
        "version": state.version,
        "time": state.time,
        "contract": state.contract,
        "counts": dict(state.counts),
    }
