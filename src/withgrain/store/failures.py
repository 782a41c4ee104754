"""Errors of the engine and the file system, told in the words of withgrain."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from withgrain.errors import IntegrityError, Unavailable, WithgrainError

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
#: What is being done while there is no collection yet, so that nothing stored can be damaged.
MAKING = "creating the directory"
# The engine wraps the error of the system into text.
_NO_SPACE_TEXT = ("no space left", "os error 28", "quota exceeded", "file too large")
_REFUSED_TEXT = ("permission denied", "read-only file system", "operation not permitted")


@contextmanager
def guarded(place: Path, doing: str) -> Iterator[None]:
    """Turn whatever the engine raises inside the block into one of our errors.

    Args:
        place: The collection.
        doing: What was tried, for the message ("reading chunks").

    Raises:
        Unavailable: No space, no permission.
        IntegrityError: Everything else: a file is missing, cut off or damaged.
    """
    try:
        yield
    except (WithgrainError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of the engine derives from BaseException alone
        raise translated(error, place, doing) from error


def translated(error: BaseException, place: Path, doing: str) -> WithgrainError:
    """Return our error for one of the engine or the system."""
    code = error.errno if isinstance(error, OSError) else None
    text = str(error).lower()
    if code in _NO_SPACE or any(t in text for t in _NO_SPACE_TEXT):
        return Unavailable(f"{place}: no space left while {doing}. What was committed is intact; free some space.")
    if code in _REFUSED or any(t in text for t in _REFUSED_TEXT):
        return Unavailable(f"{place}: no permission for {doing}. Check who owns the directory and how it is mounted.")
    if isinstance(error, OSError) and doing == MAKING:
        return Unavailable(f"{place}: {doing} failed: {error.strerror or error}. Give another place.")
    lines = str(error).strip().splitlines() or [type(error).__name__]
    first = (lines[-1] if "Traceback" in lines[0] else lines[0])[:300]  # the engine may pass on one of Python's
    return IntegrityError(
        f"{place}: {doing} failed ({first}). The stored data is not what was written. "
        "See what is damaged, and what mends it: withgrain collection verify."
    )
