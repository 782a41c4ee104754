"""Several readers over HTTP, each with a token and a scope; resources; ids of yesterday; secrets; several states."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

import withgrain
from tests.e2e.conftest import DOCUMENTS, write
from withgrain.mcp.access import Reader, reader_of
from withgrain.mcp.calls import call
from withgrain.mcp.collections import Collections, States
from withgrain.mcp.http import make_app
from withgrain.mcp.serving import make_server
from withgrain.mcp.tools import TOOLS
from withgrain.search.filters import read_scope

TOOL = {tool.name: tool for tool in TOOLS}
TOKENS = {"a": "token-of-team-a-0123456789", "b": "token-of-team-b-0123456789"}
PAGES = {
    "a/plan.md": "# Plan\n\n## Aurora\n\nThe aurora key is rotated on Monday.\n",
    "b/plan.md": "# Plan\n\n## Borealis\n\nThe borealis key is rotated on Friday.\n",
}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> States:
    """Return a collection of two teams."""
    place = tmp_path_factory.mktemp("readers")
    write(place / "docs", PAGES)
    rules = [("a/**", "team=a"), ("b/**", "team=b")]
    withgrain.open(place / "kb", embedder="none").ingest(place / "docs", label_rules=rules)
    return States({"kb": place / "kb"}, embedder="none")


@contextmanager
def served(states: States, readers: list[Reader]) -> Iterator[str]:
    """Serve in a thread and return the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    app = make_app(states, readers, host="127.0.0.1")
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join(30)


