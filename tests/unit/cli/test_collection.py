"""``withgrain collection``, ``forget``, ``migrate`` and ``--as-of`` as commands: shapes, exit codes, no traceback."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from withgrain.cli import application


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in a folder with a collection of two runs; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["withgrain", *words])
        with pytest.raises(SystemExit) as ended:
            application.main()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return int(ended.value.code or 0), out, err

    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "keys.md").write_text("# Keys\n\nRotate the oldword each day.\n")
    (docs / "other.md").write_text("# Other\n\nNothing to see.\n")
    assert command("ingest", "docs", "--embedder", "none", "-q")[0] == 0
    (docs / "keys.md").write_text("# Keys\n\nRotate the newword each day.\n")
    assert command("ingest", "docs", "--embedder", "none", "-q")[0] == 0
    return command


def test_the_care_of_a_collection(run: Any, tmp_path: Path) -> None:
    """History, older states, going back, checking, tidying, taking out, forgetting, rebuilding."""
    states = json.loads(run("collection", "history", "--json")[1])["states"]
    first, second = (s["version"] for s in states)
    assert all(s["counts"]["documents"] == 2 for s in states)
    assert "oldword" in run("search", "oldword", "--as-of", str(first))[1]
    assert "oldword" not in run("search", "oldword", "--as-of", states[1]["time"])[1]
    assert json.loads(run("info", "--as-of", str(first), "--json")[1])["version"] == first
    assert json.loads(run("collection", "info", "--json")[1])["version"] == second
    chunk = json.loads(run("search", "oldword", "--as-of", str(first), "--json")[1])["hits"][0]["chunk_id"]
    assert "oldword" in run("get", chunk, "--as-of", str(first))[1]
    code, out, err = run("info", "--as-of", "yesterday")
    assert (code, out) == (2, "") and "neither a version nor a time" in err
    assert run("info", "--as-of", "99")[0] == run("collection", "restore", "99")[0] == 2

    assert run("collection", "restore", str(first))[0] == 0
    assert "oldword" in run("search", "oldword")[1]
    code, out, _ = run("collection", "verify", "--json")
    assert code == 0 and json.loads(out)["problems"] == []
    assert json.loads(run("collection", "compact", "--json")[1])["bytes_after"] > 0

    lines = [json.loads(line) for line in run("collection", "export")[1].splitlines()]
    assert {line["uri"] for line in lines} == {"docs/keys.md", "docs/other.md"} and all(line["text"] for line in lines)
    assert run("collection", "export", "--format", "parquet", "--out", "tables")[0] == 0
    from pyarrow import parquet

    assert parquet.read_table(tmp_path / "tables" / "chunks.parquet").num_rows == len(lines)
    assert (
        run("collection", "export", "--format", "xml")[0] == run("collection", "export", "--format", "parquet")[0] == 2
    )

    done = json.loads(run("forget", "keys.md", "--json")[1])
    assert done["documents"] == ["docs/keys.md"] and done["files_with_traces"] == []
    assert len(json.loads(run("collection", "history", "--json")[1])["states"]) == 1
    assert run("forget", "keys.md")[0] == 2
    assert "nothing differs" in run("migrate")[1]
    assert "policy" in run("migrate", "--policy", "paragraph", "--dry-run")[1]
    moved = json.loads(run("migrate", "--policy", "paragraph", "--json")[1])
    assert moved["documents"]["file"] == 1 and moved["version"] is not None
    assert run("collection", "verify")[0] == 0


def test_damage_is_exit_6_with_the_command_that_mends(run: Any, tmp_path: Path) -> None:
    """Every command says what is wrong in one line; `verify` lists it."""
    victim = max((tmp_path / ".withgrain").glob("g*/chunks.lance/data/*"), key=lambda f: f.stat().st_size)
    victim.write_bytes(victim.read_bytes()[:-200])
    for command in (("search", "newword"), ("collection", "export"), ("collection", "compact")):
        code, _, err = run(*command)
        assert code == 6 and "error: " in err and "collection verify" in err, (command, err)
    code, out, _ = run("collection", "verify")
    assert code == 6 and victim.name in out and "mend: " in out
    (tmp_path / ".withgrain" / "head.json").write_text("{")
    code, _, err = run("search", "newword")
    assert code == 6 and "collection restore" in err
    assert run("collection", "restore", "1")[0] in (0, 6)


def test_there_is_no_collection(run: Any) -> None:
    """A place without one is a usage error for every command."""
    for words in (("verify",), ("history",), ("restore", "1"), ("compact",), ("export",)):
        assert run("collection", *words, "-c", "nowhere")[0] == 2
    assert run("forget", "a.md", "-c", "nowhere")[0] == run("migrate", "-c", "nowhere")[0] == 2


def test_more_like_an_id_a_file_or_a_text(run: Any, tmp_path: Path) -> None:
    """ "`search --like ID|FILE|TEXT`": the example itself is no answer; either a question or an example."""
    found = json.loads(run("search", "newword", "--json")[1])["hits"][0]
    others = json.loads(run("search", "--like", found["chunk_id"], "--json")[1])["hits"]
    assert found["chunk_id"] not in {hit["chunk_id"] for hit in others}
    (tmp_path / "mine.txt").write_text("Rotate the newword.")
    for example in ("mine.txt", "Rotate the newword."):
        hits = json.loads(run("search", "--like", example, "-k", "1", "--json")[1])["hits"]
        assert [hit["document"] for hit in hits] == ["keys.md"]
    assert run("search", "question", "--like", "text")[0] == run("search")[0] == run("search", "--like", " ")[0] == 2
    for ignored in (["--doc"], ["--mode", "lexical"], ["--diversity", "1"], ["--expand", "section"], ["--merge"]):
        assert run("search", "--like", "text", *ignored)[0] == 2


def test_a_packed_context_is_made_of_the_results_that_were_asked_for(run: Any) -> None:
    """No flag is taken and then forgotten: number, order and documents of what is packed are those of the results."""
    for flags in (["-k", "1"], ["-k", "2"], ["--doc", "-k", "2"], ["--expand", "section", "-k", "1"]):
        hits = json.loads(run("search", "key", "--json", *flags)[1])["hits"]
        packed = json.loads(run("search", "key", "--json", "--max-tokens", "9999", *flags)[1])
        whole = {(item["chunk_id"], item["span"][1]) for item in packed["items"]}
        assert whole <= {(hit["chunk_id"], hit["span"][1]) for hit in hits}
        assert len(whole) + len(packed["left_out"]) == len(hits)
    away = ["--rerank", "http:http://127.0.0.1:9/rerank"]
    code, _, told = run("search", "key", "--max-tokens", "99", *away)
    assert (code, "did not answer" in told) == (0, True), "what could not be done as asked is told"
    assert "did not answer" in json.loads(run("search", "key", "--max-tokens", "99", "--json", *away)[1])["notices"][-1]
    for other in (["--max-tokens", "9"], ["--why-not", "x"]):
        assert run("search", "key", "--explain", *other)[0] == 2
