"""A reranker behind HTTP: the request that text-embeddings-inference, Cohere, Jina and vLLM servers take.

``POST URL`` with ``{"model", "query", "documents", "texts", "return_documents": false}``; the answer is a list of
``{"index", "score" or "relevance_score"}``, bare or under ``results``. Only the address that the user wrote is asked;
redirects are not followed, so that a question never goes elsewhere.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from withgrain.errors import ConfigError, Unavailable

#: Environment variable with the token that is sent as ``Authorization: Bearer``.
TOKEN_VARIABLE = "WITHGRAIN_RERANK_TOKEN"
TIMEOUT = 10.0
_MOST_BYTES = 4_000_000
_PIECE = 1 << 16


class HttpReranker:
    """Asks a service; see the module.

    Attributes:
        name: ``http``.
    """

    name = "http"

    def __init__(self, url: str, *, model: str = "", timeout: float = TIMEOUT, token: str | None = None) -> None:
        """Prepare to ask ``url``; nothing is sent yet.

        Args:
            url: Address of the service's rerank endpoint.
            model: Name of the model, for services that have several.
            timeout: Seconds that the answer may take.
            token: Sent as a bearer token; that of the environment variable when None.

        Raises:
            ConfigError: This is no http(s) address, or no token that can be sent.
        """
        self._url, self._model, self._timeout = url, model, timeout
        self._token = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
        if not (self._token.isascii() and self._token.isprintable()):
            raise ConfigError(f"{TOKEN_VARIABLE} holds signs that no header can hold. Set it to the token alone.")
        local = _host(url) in ("localhost", "127.0.0.1", "::1")
        self._opener = build_opener(_NoRedirect, *((ProxyHandler({}),) if local else ()))

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, as the service gives them.

        Raises:
            Unavailable: The service does not answer in time, answers with an error, or with something else.
        """
        if not texts:
            return []
        deadline = time.monotonic() + self._timeout
        try:
            with self._opener.open(self._request(question, texts), timeout=self._timeout) as answer:
                data = b""
                while len(data) <= _MOST_BYTES and (piece := answer.read1(_PIECE)):
                    data += piece
                    if time.monotonic() > deadline:
                        raise TimeoutError("it did not end its answer in time")
        except HTTPError as error:
            raise Unavailable(f"{self._url} answered with status {error.code} ({error.reason}).") from error
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise Unavailable(f"{self._url} cannot be reached: {reason or type(error).__name__}.") from error
        return self._read(data, len(texts))

    def _request(self, question: str, texts: Sequence[str]) -> Request:
        body: dict[str, Any] = {"query": question, "documents": list(texts), "texts": list(texts)}
        body |= {"return_documents": False} | ({"model": self._model} if self._model else {})
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = json.dumps(body).encode("ascii")
        return Request(self._url, data=data, headers=headers, method="POST")

    def _read(self, data: bytes, count: int) -> list[float]:
        """Return the scores in the order of the texts.

        Raises:
            Unavailable: The answer is too long, no JSON, of another form, or incomplete.
        """
        if len(data) > _MOST_BYTES:
            raise Unavailable(f"{self._url} answered with more than {_MOST_BYTES:,} bytes.")
        try:
            answer = json.loads(data)
            rows = answer["results"] if isinstance(answer, dict) else answer
            found = {int(row["index"]): float(row.get("score", row.get("relevance_score"))) for row in rows}
        except (ArithmeticError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Unavailable(f"{self._url} answered with something that is no list of scores.") from error
        scores = [found.get(n, math.nan) for n in range(count)]
        if len(found) != count or not all(map(math.isfinite, scores)):
            raise Unavailable(f"{self._url} did not give one number for each of {count} texts.")
        return scores


def _host(url: str) -> str:
    """Return the host of an address; raises ConfigError when it is none, or holds a name and password."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https") or not (url.isascii() and url.isprintable()) or " " in url:
        raise ConfigError(f"{url[:200]!r} is no address of a reranker. Write http:http://HOST:PORT/rerank.")
    if "@" in parts.netloc:
        raise ConfigError(f"The address of a reranker holds no password. Set its token in {TOKEN_VARIABLE}.")
    return host


class _NoRedirect(HTTPRedirectHandler):
    """Makes a redirect an error."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Refuse."""


def from_spec(rest: str) -> HttpReranker:
    """Return the reranker for ``http:URL`` or ``http:URL#MODEL``."""
    url, _, model = rest.partition("#")
    return HttpReranker(url, model=model)
