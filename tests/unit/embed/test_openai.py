"""The embedder that asks a server: right when the server is, and never wrong when it is not."""

from __future__ import annotations

import json
import math
import socket
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any

import pytest

from tests.unit.embed.server import Reply, Server, data, running
from withgrain.embed import EmbeddingCache, Endpoint, embed_cached, load_embedder
from withgrain.embed.openai import OpenAIEmbedder
from withgrain.errors import ConfigError, IntegrityError, Unavailable, UsageError
from withgrain.testing import embedder_conformance

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WITHGRAIN_OPENAI_API_KEY", "OPENAI_API_KEY", "WITHGRAIN_OPENAI_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as state:
        yield state


def made(server: Server, *, dims: int = 0, **settings: Any) -> tuple[OpenAIEmbedder, list[float]]:
    """Return an embedder of the server, and the waits that it asked for instead of waiting."""
    waits: list[float] = []
    endpoint = Endpoint(base_url=settings.pop("base_url", server.url), **settings)
    return OpenAIEmbedder("m", endpoint, dims=dims, sleep=waits.append, chance=lambda: 1.0), waits


def test_conformance(server: Server) -> None:
    """It keeps every promise of the Protocol; vectors have length 1 although the server's have not."""
    embedder_conformance(made(server)[0])


