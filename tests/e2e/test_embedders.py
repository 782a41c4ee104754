"""Collections whose vectors come from a server, and collections without vectors, by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import write
from tests.support import run_cli
from tests.unit.embed.server import Reply, running
from withgrain import app
from withgrain.embed import Endpoint
from withgrain.errors import ConfigError

QUESTION = "how long are audit events kept"


def test_server_from_ingest_to_search(tmp_path: Path) -> None:
    """Ingest, unchanged ingest, search, and search without the server; the key is in no file and no output."""
    write(tmp_path / "docs")
    key = "sk-never-to-be-seen"
    with running() as server:
        env = {"WITHGRAIN_OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": key, "WITHGRAIN_OPENAI_WINDOW": "500"}

        def run(*arguments: str) -> dict[str, object]:
            done = run_cli([*arguments, "--json"], cwd=tmp_path, env=env)
            assert done.code == 0, done.stderr
            assert key not in done.stdout + done.stderr
            answer: dict[str, object] = json.loads(done.stdout)
            return answer

        first = run("ingest", "docs", "--embedder", "openai:some@model")
        assert first["embedded"]
        assert server.headers[-1]["Authorization"] == f"Bearer {key}"
        found = run("search", QUESTION, "--explain")
        assert server.texts[-1] == QUESTION
        assert found["trace"]["mode"] == "hybrid"  # type: ignore[index]
        server.script = [Reply(status=500)] * 9
        away = run("search", QUESTION, "--explain")
        assert away["hits"]
        assert "Searched by words only" in str(away["trace"])
        assert not any(key.encode() in f.read_bytes() for f in tmp_path.rglob("*") if f.is_file())


def test_ingest_goes_on_where_the_server_failed(tmp_path: Path) -> None:
    """A server that fails half-way costs the request that failed; the next run sends only what is missing."""
    docs = write(tmp_path / "docs")
    with running() as server:
        endpoint = Endpoint(base_url=server.url, batch=2)
        server.script = [server.right, server.right, Reply(status=401)]
        with app.open(tmp_path / "kb", embedder="openai:m", endpoint=endpoint) as library:
            with pytest.raises(ConfigError, match="Set the key"):
                library.ingest(docs)
            answered = set(server.asked[1]["input"])
            server.asked.clear()
            report = library.ingest(docs)
            assert report.vectors.made == report.vectors.total > 0
            asked = len(server.asked)
            assert library.ingest(docs).embedded == 0
            assert len(server.asked) == asked, "nothing changed: the server is left alone"
            assert not answered & set(server.texts)


COMMANDS = (
    ("ingest", "docs", "--embedder", "none"),
    ("search", QUESTION, "--mode", "lexical"),
    ("search", QUESTION, "--json"),
    ("search", QUESTION, "--rerank", "none", "--explain"),
    ("info", "--json"),
    ("cite", "until the hold is lifted"),
    ("duplicates", "--json"),
    ("topics", "--json"),
    ("collection", "verify"),
    ("collection", "history"),
    ("migrate", "--dry-run", "--json"),
    ("get", "docs/policies/retention.md"),
    ("chunk", "docs/policies/retention.md"),
    ("audit", "docs"),
    ("collection", "compact"),
    ("collection", "export", "--out", "out.ndjson"),
    ("forget", "docs/policies/retention.md"),
)


def test_words_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Rule: lexical only, the whole product works; no command needs a model. In one process, to be quick."""
    from withgrain import cli

    def no_model() -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("withgrain.embed.minilm.MiniLM._engine", lambda _: no_model())
    monkeypatch.chdir(write(tmp_path / "docs").parent)
    for arguments in COMMANDS:
        monkeypatch.setattr("sys.argv", ["withgrain", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 0, (arguments, capfd.readouterr().err)
