"""One JSON request to a server of embeddings: bounded in time, size and number of tries."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from withgrain.embed.endpoint import is_loopback
from withgrain.errors import ConfigError, Unavailable, UsageError, WithgrainError

#: Tries of one request, and seconds before the second; each further wait is twice as long.
TRIES = 5
FIRST_WAIT = 0.5
#: No longer wait is granted, not even to a server that asks for it.
LONGEST_WAIT = 60.0
#: No honest answer is longer: 1,000 vectors of 3,072 numbers.
MOST_BYTES = 64_000_000
#: As much of an error is read.
_ERROR_BYTES = 4_000
_TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)


#: Too long a text, or too many of them: servers differ in what they answer.
_TOO_MUCH = (400, 413, 422)


class TextsRefused(UsageError):
    """The server does not take these texts; it may take fewer of them."""


class _Failed(Exception):
    """One try failed and another one may not.

    Attributes:
        wait: Seconds that the server asks for; 0 when it does not.
    """

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Posts to one address and to no other: redirects are errors, and what is on this machine is asked without a proxy.

    Attributes:
        url: Where to post.
        key: Sent as a bearer token; never shown.
        sleep: Waits between two tries.
        chance: A random number from 0 to 1: many clients that failed together do not try again together.
    """

    url: str
    key: str = field(default="", repr=False)
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def post(self, body: dict[str, Any], *, timeout: float, tries: int = TRIES) -> Any:
        """Return the decoded answer.

        Args:
            body: What to send, as JSON.
            timeout: Seconds that one try may take.
            tries: How often at most.

        Raises:
            Unavailable: No answer, or none that is JSON, also after trying again where that can help.
            ConfigError: The key or the address is refused.
            TextsRefused: The texts are refused.
            UsageError: The request is refused.
        """
        data = json.dumps(body).encode("ascii")
        for number in range(tries):
            try:
                return self._decoded(self._try(data, timeout))
            except _Failed as failed:
                wait = max(FIRST_WAIT * 2**number * (1 + self.chance()) / 2, failed.wait)
                if wait > LONGEST_WAIT:
                    raise Unavailable(f"{failed} It asks to wait {wait:.0f} seconds; try again then.") from None
                if number + 1 == tries:
                    raise Unavailable(
                        f"{failed} Tried {tries} times. What was embedded before is kept; try again when it is back."
                    ) from None
            self.sleep(wait)
        raise Unavailable(f"{self.url} was not asked.")

    def _try(self, data: bytes, timeout: float) -> bytes:
        """Send once and return the whole answer."""
        deadline = time.monotonic() + timeout
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "withgrain"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = Request(self.url, data=data, headers=headers, method="POST")
        try:
            with _opener(self.url).open(request, timeout=timeout) as answer:
                return self._read(answer, deadline)
        except HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise _Failed(
                f"{self.url} cannot be reached: {self._clean(str(reason)) or type(error).__name__}."
            ) from None

    def _read(self, answer: HTTPResponse, deadline: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := answer.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise Unavailable(f"{self.url} answered with more than {MOST_BYTES:,} bytes: that are no embeddings.")
            if time.monotonic() > deadline:
                raise _Failed(f"{self.url} did not end its answer in time.")
        promised = answer.headers.get("Content-Length", "")
        if promised.isdecimal() and int(promised) != size:
            raise _Failed(f"{self.url} cut its answer off after {size:,} of {int(promised):,} bytes.")
        return b"".join(parts)

    def _refusal(self, error: HTTPError) -> WithgrainError | _Failed:
        """Return what a status other than success means."""
        try:
            said = self._clean(_message(_loaded(error.read(_ERROR_BYTES))))
        except (HTTPException, OSError, ValueError):
            said = ""
        what = f"{self.url} answered with status {error.code}{f' ({said})' if said else ''}."
        if error.code in _TRY_AGAIN:
            return _Failed(what, _asked_wait(error.headers.get("Retry-After", "")))
        if error.code in (401, 403):
            return ConfigError(f"{what} Set the key in WITHGRAIN_OPENAI_API_KEY or OPENAI_API_KEY.")
        if 300 <= error.code < 400:
            return ConfigError(f"{what} Redirects are not followed; give the address it has now.")
        if error.code in (404, 405):
            return ConfigError(f"{what} Check the base url and the name of the model.")
        refused = TextsRefused if error.code in _TOO_MUCH else UsageError
        return refused(f"{what} It does not take these texts; check window, tokenizer, dimensions and batch.")

    def _decoded(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise Unavailable(f"{self.url} answered with something that is no JSON.") from None

    def said(self, answer: Any) -> str:
        """Return the message of an answer that says what went wrong, cleaned; "" when it says nothing."""
        return self._clean(_message(answer)) if isinstance(answer, dict) else ""

    def _clean(self, text: str) -> str:
        """Return one short line without the key, which servers like to repeat."""
        shown = text.replace(self.key, "[key]") if self.key else text
        return " ".join("".join(c if c.isprintable() else " " for c in shown).split())[:200]


def _loaded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")


def _message(answer: Any) -> str:
    while isinstance(answer, dict):
        answer = next((answer[k] for k in ("error", "message", "detail") if answer.get(k)), "")
    return answer if isinstance(answer, str) else json.dumps(answer)


def _asked_wait(text: str) -> float:
    """Return the seconds that a Retry-After header asks for, in either of its forms (RFC 9110, 10.2.3); 0 for none."""
    if text.strip().isdecimal():
        return float(text[:10])
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


class _NoRedirect(HTTPRedirectHandler):
    """Makes a redirect an error: texts and key go where the user said, nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Refuse."""


def _opener(url: str) -> OpenerDirector:
    return build_opener(_NoRedirect, *((ProxyHandler({}),) if is_loopback(url) else ()))
