"""Rerankers by name; the HTTP one against a real local server that fails in every way."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from withgrain.errors import ConfigError, MissingExtra, Unavailable
from withgrain.search.rerankers import load_reranker
from withgrain.search.rerankers.cross_encoder import CrossEncoderReranker
from withgrain.search.rerankers.http import TOKEN_VARIABLE, HttpReranker

TEXTS = ["a pump", "a valve", "a log"]


class Service(ThreadingHTTPServer):
    daemon_threads = True
    seen: dict[str, Any]
    status = 200
    body = b""
    location = ""
    wait = 0.0
    drip = 0.0
    cut = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the test."""


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.seen = {"body": json.loads(self.rfile.read(length)), "token": self.headers.get("Authorization")}
        time.sleep(self.server.wait)
        if self.server.cut:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        if self.server.drip:
            for place in range(len(self.server.body)):
                self.wfile.write(self.server.body[place : place + 1])
                time.sleep(self.server.drip)
            return
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def service(**given: Any) -> Iterator[tuple[Service, str]]:
    server = Service(("127.0.0.1", 0), Handler)
    for name, value in given.items():
        setattr(server, name, value)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{server.server_address[1]}/rerank"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def scores(rows: object) -> bytes:
    return json.dumps(rows).encode()


@pytest.mark.parametrize("name", ["score", "relevance_score"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_scores_come_in_the_order_of_the_texts(name: str, wrapped: bool) -> None:
    rows = [{"index": 2, name: 0.9}, {"index": 0, name: -1}, {"index": 1, name: 3}]
    with service(body=scores({"results": rows} if wrapped else rows)) as (server, url):
        reranker = load_reranker(f"http:{url}#small")
        assert reranker is not None
        assert reranker.scores("which valve? ünïcode", TEXTS) == [-1.0, 3.0, 0.9]
        assert server.seen["body"]["query"] == "which valve? ünïcode"
        assert server.seen["body"]["documents"] == TEXTS
        assert server.seen["body"]["model"] == "small"
        assert reranker.scores("nothing", []) == []


def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "t0ken")
    with service(body=scores([{"index": 0, "score": 1}])) as (server, url):
        HttpReranker(url).scores("q", ["a"])
        assert server.seen["token"] == "Bearer t0ken"


@pytest.mark.parametrize(
    "given",
    [
        {"status": 500},
        {"status": 404},
        {"status": 302, "location": "http://127.0.0.1:9/elsewhere"},
        {"body": b"no json"},
        {"body": b""},
        {"body": b"\xff\xfe"},
        {"body": scores({"error": "x"})},
        {"body": scores([1, 2, 3])},
        {"body": scores([{"index": 0, "score": 1}])},
        {"body": scores([{"index": n, "score": None} for n in range(3)])},
        {"body": b'[{"index":0,"score":NaN},{"index":1,"score":1},{"index":2,"score":1}]'},
        {"body": scores([{"index": n, "score": 1} for n in range(4)])},
        {"body": b'[{"index":0,"score":1' + b"0" * 400 + b"}]"},
        {"body": b'[{"index":1e999,"score":1}]'},
        {"body": b"[" * 100_000},
        {"body": b" " * 4_000_001},
        {"cut": True},
    ],
)
def test_every_failure_of_the_service_is_unavailable(given: dict[str, Any]) -> None:
    with service(**given) as (_, url), pytest.raises(Unavailable, match=r"127\.0\.0\.1"):
        HttpReranker(url, timeout=5).scores("q", TEXTS)


def test_nobody_there_and_too_slow() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unavailable, match="cannot be reached"):
        HttpReranker(f"http://127.0.0.1:{port}/rerank").scores("q", TEXTS)
    with service(wait=0.6) as (_, url), pytest.raises(Unavailable):
        HttpReranker(url, timeout=0.1).scores("q", TEXTS)


