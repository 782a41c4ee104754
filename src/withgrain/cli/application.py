"""The application: its commands, and how errors become messages and exit codes.

Exit codes: 0 ok; 1 gate failed, or a defect of withgrain; 2 usage; 3 configuration or contract; 4 partial;
5 locked, unreachable or no space; 6 integrity; 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Annotated

import typer

from withgrain import __version__
from withgrain.cli.options import Json, Quiet, Verbose, described, examples
from withgrain.cli.screen import write_json
from withgrain.cli.streams import open_missing_streams
from withgrain.cli.talk import Talk
from withgrain.errors import WithgrainError
from withgrain.store.light import light_engine

#: Names of the commands, in the order of ``--help``. Each is a module of its name with ``COMMAND`` and ``EPILOG``.
COMMANDS = (
    "ingest",
    "search",
    "get",
    "cite",
    "related",
    "duplicates",
    "topics",
    "chunk",
    "parse",
    "audit",
    "formats",
    "info",
    "forget",
    "migrate",
    "mcp",
    "tune",
)
#: Names of the groups of commands; each is a module of its name with ``build``.
GROUPS = ("collection", "config", "policy", "eval")
INTERRUPTED = 130


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"withgrain {__version__}\n")
        raise typer.Exit


def _options(
    ctx: typer.Context,
    quiet: Quiet = False,
    verbose: Verbose = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Turn documents into cited sections: ingest a folder, ask questions, look at chunks, audit what would be lost."""
    del version
    ctx.obj.listen(quiet, verbose)


def build(names: Collection[str] = (*COMMANDS, *GROUPS), *, listed: bool = False) -> typer.Typer:
    """Return the application with some commands and groups; only their modules are loaded.

    Args:
        names: The commands and groups.
        listed: They are listed and not run, so they need no options: making those takes longer than all else.
    """
    app = typer.Typer(
        name="withgrain",
        callback=_options,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=examples("withgrain ingest docs/", 'withgrain search "how do I reset a password?"'),
    )
    for name in (n for n in COMMANDS if n in names):
        module = import_module(f"withgrain.cli.{name}")
        command = _unmade if listed else module.COMMAND
        app.command(name, help=described(module.COMMAND), epilog=module.EPILOG)(command)

    @app.command()
    def version(as_json: Json = False) -> None:
        """Show the version."""
        if as_json:
            from withgrain.cli.shapes import SCHEMA

            write_json({"schema": SCHEMA, "version": __version__})
        else:
            sys.stdout.write(f"withgrain {__version__}\n")

    for name in (n for n in GROUPS if n in names):
        group = import_module(f"withgrain.cli.{name}").build()
        if listed:
            app.command(name, help=group.info.help)(_unmade)
        else:
            app.add_typer(group, name=name)
    return app


def _unmade() -> None:
    """Stand for a command in a list."""


def main() -> None:
    """Run the command line of this process and exit."""
    gc.set_threshold(50_000)  # loading makes very many objects and no garbage to look for after every 700 of them
    open_missing_streams()
    light_engine()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a name that is not UTF-8
    talk = Talk()
    try:
        code = _run(talk)
        sys.stdout.flush()
    except BrokenPipeError:
        code = _give_up_output(1)
    except OSError as error:
        talk.error(f"error: The output cannot be written: {error.strerror or error}.")
        code = _give_up_output(5)
    gc.freeze()  # else the interpreter looks through all that was ever loaded, several times, before it ends
    sys.exit(code)


def _completes() -> bool:
    """Return whether a shell asks what can come next: it says so in the environment, and the words, too."""
    return "_WITHGRAIN_COMPLETE" in os.environ


def _asked(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that these arguments can mean: the one that they name, else all.

    No option before a command takes a value, so the first word is its name.
    """
    first = next((a for a in arguments if not a.startswith("-")), "")
    known = (*COMMANDS, *GROUPS)
    if first in known:
        return (first,)
    return () if first == "version" or (not first and "--version" in arguments) else known


def _run(talk: Talk) -> int:
    try:
        names = _asked(sys.argv[1:])
        build(names, listed=len(names) > 1 and not _completes())(obj=talk)
    except SystemExit as stop:  # how typer ends, also after Ctrl-C and a broken pipe
        code = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
        if code == INTERRUPTED:
            talk.error("Interrupted.")
        return code
    except KeyboardInterrupt:
        talk.error("Interrupted.")
        return INTERRUPTED
    except WithgrainError as error:
        talk.failed(str(error))
        return error.exit_code
    except BrokenPipeError:
        raise
    except OSError as error:
        where = (
            f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else "The system refused: "
        )
        talk.failed(f"{where}{error.strerror or error}.")
        return 5
    except Exception as error:
        talk.failed(f"This is a defect of withgrain, please report it: {type(error).__name__}: {error}")
        return 1
    return 0


def _give_up_output(code: int) -> int:
    """Nobody takes our output any more: no second error when the interpreter flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
