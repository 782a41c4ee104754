"""Any function that counts, as a `Tokenizer`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from withgrain.errors import UsageError
from withgrain.types import Tokenizer

#: Name of a counter that nobody named: it can be used in this process, but no collection can be written with it.
UNNAMED = "callable"


class CallableTokenizer:
    """Counts with a function that the caller gave.

    Attributes:
        name: As given, else ``callable``.
        version: As given.
        additive: False: nothing is known about the function.
    """

    additive = False

    def __init__(self, count: Callable[[str], int], *, name: str, version: str) -> None:
        self.name = name
        self.version = version
        self._count = count

    def count(self, text: str) -> int:
        """Return what the function says.

        Raises:
            UsageError: The function returned something else than a whole number from 0 on.
        """
        number = self._count(text)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise UsageError(
                f"the tokenizer {self.name} returned {number!r} for a text of {len(text)} characters; "
                "it must return the number of tokens, a whole number from 0 on"
            )
        return number

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``."""
        return [self.count(text) for text in texts]


def from_callable(count: Callable[[str], int], *, name: str | None = None, version: str = "") -> Tokenizer:
    """Return a tokenizer that counts with ``count``.

    Args:
        count: Takes a text and returns its number of tokens; the same for the same text.
        name: For the contract of a collection. Without one it is ``callable``, and stays in this process.
        version: Changes whenever a count can change.
    """
    return CallableTokenizer(count, name=name or UNNAMED, version=version)
