"""Answer a call: arguments checked, one state, one call at a time, no place of this machine in an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from withgrain.errors import IntegrityError, WithgrainError
from withgrain.mcp.budget import Answer
from withgrain.mcp.collections import Collections
from withgrain.mcp.tool import Tool

T = TypeVar("T")


def call(collections: Collections, tool: Tool, given: Mapping[str, Any]) -> Answer:
    """Answer one call of a tool.

    Raises:
        WithgrainError: The call cannot be answered; the message says what to try next and names no place of this
            machine.
    """
    return ask(collections, lambda: tool.run(collections, tool.arguments(given)))


def ask(collections: Collections, answer: Callable[[], T]) -> T:
    """Return an answer that is made of one state; a state whose files have gone meanwhile is opened anew once.

    Raises:
        WithgrainError: As `call`.
    """
    try:
        with collections.lock:
            try:
                return answer()
            except IntegrityError:
                collections.forget()
                return answer()
    except WithgrainError as error:
        raise WithgrainError(collections.without_places(str(error)), kind=error.kind) from error
