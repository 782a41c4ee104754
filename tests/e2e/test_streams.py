"""Data on stdout, talk on stderr, exit codes, and no traceback without -v."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import withgrain
from tests.support import Run, command, environment

Cli = Callable[..., Run]


@pytest.mark.parametrize("arguments", [["--version"], ["version"]])
def test_version(cli: Cli, arguments: list[str]) -> None:
    """``--version`` prints name and version on stdout."""
    done = cli(*arguments)
    assert (done.code, done.stdout, done.stderr) == (0, f"withgrain {withgrain.__version__}\n", "")


@pytest.mark.parametrize("name", ["ingest", "search", "get", "chunk", "audit", "info", "config show"])
def test_help_has_examples(cli: Cli, name: str) -> None:
    """Every command has a help page with examples, and ``-h`` is ``--help``."""
    done = cli(*name.split(), "--help")
    assert done.code == 0
    assert "Examples" in done.stdout
    assert cli(*name.split(), "-h").stdout == done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["search"],
        ["ingest"],
        ["chunk", "--nonsense"],
        ["search", "x", "-k", "0"],
        ["search", "x", "-m", "y"],
    ],
)
def test_usage_errors(cli: Cli, arguments: list[str]) -> None:
    """What the command line cannot mean ends with exit code 2, on stderr only."""
    done = cli(*arguments)
    assert done.code == 2
    assert done.stdout == ""
    assert done.stderr


def test_unknown_setting(cli: Cli, tmp_path: Path) -> None:
    """A wrong configuration file ends with exit code 3, with file, line and nearest name."""
    (tmp_path / "withgrain.toml").write_text('policy = "fixed"\ncolection = "x"\n')
    done = cli("config", "show")
    assert done.code == 3
    assert "withgrain.toml:2" in done.stderr
    assert "collection" in done.stderr


def test_config_show_origin(cli: Cli, tmp_path: Path) -> None:
    """``config show --origin`` prints each value and where it is from."""
    (tmp_path / "withgrain.toml").write_text('policy = "fixed"\n')
    done = cli("config", "show", "--origin", "--json", env={"WITHGRAIN_TOKENIZER": "words"})
    settings = json.loads(done.stdout)["settings"]
    assert settings["policy"]["value"] == "fixed"
    assert settings["policy"]["origin"].endswith("withgrain.toml:1")
    assert settings["tokenizer"] == {"value": "words", "origin": "WITHGRAIN_TOKENIZER"}
    assert settings["embedder"]["origin"] == "default"
    assert "withgrain.toml:1" in cli("config", "show", "--origin").stdout


def test_traceback_with_verbose_only(cli: Cli) -> None:
    """No traceback without -v."""
    assert "Traceback" not in cli("search", "x").stderr
    assert "Traceback" in cli("search", "x", "-v").stderr
    assert "Traceback" in cli("-v", "search", "x").stderr


def test_quiet_hides_notes_but_not_errors(cli: Cli, docs: Path) -> None:
    """-q says nothing on stderr but errors."""
    (docs / "zero.md").write_bytes(b"")
    assert cli("ingest", docs, "--embedder", "none").stderr
    assert cli("ingest", docs, "-c", "other", "--embedder", "none", "-q").stderr == ""
    assert cli("search", "x", "-c", "missing", "-q").stderr


@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [(["--version"], 1, 0), (["chunk", "-"], 0, 0), (["search", "x", "-c", "none"], 2, 2), (["info"], 1, 0)],
)
def test_closed_streams(cli: Cli, arguments: list[str], closed: int, code: int) -> None:
    """Where the caller closed a stream there is nothing to read or nobody to talk to: no traceback, the same code."""
    done = cli(*arguments, before=lambda: os.close(closed))
    assert done.code == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr


def test_output_on_a_full_device(docs: Path, tmp_path: Path) -> None:
    """Output that cannot be written is exit code 5, in one line; a full stderr changes no exit code."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        out = subprocess.run(
            command("chunk", docs / "schema/status.md", "--json"),
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False,
        )  # fmt: skip
        err = subprocess.run(
            command("search", "x"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, env=environment(), check=False
        )
    assert out.returncode == 5
    assert out.stderr.count(b"\n") == 1, out.stderr.decode()
    assert (err.returncode, err.stdout) == (2, b"")


def test_a_name_cannot_forge_a_line(cli: Cli, tmp_path: Path) -> None:
    """A line break in the name or title of a document is no line of the output."""
    (tmp_path / "odd").mkdir()
    name = tmp_path / "odd" / "a\nfailed   b.md: forged.md"
    name.write_text("---\ntitle: |\n  a\n  forged\n---\n\nA sentence.\n")
    shown = cli("chunk", name).stdout + cli("audit", "odd", "-v").stdout
    assert "A sentence." in shown
    assert not [line for line in shown.splitlines() if line.startswith(("failed", "forged"))], shown


def test_an_empty_path_is_not_the_working_directory(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """``withgrain ingest "$UNSET"`` must not read the whole working directory."""
    for arguments in (["ingest", ""], ["audit", ""], ["ingest", docs, "-c", ""]):
        done = cli(*arguments)
        assert done.code == 2, (arguments, done.stdout)
        assert "empty" in done.stderr
    assert not (tmp_path / ".withgrain").exists()


def test_a_special_file_does_not_stop_the_others(cli: Cli, docs: Path, tmp_path: Path) -> None:
    """A pipe, a device and a dangling link are named (exit 4); nothing waits for them, and the others are cut."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    (tmp_path / "gone.md").symlink_to("nowhere")
    done = cli("chunk", "pipe.md", "zero.md", "gone.md", docs / "schema/status.md", timeout=30)
    assert done.code == 4
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["pipe.md", "zero.md", "gone.md"]
    assert "statuskey=1" in done.stdout


def test_broken_pipe_is_silent(docs: Path, tmp_path: Path) -> None:
    """Whoever reads our output may go away."""
    (tmp_path / "big.md").write_text(
        "# Big\n\n" + "\n\n".join(f"## S{n}\n\nA sentence, number {n}." for n in range(3000))
    )
    with subprocess.Popen(
        command("chunk", "big.md", "--json"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=60)


def test_a_document_cannot_control_the_terminal(cli: Cli, tmp_path: Path) -> None:
    """Escape sequences of a document are shown as replacement characters; JSON keeps them, escaped."""
    (tmp_path / "evil.md").write_text("# Evil\n\nRed \x1b[31malert\x1b[0m and \x9b2J more words.\n")
    shown = cli("chunk", "evil.md").stdout
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "\\u001b[31m" in cli("chunk", "evil.md", "--json").stdout


def test_names_that_are_not_utf8(cli: Cli, docs: Path) -> None:
    """A file name that is no UTF-8 does not stop the others, and the JSON stays readable."""
    name = docs / os.fsdecode(b"caf\xe9.md")
    try:
        name.write_bytes(b"# Cafe\n\nOne sentence is enough.\n")
    except OSError:
        pytest.skip("NOT TESTED: this file system takes no such name")
    done = cli("ingest", docs, "--embedder", "none", "--json")
    assert done.code in (0, 4), done.stderr
    assert json.loads(done.stdout)["documents"]["added"] >= 3


def test_colours_only_where_wanted(cli: Cli, docs: Path) -> None:
    """No escape sequence in a pipe, and NO_COLOR is honoured."""
    assert "\x1b" not in cli("chunk", docs / "schema/status.md").stdout
    assert "\x1b" not in cli("--help", env={"NO_COLOR": "1"}).stdout


def test_completion_script(cli: Cli) -> None:
    """Shell completion can be shown."""
    done = cli("--show-completion", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert done.code in (0, 2)  # typer refuses where it does not know the shell
