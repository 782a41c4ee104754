"""A command loads its own module and no other's, so that each starts fast."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import environment
from withgrain.cli.application import COMMANDS, GROUPS, _asked

ALL = (*COMMANDS, *GROUPS)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["mcp", "-c", "search"], ("mcp",)),
        (["-q", "search", "mcp"], ("search",)),
        (["collection", "history"], ("collection",)),
        (["--version"], ()),
        (["version", "--json"], ()),
        ([], ALL),
        (["--help"], ALL),
        (["serch", "words"], ALL),
        (["--show-completion"], ALL),
    ],
)
def test_which_commands_are_made(arguments: list[str], expected: tuple[str, ...]) -> None:
    """The one that is named, else all: help and hints for misspelt names know every command."""
    assert _asked(arguments) == expected


def test_the_server_starts_without_what_ingests() -> None:
    """``withgrain mcp`` loads neither ingestion nor search before it is asked."""
    program = (
        "import sys\nfrom withgrain.cli.application import build\nbuild(('mcp',))\n"
        "print(*sorted({f'withgrain.{n}' for n in ('ingest', 'search', 'parse', 'app')} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