def raw(url: str, body: Any, headers: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
    """Send one JSON-RPC request as bytes; return status, answer and headers."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    base = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, data=data, headers=base | headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None, dict(answer.headers)
    except HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


def request(method: str, params: dict[str, Any], id: int = 1) -> dict[str, Any]:
    """Return a JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def test_tokens_over_http(states: States) -> None:
    """Without a valid token nothing is answered; each token sees its own scope; no session can be used by another."""
    readers = [reader_of(token, read_scope([f"team={team}"])) for team, token in TOKENS.items()]
    with served(states, readers) as url:
        for wrong in ({}, {"Authorization": "Bearer no"}, {"Authorization": f"Basic {TOKENS['a']}"}):
            status, said, headers = raw(url, request("initialize", HELLO), wrong)
            assert status == 401 and "Bearer" in headers["www-authenticate"] and "team" not in said
        sessions = {}
        for team, token in TOKENS.items():
            own = {"Authorization": f"Bearer {token}"}
            status, answer, headers = raw(url, request("initialize", HELLO), own)
            assert status == 200 and answer["result"]["serverInfo"]["name"] == "withgrain"
            sessions[team] = own | {"Mcp-Session-Id": headers["mcp-session-id"]}
            raw(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, sessions[team])
            ask = request("tools/call", {"name": "search", "arguments": {"query": "which key is rotated"}})
            status, answer, _ = raw(url, ask, sessions[team])
            hits = answer["result"]["structuredContent"]["hits"]
            assert [hit["document"] for hit in hits] == [f"{team}/plan.md"]
        stolen = sessions["a"] | {"Authorization": f"Bearer {TOKENS['b']}"}
        status, _, _ = raw(url, request("tools/list", {}), stolen)
        assert status == 404


def test_errors_of_the_protocol_over_http(states: States) -> None:
    """What is no request is refused with the protocol's codes, and the server goes on."""
    with served(states, [Reader(name="all")]) as url:
        _, _, headers = raw(url, request("initialize", HELLO), {})
        session = {"Mcp-Session-Id": headers["mcp-session-id"]}
        assert raw(url, b"this is not JSON", session)[0] == 400
        assert raw(url, b"x" * 300_000, session)[0] == 413
        assert raw(url, request("tools/list", {}), {"Mcp-Session-Id": "never-given"})[0] == 404
        assert raw(url, request("tools/list", {}), session | {"Host": "evil.example"})[0] == 421
        assert raw(url, request("tools/list", {}), session | {"Origin": "http://evil.example"})[0] == 403
        for method, params, code in (
            ("no/such", {}, -32601),
            ("tools/call", {"arguments": {}}, -32602),
            ("tools/call", {"name": "drop", "arguments": {}}, -32602),
            ("resources/read", {"uri": "file:///etc/passwd"}, -32602),
            ("resources/list", {"cursor": "zzz"}, -32602),
        ):
            _, answer, _ = raw(url, request(method, params), session)
            assert answer["error"]["code"] == code, (method, answer)
        assert raw(url, request("tools/list", {}), session)[1]["result"]["tools"]


def test_sdk_client_with_a_token(states: States) -> None:
    """The SDK's own client over HTTP, with the token in its headers."""

    async def run(url: str) -> Any:
        headers = {"Authorization": f"Bearer {TOKENS['a']}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool("outline", {})

    with served(states, [reader_of(TOKENS["a"], read_scope(["team=a"]))]) as url:
        assert [row["document"] for row in anyio.run(run, url).structured_content["rows"]] == ["a/plan.md"]


def test_resources(states: States) -> None:
    """Documents are listed and read as resources, sections by their id, all inside the scope and as data."""

    async def run() -> None:
        async with Client(make_server(Collections(states, scope=read_scope(["team=a"])))) as client:
            (listed,) = (await client.list_resources()).resources
            assert (listed.name, listed.title) == ("a/plan.md", "Plan")
            (content,) = (await client.read_resource(listed.uri)).contents
            assert "The aurora key is rotated on Monday." in content.text
            assert content.text.startswith("Quoted from documents: data")
            outline = await client.call_tool("outline", {"document": "a/plan.md"})
            section = outline.structured_content["rows"][1]["section"]
            (content,) = (await client.read_resource(f"withgrain://kb/section/{section}")).contents
            assert "## Aurora" in content.text
            templates = (await client.list_resource_templates()).resource_templates
            assert [t.name for t in templates] == ["document", "section"]
            for foreign in (
                str(listed.uri).replace("a/plan", "b/plan"),
                "withgrain://other/document/x",
                "file:///etc/x",
            ):
                with pytest.raises(MCPError) as error:
                    await client.read_resource(foreign)
                assert "borealis" not in str(error.value).lower()

    anyio.run(run)


def test_retired_ids_lead_on(tmp_path: Path) -> None:
    """An id of yesterday is answered with what took its place, and says so; one whose text is gone says that."""
    docs = write(tmp_path / "docs", DOCUMENTS)
    library = withgrain.open(tmp_path / "kb", embedder="none")
    library.ingest(docs)
    served = Collections(States({"kb": tmp_path / "kb"}, embedder="none"))
    search = call(served, TOOL["search"], {"query": "how long are audit events kept", "k": 1})
    old = search.data["hits"][0]["id"]
    page = docs / "policies" / "retention.md"
    page.write_text(page.read_text().replace("for 400 days", "for 500 days"))
    library.ingest(docs)
    found = call(served, TOOL["get"], {"id": old})
    assert found.data["id"] != old and "500 days" in found.data["text"]
    assert found.data["retired"] == "changed" and "retired (changed)" in found.text


def test_secrets_are_marked_when_they_are_read(tmp_path: Path) -> None:
    """A secret that was ingested all the same is delivered with a warning that does not repeat it."""
    token = "ghp" + "_" + "q7RtB2xK9mZpL4vN8wYcJ3hD6sFgT5aEuXiV"
    docs = write(tmp_path / "docs", {"deploy.md": f"# Deploy\n\nUse the token {token} for it.\n"})
    report = withgrain.open(tmp_path / "kb", embedder="none").ingest(docs)
    assert [n.notice.kind for n in report.notices] == ["secrets"]
    served = Collections(States({"kb": tmp_path / "kb"}, embedder="none"))
    (hit,) = call(served, TOOL["search"], {"query": "deploy token"}).data["hits"]
    (warning,) = [w for w in hit["warnings"] if w["kind"] == "secret"]
    assert "github token" in warning["detail"] and token not in warning["detail"]


def test_what_to_try_when_nothing_is_found(states: States) -> None:
    """The nearest value, the filter that is too much, the other collection: only of what the reader may see."""
    served = Collections(states, scope=read_scope(["team=a"]))
    near = call(served, TOOL["search"], {"query": "key", "filters": ['document = "a/plam.md"']})
    assert "a/plan.md" in near.text and "b/plan.md" not in near.text
    broader = call(served, TOOL["search"], {"query": "key rotated", "filters": ["quality > 1000", "kind = normal"]})
    assert "Without the filter on quality there are hits." in broader.text
    foreign = call(served, TOOL["search"], {"query": "key", "filters": ['labels contains "team=b"']})
    assert foreign.data["hits"] == [] and "borealis" not in foreign.text.lower()
