"""Lines of a client over stdin: none is dropped without an answer, so that nobody waits for ever."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from withgrain.mcp.lines import Lines, understood

CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "search"}}


def refused(line: str) -> tuple[object, int]:
    answer = understood(line)
    assert not isinstance(answer, str)
    return answer.id, answer.error.code


@pytest.mark.parametrize("query", ["hold", "half an emoji \ud83d", "\udc00\ud800", "whole 😀 \x00"])
def test_a_message_is_understood_whatever_its_texts_are(query: str) -> None:
    """JSON can spell half a surrogate pair, which cutting a text leaves; the SDK would drop the whole call."""
    line = json.dumps(CALL | {"params": {"name": "search", "arguments": {"query": query}}})
    read = understood(line)
    assert isinstance(read, str)
    assert json.loads(read)["params"]["arguments"]["query"] == query.encode("utf-8", "replace").decode()
    assert "\n" not in read


@pytest.mark.parametrize("line", ["{", "x" * 100_000, '{"id": 1', "[" * 100_000, "\ufffd"])
def test_what_is_no_json_is_answered_without_a_number(line: str) -> None:
    assert refused(line) == (None, -32700)


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ([], None),
        (None, None),
        ("text", None),
        ({"jsonrpc": "2.0", "id": 9, "method": 5}, 9),
        ({"jsonrpc": "2.0", "id": "nine", "call": "x"}, "nine"),
        ({"id": True, "method": 5}, None),
        ({"id": [1], "method": 5}, None),
    ],
)
def test_what_is_no_message_is_answered_with_its_number(said: object, number: object) -> None:
    assert refused(json.dumps(said)) == (number, -32600)


def test_messages_pass_and_others_are_answered() -> None:
    class Kept:
        def __init__(self) -> None:
            self.sent: list[Any] = []

        async def send(self, item: Any, /) -> None:
            self.sent.append(item.message.id)

    async def given() -> Any:
        for line in ("\n", "{\n", json.dumps(CALL) + "\n", '{"id": 3}\n'):
            yield line

    async def read() -> tuple[list[str], list[Any]]:
        lines, kept = Lines(given()), Kept()
        lines.answers = kept
        return [json.loads(line)["id"] async for line in lines], kept.sent

    assert anyio.run(read) == ([7], [None, 3])
