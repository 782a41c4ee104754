"""A real server of embeddings on the loopback interface that can be told to fail in every way."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from withgrain.testing import HashEmbedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does with one request: a status and a body; or it ``cut``s or holds the connection."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    wait: float = 0.0
    drip: float = 0.0


@dataclass(slots=True, kw_only=True)
class Server:
    """What the server was asked, and what it shall answer: one entry of ``script`` each, then rightly."""

    url: str = ""
    script: list[Reply | Callable[[dict[str, Any]], Reply]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    model: HashEmbedder = field(default_factory=lambda: HashEmbedder(8, window=10_000))

    @property
    def texts(self) -> list[str]:
        """Return all texts that were sent."""
        return [text for body in self.asked for text in body["input"]]

    def rows(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the right rows; vectors are not scaled to length 1."""
        vectors = self.model.embed_documents(body["input"])
        return [{"object": "embedding", "index": n, "embedding": [3 * x for x in v]} for n, v in enumerate(vectors)]

    def answer(self, body: dict[str, Any]) -> Reply:
        """Return what is due."""
        if self.script:
            due = self.script.pop(0)
            return due if isinstance(due, Reply) else due(body)
        return self.right(body)

    def right(self, body: dict[str, Any]) -> Reply:
        """Return the right answer."""
        return data(self.rows(body))


def data(rows: object) -> Reply:
    """Return an answer of the right form with these rows."""
    return Reply(body=json.dumps({"object": "list", "data": rows, "model": "m"}).encode())


@contextmanager
def running() -> Iterator[Server]:
    """Run a server until the end of the block."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.send_error(405)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.headers.append({**self.headers, "path": self.path})
            self._send(state.answer(body))

        def _send(self, reply: Reply) -> None:
            time.sleep(reply.wait)
            self.close_connection = True
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if reply.cut:
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            for start in range(0, len(reply.body), 1 if reply.drip else 1 << 20):
                self.wfile.write(reply.body[start : start + (1 if reply.drip else 1 << 20)])
                time.sleep(reply.drip)

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            """A client that went away is no news."""

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
