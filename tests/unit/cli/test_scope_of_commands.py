"""Quote: "a filter that callers cannot widen, applied inside every channel, count, facet and suggestion"."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from withgrain.cli import application

SAME = "The marmot allowance is 33 crates for every depot, counted each Monday by two people.\n"
DOCUMENTS = {
    name: f"---\ntenant: {tenant}\n---\n# {title}\n\nThe {word} opens at nine. {code} is set.\n\n## Depot\n\n{SAME}"
    for name, tenant, title, word, code in (
        ("alpha.md", "a", "Alpha", "quagga", "KEY_ALPHA=1"),
        ("alpine.md", "a", "Alpine", "ibex", "KEY_ALPHA=1"),
        ("bravo.md", "b", "Bravo", "kumquat", "KEY_ALPHA=1"),
    )
}
FOREIGN = ("bravo", "kumquat")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command beside a collection of two tenants; return exit code and all that it said."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["withgrain", *words, "-c", "kb"])
        with pytest.raises(SystemExit) as ended:
            application.main()
        return int(ended.value.code or 0), "".join(capsys.readouterr())

    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(text)
    assert command("ingest", "docs", "--embedder", "none", "-q")[0] == 0
    return command


@pytest.fixture
def ask(run: Any) -> Any:
    return lambda *words: run(*words, "--scope", "labels contains tenant=a", "--json")


def id_of(run: Any, query: str) -> str:
    return str(json.loads(run("search", query, "-k", "1", "--json", "-q")[1])["hits"][0]["chunk_id"])


@pytest.mark.parametrize(
    "command",
    [
        ("search", "opens at nine marmot KEY_ALPHA=1", "--explain"),
        ("search", "opens", "--max-tokens", "500"),
        ("search", "--like", "alpha.md"),
        ("get", "brvo.md"),
        ("cite", "The tapir opens at nine. KEY_ALPHA=1 is set."),
        ("duplicates",),
        ("topics",),
        ("info",),
    ],
)
def test_no_command_tells_of_what_is_outside(ask: Any, command: tuple[str, ...]) -> None:
    code, told = ask(*command)
    assert code in (0, 1, 2)
    assert "No such option" not in told
    assert [word for word in FOREIGN if word in told.lower()] == []


def test_ids_of_what_is_outside_are_unknown(ask: Any, run: Any) -> None:
    foreign, own = id_of(run, "kumquat"), id_of(run, "quagga")
    for command in (("get", foreign), ("related", foreign), ("search", "opens", "--why-not", foreign, "-q")):
        code, told = ask(*command)
        assert "bravo" not in told.lower()
        assert code == 2 or json.loads(told)["stage"] == "unknown"
    related = json.loads(ask("related", own)[1])["related"]
    assert {r["citation"]["document"] for r in related} == {"alpine.md"}


def test_counts_are_those_of_the_inside(ask: Any) -> None:
    assert json.loads(ask("info")[1])["documents"] == 2
    pairs = json.loads(ask("duplicates")[1])["pairs"]
    assert {p[side]["document"] for p in pairs for side in ("first", "second")} == {"alpha.md", "alpine.md"}
