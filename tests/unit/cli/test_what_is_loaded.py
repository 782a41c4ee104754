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
    "pydantic",
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
    "pydantic",  # of the engine, as the next
    "sqlite3",
}
#: Nobody's business here: other tables, the engine's checks of itself, and what draws on terminals.
NEVER = {"overrides", "pandas", "pyarrow.parquet", "rich.console", "tokenizers"}


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
    for name, embedder in (("words", "none"), ("vectors", "minilm")):
        with open_library(folder / name, embedder=embedder) as library:
            library.ingest(folder / "reset.md")
    return folder


@pytest.mark.parametrize(
    "arguments", [["-c", "vectors", "--mode", "lexical"], ["-c", "words"]], ids=["asked by words", "no vectors"]
)
def test_a_question_by_words_loads_no_model(arguments: list[str], place: Path) -> None:
    """Neither the model nor its runtime nor what reads and cuts documents."""
    assert sorted(loaded(["search", "signing key", *arguments], place) & ((HEAVY | NEVER) - BY_WORDS)) == []


def test_a_question_loads_the_model_and_not_the_engine_of_its_tokenizer(place: Path) -> None:
    """That one takes longer to load than a plain question to encode."""
    found = loaded(["search", "how do I rotate the key?", "-c", "vectors"], place)
    assert {"onnxruntime", "withgrain.embed.minilm"} <= found
    assert sorted(found & ((HEAVY | NEVER) - BY_WORDS)) == ["onnxruntime", "withgrain.embed.minilm"]
