"""``withgrain policy``: the ways to cut that can be chosen here, and where each of their values comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from withgrain.cli import options
from withgrain.cli.screen import Screen, write_json
from withgrain.cli.shapes import SCHEMA
from withgrain.cli.talk import Talk
from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.chunk import LoadedPolicy


def build() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(no_args_is_help=True, help="The chunking policies that can be chosen here.")
    group.command(name="list", help=options.described(list_), epilog=options.examples("withgrain policy list"))(list_)
    lines = options.examples(
        "withgrain policy show structure_aware",
        "withgrain policy show runbooks --toml >> withgrain.toml",
    )
    group.command(help=options.described(show), epilog=lines)(show)
    return group


def list_(
    ctx: typer.Context,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show the policies: those that ship with withgrain and those of withgrain.toml; * is the one in use."""
    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    chosen = options.settings()
    known = _known(chosen.policies)
    if as_json:
        rows = [_summary(one) | {"used": name == chosen.policy} for name, one in known.items()]
        write_json({"schema": SCHEMA, "policies": rows})
        return
    screen = Screen()
    for name, one in known.items():
        value = one.policy
        sizes = f"target {value.budget.target}, max {value.budget.maximum} {value.unit}, by {value.regions}"
        mark = "*" if name == chosen.policy else " "
        origin = "built in" if name not in chosen.policies else "withgrain.toml"
        screen.line(f"{mark} {name:<16} {sizes:<46} {origin:<15} {value.fingerprint}")


def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the policy.", show_default=False)],
    as_toml: Annotated[bool, typer.Option("--toml", help="Print it as a table for withgrain.toml.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Show every value of a policy and where it comes from: built in, or file and line."""
    from withgrain.chunk import policy, to_toml
    from withgrain.chunk.toml_policy import values

    talk: Talk = ctx.obj
    talk.listen(quiet, verbose)
    if as_toml and as_json:
        raise UsageError("--toml and --json are two forms of the same thing; give one of them.")
    known = _known(options.settings().policies)
    value = policy(name, {key: one.policy for key, one in known.items()})
    origins = known[name].origins
    if as_toml:
        typer.echo(to_toml(value), nl=False)
        return
    rows = values(value)
    if as_json:
        shown = {key: {"value": _plain(one), "origin": origins[key]} for key, one in rows.items()}
        write_json({"schema": SCHEMA} | _summary(known[name]) | {"values": shown})
        return
    screen = Screen()
    screen.line(f"{value.name} (version {value.version}, fingerprint {value.fingerprint})", style="bold")
    width = max(len(_text(one)) for one in rows.values())
    screen.fields([(key, f"{_text(one):<{width}}  {origins[key]}") for key, one in rows.items()])


def _known(written: Any) -> dict[str, LoadedPolicy]:
    from withgrain.chunk.toml_policy import built_in

    return built_in() | dict(written)


def _summary(one: LoadedPolicy) -> dict[str, Any]:
    value = one.policy
    return {"name": value.name, "version": value.version, "fingerprint": value.fingerprint}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "-"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
