"""A reranker behind HTTP: the request that text-embeddings-inference, Cohere, Jina and vLLM servers take.

``POST URL`` with ``{"model", "query", "documents", "texts", "return_documents": false}``; the answer is a list of
``{"index", "score" or "relevance_score"}``, bare or under ``results``. Only the address that the user wrote is asked;
redirects are not followed, so that a question never goes elsewhere.
"""

from __future__ import annotations

import json
import math
import os
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
            timeout: Seconds to connect, and between two pieces of the answer.
            token: Sent as a bearer token; that of the environment variable when None.

        Raises:
            ConfigError: This is no http(s) address.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f'"{url}" is no address of a reranker. Write http:http://HOST:PORT/rerank.')
        self._url, self._model, self._timeout = url, model, timeout
        self._token = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        self._opener = build_opener(_NoRedirect, *((ProxyHandler({}),) if local else ()))

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, as the service gives them.

        Raises:
            Unavailable: The service does not answer in time, answers with an error, or with something else.
        """
        if not texts:
            return []
        try:
            with self._opener.open(self._request(question, texts), timeout=self._timeout) as answer:
                data = answer.read(_MOST_BYTES + 1)
        except HTTPError as error:
            raise Unavailable(f"{self._url} answered with status {error.code} ({error.reason}).") from error
        except (URLError, HTTPException, OSError) as error:
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
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Unavailable(f"{self._url} answered with something that is no list of scores.") from error
        scores = [found.get(n, math.nan) for n in range(count)]
        if len(found) != count or not all(map(math.isfinite, scores)):
            raise Unavailable(f"{self._url} did not give one number for each of {count} texts.")
        return scores


class _NoRedirect(HTTPRedirectHandler):
    """Makes a redirect an error."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Refuse."""


def from_spec(rest: str) -> HttpReranker:
    """Return the reranker for ``http:URL`` or ``http:URL#MODEL``."""
    url, _, model = rest.partition("#")
    return HttpReranker(url, model=model)
