"""``search --why-not`` on the command line: ids and paths, hits and contexts, for people and programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import withgrain
from withgrain.cli import application


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for number in range(5):
        filler = " ".join(f"The marmot {number}{n:03} sleeps in its burrow." for n in range(30))
        (tmp_path / "docs" / f"{number}.md").write_text(f"# Page {number}\n\nMarmot. {filler}\n")
    withgrain.open("kb", embedder="none").ingest("docs")

    def command(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["withgrain", "search", "marmot", "-c", "kb", *words])
        with pytest.raises(SystemExit) as ended:
            application.main()
        assert not ended.value.code
        return capsys.readouterr().out

    return command


@pytest.mark.parametrize(
    ("words", "stage"),
    [
        ((), "hit"),
        (("-k", "1"), "rank"),
        (("--max-tokens", "100"), "budget"),
        (("--max-tokens", "9000"), "hit"),
        (("-f", "not class = nothing and document != 4.md"), "filter"),
        (("-k", "1", "--fusion", "rrf"), "rank"),
    ],
)
def test_a_path_is_explained(run: Any, words: tuple[str, ...], stage: str) -> None:
    told = json.loads(run("--why-not", "4.md", "--json", *words))
    assert told["stage"] == stage
    assert stage in run("--why-not", told["chunk_id"], *words)
