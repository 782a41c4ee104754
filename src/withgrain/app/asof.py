"""Which kept state a person means: a version, or a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.model import State


def state_of(history: Sequence[State], asked: str | int) -> State:
    """Return the kept state with that version, or the newest one that was there at that time.

    Args:
        history: The kept states, oldest first.
        asked: A version, or a time in ISO 8601 (UTC unless it says otherwise; a date is its first moment).

    Raises:
        UsageError: Neither a version nor a time, or none of the kept states; names them.
    """
    text = str(asked).strip()
    if text.isascii() and text.isdigit():
        chosen = [s for s in history if s.version == int(text)]
    else:
        moment = _moment(text)
        chosen = [s for s in history if _moment(s.time) <= moment]
    if chosen:
        return chosen[-1]
    kept = ", ".join(f"{s.version} ({s.time})" for s in history) or "none"
    raise UsageError(f"No kept state of the collection is {text}. Kept: {kept}.")


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f'"{text}" is neither a version nor a time. Write a number (see: withgrain collection history) or a time '
            "such as 2026-11-30T08:00."
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