@pytest.mark.parametrize(
    "spec",
    [
        "unknown",
        "http:",
        "http:ftp://x/y",
        "http:/etc/passwd",
        "http:http://[::1",
        "http:http://h:port/x",
        "http:http://h:99999/x",
        "http:http://h/a b",
        "http:http://h/\n",
        "http:http://h/é",
        "http:http://user:secret@h/x",
        "cross-encoder:",
        "cross-encoder:/nowhere/x",
    ],
)
def test_specifications_that_mean_nothing_are_refused(spec: str) -> None:
    with pytest.raises(ConfigError):
        load_reranker(spec)


def test_an_answer_that_never_ends_is_not_waited_for() -> None:
    """The time for an answer is bounded as a whole, not from one piece to the next."""
    with service(body=b" " * 2_000, drip=0.02) as (_, url):
        began = time.monotonic()
        with pytest.raises(Unavailable, match="in time"):
            HttpReranker(url, timeout=0.2).scores("q", TEXTS)
        assert time.monotonic() - began < 20


@pytest.mark.parametrize("token", ["two\nlines", "naïve", "tab\t"])
def test_a_token_that_no_header_can_hold_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(ConfigError) as told:
        HttpReranker("http://127.0.0.1:9/x", token=token)
    assert token not in str(told.value)


@pytest.mark.parametrize(
    "code", ["import nothing_of_that_name", "def make(rest): raise RuntimeError(rest)", "make = 5"]
)
def test_a_reranker_of_another_package_that_cannot_be_loaded_is_named(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "broken_ranks-1.0.dist-info"
    info.mkdir()
    (tmp_path / "broken_ranks.py").write_text(code)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-ranks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[withgrain.rerankers]\nbroken = broken_ranks:make\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        with pytest.raises(ConfigError, match="broken_ranks"):
            load_reranker("broken:x")
    finally:
        sys.modules.pop("broken_ranks", None)


@pytest.mark.parametrize("name", ["http", "cross-encoder", "late"])
def test_own_rerankers_are_entry_points_that_no_other_package_takes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quote: "adapters for an HTTP reranker and sentence-transformers cross-encoders as entry points"."""
    (own,) = entry_points(group="withgrain.rerankers", name=name)
    assert own.value.startswith("withgrain.search.rerankers.")
    for other in ("aaa", "zzz"):  # whichever is found first
        info = tmp_path / f"{other}_ranks-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {other}-ranks\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[withgrain.rerankers]\n{name} = nothing_of_that_name:make\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert len(entry_points(group="withgrain.rerankers", name=name)) == 3
    loaded: list[str] = []
    monkeypatch.setattr(f"{own.module}.from_spec", lambda rest: loaded.append(rest) or HttpReranker("http://h/x"))
    assert load_reranker(f"{name}:some:rest") is not None
    assert loaded == ["some:rest"]


def test_none_is_none() -> None:
    assert load_reranker("none") is None


def test_a_cross_encoder_scores_pairs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def predict(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [float(len(text)) for _, text in pairs]

    assert CrossEncoderReranker(Model()).scores("q", TEXTS) == [6.0, 7.0, 5.0]
    assert CrossEncoderReranker(Model()).scores("q", []) == []
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match="cross-encoder"):
        load_reranker(f"cross-encoder:{tmp_path}")


def test_late_interaction_with_the_bundled_model() -> None:
    """The built-in reranker: no download, the same scores again, the text that answers first."""
    late = load_reranker("late")
    assert late is not None
    texts = ["Reset › Steps\nOpen the user and reset the password.", "Lunch\nThe canteen opens at noon.", ""]
    first = late.scores("how do I reset a password?", texts)
    assert first[0] > max(first[1:])
    assert all(-1 <= score <= 1 for score in first)
    assert late.scores("how do I reset a password?", texts) == first
    assert late.scores("q", []) == []
    with pytest.raises(ConfigError):
        load_reranker("late:big")