def test_request_is_what_openai_defines(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Model, input and dimensions are sent to /v1/embeddings, with the key of the environment as a bearer token."""
    monkeypatch.setenv("WITHGRAIN_OPENAI_API_KEY", KEY)
    embedder, _ = made(server, dimensions=8, document_prefix="passage: ", query_prefix="query: ")
    embedder.embed_documents(["one", "two"])
    embedder.embed_query("why")
    first, second = server.asked
    assert first == {
        "model": "m",
        "input": ["passage: one", "passage: two"],
        "encoding_format": "float",
        "dimensions": 8,
    }
    assert second["input"] == ["query: why"]
    assert server.headers[0]["path"] == "/v1/embeddings"
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_base_url_may_end_in_several_ways(server: Server, ending: str) -> None:
    """The address is found whether the user wrote the host, /v1 or the whole."""
    made(server, base_url=server.url.removesuffix("/v1") + ending)[0].embed_query("x")
    assert server.headers[0]["path"] == "/v1/embeddings"


def test_batches_by_count_and_by_bytes(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """No request has more texts, or more bytes, than it may; order is kept."""
    monkeypatch.setattr("withgrain.embed.openai.BATCH_BYTES", 100)
    embedder, _ = made(server, batch=3)
    texts = [f"t{n}" for n in range(7)] + ["ä" * 40, "b" * 30, "c" * 60, "d" * 150, "e"]
    vectors = embedder.embed_documents(texts)
    assert server.texts == texts
    assert all(len(body["input"]) <= 3 for body in server.asked)
    assert all(len(body["input"]) == 1 or sum(len(t.encode()) for t in body["input"]) <= 100 for body in server.asked)
    assert vectors == [embedder.embed_documents([text])[0] for text in texts]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_tries_again_with_growing_waits(server: Server, status: int) -> None:
    """After 429 and 5xx it tries again, each wait twice as long as the one before."""
    server.script = [Reply(status=status, body=b"busy")] * 3
    embedder, waits = made(server)
    assert len(embedder.embed_documents(["x"])) == 1
    assert waits == [0.5, 1.0, 2.0]


def test_gives_up_after_five_tries(server: Server) -> None:
    """Tries are bounded; the error says what the server said and that the rest is kept."""
    server.script = [Reply(status=503, body=b'{"error": {"message": "model is loading"}}')] * 9
    embedder, waits = made(server)
    with pytest.raises(Unavailable, match=r"status 503 \(model is loading\)\. Tried 5 times\. What was embedded"):
        embedder.embed_documents(["x"])
    assert len(server.asked) == 5
    assert len(waits) == 4


@pytest.mark.parametrize(("value", "least", "most"), [("7", 7, 7), ("date", 10, 20)])
def test_retry_after_is_honoured(server: Server, value: str, least: float, most: float) -> None:
    """The wait is the one that the server asks for, as seconds or as a date."""
    asked = formatdate(time() + 20, usegmt=True) if value == "date" else value
    server.script = [Reply(status=429, headers={"Retry-After": asked})]
    embedder, waits = made(server)
    embedder.embed_documents(["x"])
    assert len(waits) == 1
    assert least <= waits[0] <= most


@pytest.mark.parametrize("value", ["soon", "-5", "", "1e99", "Mon, 99 Foo 2026"])
def test_retry_after_that_is_none(server: Server, value: str) -> None:
    """A header that says nothing changes nothing."""
    server.script = [Reply(status=429, headers={"Retry-After": value})]
    embedder, waits = made(server)
    embedder.embed_documents(["x"])
    assert waits == [0.5]


def test_very_long_retry_after_is_an_error(server: Server) -> None:
    """Nobody is kept waiting for an hour without being told."""
    server.script = [Reply(status=429, headers={"Retry-After": "3600"})]
    embedder, waits = made(server)
    with pytest.raises(Unavailable, match="asks to wait 3600 seconds"):
        embedder.embed_documents(["x"])
    assert waits == []


def test_waits_differ_by_chance(server: Server) -> None:
    """Jitter: the wait is between half and the whole."""
    server.script = [Reply(status=500)] * 2
    waits: list[float] = []
    endpoint = Endpoint(base_url=server.url)
    OpenAIEmbedder("m", endpoint, sleep=waits.append, chance=lambda: 0.0).embed_documents(["x"])
    assert waits == [0.25, 0.5]


def _hang(_: dict[str, Any]) -> Reply:
    return Reply(wait=3)


def _cut(_: dict[str, Any]) -> Reply:
    return Reply(body=b'{"data": [' + b"1," * 500, cut=True)


def _slow(_: dict[str, Any]) -> Reply:
    return Reply(body=b" " * 30, drip=0.1)


@pytest.mark.parametrize("broken", [_hang, _cut, _slow], ids=["hang", "cut", "drip"])
def test_broken_connection_is_tried_again(server: Server, broken: Any) -> None:
    """A server that hangs, cuts the connection or drips its answer costs one try, no more."""
    server.script = [broken]
    embedder, waits = made(server, timeout=1)
    assert len(embedder.embed_documents(["x"])) == 1
    assert len(waits) == 1


def test_nobody_there() -> None:
    """A port without a server is an error that names the address."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        embedder, waits = made(Server(), base_url=url)
        with pytest.raises(Unavailable, match=rf"{url}/embeddings cannot be reached"):
            embedder.embed_query("x")
        assert len(waits) == 1, "a question waits less"


def _rows(change: Any) -> Any:
    def reply(body: dict[str, Any]) -> Reply:
        rows = Server().rows(body)
        return data(change(rows))

    return reply


BROKEN = {
    "missing item": _rows(lambda rows: rows[:-1]),
    "one too many": _rows(lambda rows: [*rows, {"index": 9, "embedding": [1.0] * 8}]),
    "the same index twice": _rows(lambda rows: [rows[0], {**rows[1], "index": 0}]),
    "index out of range": _rows(lambda rows: [rows[0], {**rows[1], "index": 7}]),
    "no index": _rows(lambda rows: [{"embedding": r["embedding"]} for r in rows]),
    "no vector": _rows(lambda rows: [{"index": r["index"]} for r in rows]),
    "empty vector": _rows(lambda rows: [rows[0], {**rows[1], "embedding": []}]),
    "vector of texts": _rows(lambda rows: [rows[0], {**rows[1], "embedding": ["1"] * 8}]),
    "vector in base64": _rows(lambda rows: [rows[0], {**rows[1], "embedding": "AAAA"}]),
    "not a number": _rows(lambda rows: [rows[0], {**rows[1], "embedding": [math.nan] * 8}]),
    "infinite": _rows(lambda rows: [rows[0], {**rows[1], "embedding": [math.inf] * 8}]),
    "a number that no float holds": _rows(lambda rows: [rows[0], {**rows[1], "embedding": [10**400] * 8}]),
    "data is no list": lambda _: data("x"),
    "data is null": lambda _: data(None),
    "a list": lambda _: Reply(body=b"[1, 2]"),
    "null": lambda _: Reply(body=b"null"),
    "not JSON": lambda _: Reply(body=b"<html>Welcome to the hotel</html>"),
    "empty": lambda _: Reply(body=b""),
    "deep": lambda _: Reply(body=b"[" * 100_000),
    "not UTF-8": lambda _: Reply(body=b'{"data": "\xff"}'),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_answer_that_cannot_be_used(server: Server, kind: str) -> None:
    """An answer that is not one finite vector for each text, with its index, is refused whole."""
    server.script = [BROKEN[kind]]
    embedder, _ = made(server)
    with pytest.raises(Unavailable, match=r"no JSON|did not give one vector"):
        embedder.embed_documents(["one", "two"])


def test_an_error_that_comes_as_success_is_shown(server: Server) -> None:
    """What the server says is wrong is said to the user, in one clean line."""
    server.script = [Reply(body=b'{"error": {"message": "the model\\nis loading"}}')]
    with pytest.raises(Unavailable, match=r"did not give one vector.*\(the model is loading\)"):
        made(server)[0].embed_documents(["x"])


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_server_that_takes_fewer_texts_gets_fewer(server: Server, status: int) -> None:
    """A limit of the server on texts a request fails no document: the request is halved, and later ones are smaller."""

    def limited(body: dict[str, Any]) -> Reply:
        return Reply(status=status) if len(body["input"]) > 2 else server.right(body)

    server.script = [limited] * 50
    embedder, waits = made(server, batch=8)
    texts = [f"text {n}" for n in range(8)]
    assert len(embedder.embed_documents(texts)) == 8
    assert [len(body["input"]) for body in server.asked] == [8, 4, 2, 2, 4, 2, 2]
    embedder.embed_documents(texts)
    assert [len(body["input"]) for body in server.asked[7:]] == [2, 2, 2, 2]
    assert waits == []


def test_a_text_that_is_refused_is_an_error(server: Server) -> None:
    """The texts beside it show no error of theirs: what is halved ends at one text."""

    def picky(body: dict[str, Any]) -> Reply:
        return Reply(status=400) if "bad" in body["input"] else server.right(body)

    server.script = [picky] * 50
    with pytest.raises(UsageError, match="status 400"):
        made(server, batch=8)[0].embed_documents(["a", "b", "bad", "c", "d"])
    assert len(server.asked) <= 6


def test_huge_answer_is_not_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded whatever the server sends."""
    monkeypatch.setattr("withgrain.embed.service.MOST_BYTES", 100_000)
    server.script = [Reply(body=b" " * 3_000_000)]
    with pytest.raises(Unavailable, match="more than 100,000 bytes"):
        made(server)[0].embed_documents(["x"])


def test_order_is_that_of_the_index(server: Server) -> None:
    """Rows in another order are put in order by their index."""
    embedder, _ = made(server)
    right = embedder.embed_documents(["one", "two", "three"])
    server.script = [_rows(lambda rows: rows[::-1])]
    assert embedder.embed_documents(["one", "two", "three"]) == right


def test_other_length_is_refused(server: Server) -> None:
    """Vectors of another length than the contract's, than those before, or than their neighbours are refused."""
    with pytest.raises(IntegrityError, match="vectors of 8 numbers, not of 16"):
        made(server, dims=16)[0].embed_documents(["x"])
    server.script = [_rows(lambda rows: [rows[0], {**rows[1], "embedding": [1.0] * 7}])]
    with pytest.raises(IntegrityError, match="7, 8 numbers"):
        made(server)[0].embed_documents(["one", "two"])
    embedder, _ = made(server)
    embedder.embed_query("x")
    server.script = [_rows(lambda rows: [{**rows[0], "embedding": [1.0] * 7}])]
    with pytest.raises(IntegrityError, match="7 numbers, not of 8"):
        embedder.embed_documents(["x"])


def test_vector_without_direction_is_refused(server: Server) -> None:
    """A vector of zeros cannot be compared."""
    server.script = [_rows(lambda rows: [{**rows[0], "embedding": [0.0] * 8}])]
    with pytest.raises(IntegrityError, match="no direction"):
        made(server)[0].embed_documents(["x"])


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (400, UsageError, "window"),
        (413, UsageError, "does not take these texts"),
        (422, UsageError, "batch"),
        (401, ConfigError, "WITHGRAIN_OPENAI_API_KEY"),
        (403, ConfigError, "WITHGRAIN_OPENAI_API_KEY"),
        (404, ConfigError, "name of the model"),
    ],
)
def test_refusal_is_not_tried_again(server: Server, status: int, error: type[Exception], says: str) -> None:
    """What cannot change by waiting is an error at once, of the right kind."""
    server.script = [Reply(status=status, body=b'{"error": {"message": "no"}}')]
    embedder, waits = made(server)
    with pytest.raises(error, match=rf"status {status} \(no\).*{says}"):
        embedder.embed_documents(["x"])
    assert waits == []


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect_is_not_followed(server: Server, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts and key go where the user said, nowhere else."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with running() as other:
        server.script = [Reply(status=status, headers={"Location": other.url + "/embeddings"})]
        with pytest.raises(ConfigError, match="Redirects are not followed"):
            made(server)[0].embed_documents(["x"])
        assert other.asked == []


def test_key_is_never_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors, contract and representations are free of the key, even when the server repeats it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    embedder, _ = made(server)
    for status in (400, 401, 404):
        server.script = [Reply(status=status, body=json.dumps({"error": {"message": f"bad key {KEY}!"}}).encode())]
        with pytest.raises((ConfigError, UsageError), match=r"bad key \[key\]!") as caught:
            embedder.embed_documents(["x"])
        assert KEY not in repr(caught.value)
    assert KEY not in f"{embedder!r} {embedder._service!r} {embedder.id}@{embedder.revision}"


def test_foreign_key_is_not_sent_in_clear_text_over_a_network() -> None:
    """OPENAI_API_KEY goes over https and to this machine only; the key that is ours goes where the user said."""
    from withgrain.embed.endpoint import key_for

    foreign = {"OPENAI_API_KEY": KEY}
    assert key_for("https://api.example.com/v1", foreign) == KEY
    assert key_for("http://localhost:11434/v1", foreign) == KEY
    assert key_for("http://models.example.com/v1", foreign) == ""
    assert key_for("http://models.example.com/v1", foreign | {"WITHGRAIN_OPENAI_API_KEY": "own"}) == "own"


@pytest.mark.parametrize(
    "url",
    ["ftp://x/v1", "localhost:11434", "http://", "http://u:p@h/v1", "https://h/v1?k=1", "http://h:0/", "http://h\n"],
)
def test_address_that_is_none(url: str) -> None:
    """An address that cannot be used is refused before anything is sent, without repeating it: it may hold a secret."""
    with pytest.raises(ConfigError, match="base url") as caught:
        load_embedder("openai:m", endpoint=Endpoint(base_url=url))
    assert "u:p" not in str(caught.value)


def test_no_address_no_network() -> None:
    """There is no default server."""
    with pytest.raises(ConfigError, match="WITHGRAIN_OPENAI_BASE_URL"):
        load_embedder("openai:m")


def test_settings_of_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an endpoint the variables count; ours goes before OpenAI's own."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("WITHGRAIN_OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("WITHGRAIN_OPENAI_WINDOW", "12")
    embedder = load_embedder("openai:m")
    assert embedder is not None
    assert (embedder.window, embedder.dims) == (12, 8)
    monkeypatch.setenv("WITHGRAIN_OPENAI_WINDOW", "many")
    with pytest.raises(ConfigError, match="WITHGRAIN_OPENAI_WINDOW"):
        load_embedder("openai:m")


def test_nothing_is_truncated(server: Server) -> None:
    """A text over the window is refused before anything is sent; the prefix counts."""
    embedder, _ = made(server, window=10, document_prefix="passage: ")
    assert embedder.window == 7
    with pytest.raises(UsageError, match=r"text 1 has 8 tokens.* reads 7"):
        embedder.embed_documents(["fine", "the " * 8])
    assert server.asked == []
    assert len(embedder.embed_documents(["the " * 7])) == 1


def test_revision_tells_what_shapes_a_vector(server: Server) -> None:
    """Another prefix, window, length or name of the weights is another revision; another address is not."""
    plain = made(server)[0].revision
    others = [
        made(server, **{name: value})[0].revision
        for name, value in (
            ("window", 100),
            ("tokenizer", "words"),
            ("dimensions", 8),
            ("document_prefix", "p: "),
            ("query_prefix", "q: "),
            ("revision", "v2 @home"),
        )
    ]
    assert len({plain, *others}) == 7
    assert not any("@" in revision for revision in others)
    assert made(server, base_url="https://elsewhere.example.com")[0].revision == plain


def test_what_was_embedded_stays_cached(server: Server, tmp_path: Path) -> None:
    """A failure in the middle costs the request that failed; the next run sends only what is missing."""
    texts = [f"text {n}" for n in range(10)]
    server.script = [_rows(list), _rows(list), *[Reply(status=500)] * 5]
    with EmbeddingCache(tmp_path / "cache") as cache:
        with pytest.raises(Unavailable):
            embed_cached(made(server, batch=4, dims=8)[0], cache, texts)
        assert cache.count() == 8
        server.asked.clear()
        vectors, embedded = embed_cached(made(server, batch=4, dims=8)[0], cache, texts)
    assert (embedded, server.texts, len(vectors)) == (2, texts[8:], 10)


def test_strange_texts_are_sent(server: Server) -> None:
    """A lone surrogate and an empty text do not stop a batch."""
    assert len(made(server)[0].embed_documents(["\ud800", "", "x\x00y"])) == 3
    assert server.texts == ["?", " ", "x\x00y"]
