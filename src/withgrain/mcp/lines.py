"""What a client writes on stdin: mended where JSON spells what no text can hold, answered where it is no message.

The SDK drops a line that it cannot read without a word, and who asked waits for ever.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, Protocol

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter


class Answers(Protocol):
    """Where answers go."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one."""


class Lines:
    """The lines that are messages; others are answered.

    Attributes:
        answers: Where to; None as long as nobody listens.
    """

    def __init__(self, lines: AsyncIterable[str]) -> None:
        self.answers: Answers | None = None
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield each message as one line."""
        async for line in self._lines:
            if not line.strip():
                continue
            message = understood(line)
            if isinstance(message, str):
                yield message
            elif self.answers is not None:
                await self.answers.send(SessionMessage(message))


def understood(line: str) -> str | JSONRPCError:
    """Return a line that is a message, or why it is none.

    Half a surrogate pair, as cutting an emoji in two leaves it, becomes ``?``.
    """
    if _is_message(line):
        return line
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        return _refusal(None, PARSE_ERROR, "This line is no JSON.")
    mended = json.dumps(said, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    if _is_message(mended):
        return mended
    number = said.get("id") if isinstance(said, dict) else None
    known = isinstance(number, int | str) and not isinstance(number, bool)
    return _refusal(number if known else None, INVALID_REQUEST, "This is no JSON-RPC message.")


def _is_message(line: str) -> bool:
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return False
    return True


def _refusal(number: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))
