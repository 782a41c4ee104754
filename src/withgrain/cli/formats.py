"""``withgrain formats``: what can be read, and what to install for it."""

from __future__ import annotations

import typer

from withgrain.cli import options
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk

EPILOG = options.examples("withgrain formats", "withgrain formats --json")


def formats(
    ctx: typer.Context,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """List the formats with their file names, and the extra to install for each."""
    from withgrain.parse import formats as known

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    entries = [
        {
            "name": one.name,
            "media_type": one.media_type,
            "suffixes": list(one.suffixes),
            "names": list(one.names),
            "extra": one.extra,
            "experimental": one.experimental,
        }
        for one in known()
    ]
    if as_json:
        write_json({"schema": SCHEMA, "formats": entries})
        return
    screen = Screen()
    names = [f"{e['name']}{' (experimental)' if e['experimental'] else ''}" for e in entries]
    files = [" ".join((*one.suffixes, *one.names)) for one in known()]
    wide, wider = max(map(len, names)), max(map(len, files))
    for name, shown, entry in zip(names, files, entries, strict=True):
        extra = f'pip install "withgrain[{entry["extra"]}]"' if entry["extra"] else ""
        screen.line(f"{name:<{wide}}  {shown:<{wider}}  {extra}".rstrip())


COMMAND = formats
