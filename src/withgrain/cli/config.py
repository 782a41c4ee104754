"""``withgrain config``: the settings of this place, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any

import typer

from withgrain.cli import options
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk


def build() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(no_args_is_help=True, help="The settings that hold here.")
    lines = options.examples("withgrain config show", "withgrain config show --origin")
    group.command(help=options.described(show), epilog=lines)(show)
    return group


def show(
    ctx: typer.Context,
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show every setting: flag > WITHGRAIN_* variable > withgrain.toml or [tool.withgrain] > default."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    resolved = options.resolve()
    values = {field.name: getattr(resolved.settings, field.name) for field in fields(resolved.settings)}
    if as_json:
        settings = {
            name: {"value": _plain(name, value)} | ({"origin": resolved.origins[name]} if origin else {})
            for name, value in values.items()
        }
        write_json({"schema": SCHEMA, "settings": settings})
        return
    width = max(len(_text(name, value)) for name, value in values.items())
    rows = []
    for name, value in values.items():
        text = _text(name, value)
        rows.append((name, f"{text:<{width}}  {resolved.origins[name]}" if origin else text))
    Screen().fields(rows)


_PAIRS = ("labels", "path_labels", "domains", "classes")


def _plain(name: str, value: Any) -> Any:
    if name == "policies":
        return list(value)
    if name == "signals":
        return {"detectors": [d.name for d in value.detectors], "words": len(value.words)} if value else None
    return dict(value) if name in _PAIRS else value


def _text(name: str, value: Any) -> str:
    if name == "policies":
        return ", ".join(value) or "-"
    if name == "signals":
        return ", ".join([*(d.name for d in value.detectors), f"{len(value.words)} words"]) if value else "-"
    if name in _PAIRS or isinstance(value, Mapping):
        return ", ".join(f"{key}={text}" for key, text in dict(value).items()) or "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(value) or "-"
    return "-" if value is None else str(value)
