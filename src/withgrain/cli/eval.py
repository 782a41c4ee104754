"""``withgrain eval``: know for your own documents which policy is better, and by how much."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from withgrain.cli import options
from withgrain.cli.evaluate import asking, drafting, gating, importing, linting

#: The command that is meant when none is named: ``withgrain eval questions.jsonl``.
DEFAULT = "run"


class Group(TyperGroup):
    """A group whose first word may be a question file instead of a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the default command where the first word is no command."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


def build() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help="Ask questions with known answers and measure what is found: withgrain eval QUESTIONS -c A -c B",
        epilog=asking.EPILOG,
    )
    commands: tuple[Any, ...] = (asking, drafting, linting, importing, gating)
    for module in commands:
        name = module.COMMAND.__name__.rstrip("_")
        group.command(name=name, help=options.described(module.COMMAND), epilog=module.EPILOG)(module.COMMAND)
    return group
