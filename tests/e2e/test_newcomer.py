"""What somebody sees who has read nothing but the README: help, first mistakes, and what to do about them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Run, run_cli
from withgrain import __version__
from withgrain.cli.application import build

Cli = Callable[..., Run]
GROUPS = build()
COMMANDS = {
    **{c.name or c.callback.__name__: c for c in GROUPS.registered_commands if c.callback},
    **{
        f"{g.name} {c.name or c.callback.__name__}": c
        for g in GROUPS.registered_groups
        if g.typer_instance
        for c in g.typer_instance.registered_commands
        if c.callback
    },
}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_every_word_of_the_description(cli: Cli, name: str) -> None:
    """Nothing in a description is taken for markup, and its lines are filled to the width."""
    shown = cli(*name.split(), "--help", env={"COLUMNS": "500"}).stdout
    description = COMMANDS[name].callback.__doc__ or ""
    for paragraph in description.strip().split("\n\n"):
        assert " ".join(paragraph.split()) in " ".join(shown.split()), paragraph
        assert any(" ".join(paragraph.split()) in " ".join(line.split()) for line in shown.splitlines()), paragraph


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_takes_json(cli: Cli, name: str) -> None:
    """The README says so; only ``mcp`` speaks a protocol of its own."""
    if name != "mcp":
        assert "--json" in cli(*name.split(), "--help").stdout


def test_version_as_json(cli: Cli) -> None:
    assert json.loads(cli("version", "--json").stdout) == {"schema": 1, "version": __version__}


def test_a_question_needs_no_quotes(knowledge: Path) -> None:
    """Words that were typed without quotes are one question."""
    quoted = run_cli(["search", "disabled user sessions", "-c", "kb", "-k", "1"], cwd=knowledge)
    bare = run_cli(["search", "disabled", "user", "sessions", "-c", "kb", "-k", "1"], cwd=knowledge)
    assert bare.code == 0
    assert bare.stdout == quoted.stdout != ""


def test_explain_is_written_for_people(knowledge: Path) -> None:
    """No braces, quotes, long fractions or empty entries of a programming language."""
    done = run_cli(["search", "statuskey=7", "-c", "kb", "-k", "1", "--explain"], cwd=knowledge)
    told = done.stdout.partition("\n\n")[2]
    assert "mode" in told
    assert not re.search(r"[{}\[\]]|'|None|True|False|\d\.\d{4}", told), told


def test_an_unknown_field_that_is_front_matter_tells_how(knowledge: Path) -> None:
    """Keys of the front matter are labels; the error says how to ask for one, and that line works."""
    done = run_cli(["search", "steps", "-c", "kb", "-f", "owner = security"], cwd=knowledge)
    assert done.code == 2
    line = 'labels contains "owner=security"'
    assert line in done.stderr
    found = run_cli(["search", "steps", "-c", "kb", "-f", line, "--json"], cwd=knowledge)
    assert {hit["document"] for hit in json.loads(found.stdout)["hits"]} == {"runbooks/reset.md"}


def test_lines_are_told_as_in_a_citation(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nOne line.\n\n## B\n\nTwo\nlines.\n")
    shown = cli("chunk", "a.md").stdout
    assert ", line 3, " in shown
    assert ", lines 7-8, " in shown


def test_a_dry_run_does_not_report_what_it_did_not_do(cli: Cli, docs: Path) -> None:
    shown = cli("ingest", docs, "--embedder", "none", "--dry-run").stdout
    assert "Dry run, nothing written" in shown
    assert not re.search(r"^(embedded|written) ", shown, re.MULTILINE)


def test_info_about_nothing_says_what_to_type(cli: Cli) -> None:
    """A mistyped directory is no empty collection; a program still gets the shape."""
    done = cli("info", "-c", "nope")
    assert "withgrain ingest PATH -c nope" in done.stdout + done.stderr
    assert json.loads(cli("info", "-c", "nope", "--json").stdout)["documents"] == 0


@pytest.mark.parametrize("command", ["ingest"])
def test_a_place_that_cannot_be_made_is_not_called_damaged(cli: Cli, docs: Path, command: str) -> None:
    """Nothing is stored there yet, so nothing stored can be wrong."""
    done = cli(command, docs, "-c", "/proc/nothing/kb", "--embedder", "none")
    assert done.code == 5
    assert "/proc/nothing" in done.stderr
    assert "history" not in done.stderr


def test_a_table_in_the_own_file_is_explained(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "withgrain.toml").write_text('[tool.withgrain]\ncollection = "kb"\n')
    done = cli("config", "show")
    assert done.code == 3
    assert "without a table" in done.stderr
    (tmp_path / "withgrain.toml").write_text('[withgrain]\ncollection = "kb"\n')
    assert "without a table" in cli("config", "show").stderr
