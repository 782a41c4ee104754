"""A command is a process of its own: what it loads and does not need, everybody waits for. Names, never times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import environment
from withgrain.app import open as open_library

#: Runs the command line, then says what is loaded.
_PROGRAM = """
import sys
from withgrain.cli import main
try:
    main()
except SystemExit:
    print(*sorted(sys.modules), file=sys.__stderr__)
"""
#: Engine, model, parsers, and the rooms that cut and embed.
HEAVY = {
    "lancedb",
    "numpy",
    "onnxruntime",
    "pyarrow",
    "pyromark",
    "sqlite3",
    "tokie",
    "turbohtml",
    "withgrain.chunk",
    "withgrain.embed.minilm",
    "withgrain.ingest.sync",
    "withgrain.parse",
    "withgrain.search.run",
    "withgrain.signals",
    "withgrain.store.snapshot",
    "withgrain.store.writer",
    "withgrain.tokens",
}
#: What a question by words needs of them.
BY_WORDS = {"lancedb", "numpy", "pyarrow", "withgrain.search.run", "withgrain.store.snapshot"} | {
    "withgrain.signals",  # identifiers of the question
    "withgrain.tokens",  # its terms
    "sqlite3",  # of the engine
}


def loaded(arguments: list[str], cwd: Path) -> set[str]:
    """Return the modules of a process at its end."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["serch", "words"],
        ["search", "--help"],
        ["search", "x", "-c", "nowhere"],
        ["get", "x", "-c", "nowhere"],
        ["cite", "x", "-c", "nowhere"],
        ["info", "-c", "nowhere"],
        ["config", "show"],
        ["collection", "history", "-c", "nowhere"],
    ],
    ids=" ".join,
)
def test_help_and_plain_errors_load_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    """What is wrong with a command, or how it is called, is said before anything is loaded that answers."""
    assert sorted(loaded(arguments, tmp_path) & HEAVY) == []


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "reset.md").write_text("# Reset\n\n## Keys\n\nRotate the signing key every 90 days.\n")
    with open_library(folder / "kb", embedder="none") as library:
        library.ingest(folder / "reset.md")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [["search", "signing key", "-c", "kb", "--mode", "lexical"], ["search", "signing key", "-c", "kb"]],
    ids=["asked by words", "no vectors"],
)
def test_a_question_by_words_loads_no_model(arguments: list[str], place: Path) -> None:
    """Neither the model nor its runtime nor what reads and cuts documents."""
    assert sorted(loaded(arguments, place) & (HEAVY - BY_WORDS)) == []
