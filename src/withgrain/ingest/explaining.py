"""What an error in one document is called in a report."""

from __future__ import annotations

from withgrain.errors import MissingExtra, WithgrainError


def explain(error: Exception, uri: str) -> str:
    """Return one sentence about an error in one document, without the uri that stands beside it."""
    if isinstance(error, WithgrainError):
        return str(error).removeprefix(f"{uri}: ")
    if isinstance(error, RecursionError):
        return "it is nested too deeply to be read (RecursionError)"
    return f"unexpected {type(error).__name__}: {error}; this is a fault in withgrain, please report it"


def is_fatal(error: Exception) -> bool:
    """Return whether an error is not about one document: going on would only repeat it.

    A missing extra is about the documents of one format; the others go on.
    """
    return isinstance(error, WithgrainError) and error.exit_code in (3, 5, 6) and not isinstance(error, MissingExtra)
