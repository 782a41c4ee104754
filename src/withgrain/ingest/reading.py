"""Read a file so that all bytes are of one moment."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from withgrain.errors import DocumentError

#: A file that changes while it is read is read again this often before it fails.
RETRIES = 3

_PIECE = 64 * 1024  # larger ones are mapped and unmapped for each file
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """The bytes of a file and when they were written (ISO 8601 UTC, whole seconds)."""

    data: bytes
    modified: str


def read_file(
    file: str | Path, limit: int, *, read: Callable[[BufferedReader, int], bytes] | None = None
) -> FileContent:
    """Return the content of a file.

    Args:
        file: A regular file.
        limit: Most bytes that are accepted.
        read: Reads up to that many bytes from the open file; for tests.

    Raises:
        DocumentError: The file cannot be read, is no regular file, is larger than ``limit``, or changed each time while
            it was read.
    """
    reader = read or _read
    data, status = _stable(file, lambda opened, _: reader(os.fdopen(opened, "rb", closefd=False), limit + 1))
    if len(data) > limit:
        raise DocumentError(f"larger than the limit (more than {limit:,} bytes)", kind="too_large")
    moment = datetime.fromtimestamp(status.st_mtime_ns // 1_000_000_000, tz=UTC)
    return FileContent(data=data, modified=moment.strftime("%Y-%m-%dT%H:%M:%SZ"))


def first_bytes(file: str | Path, size: int = 200) -> bytes:
    """Return the first bytes of a file, to see what it is; nothing of one that cannot be read."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:
            return opened.read(size) if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) else b""
    except OSError:
        return b""


def hash_file(file: str | Path) -> str:
    """Return the hex SHA-256 of a file's bytes without holding them.

    Raises:
        DocumentError: As `read_file`, without a limit.
    """
    digest, _ = _stable(file, _digest)
    return digest


def _digest(opened: int, size: int) -> str:
    """Return the hash of what there is to read; as many bytes as the file says to have are all of them."""
    piece = os.read(opened, min(size, _PIECE) or 1)
    digest, done = hashlib.sha256(piece), len(piece)
    while piece and done != size:
        piece = os.read(opened, _PIECE)
        digest.update(piece)
        done += len(piece)
    return digest.hexdigest()


def _stable(file: str | Path, consume: Callable[[int, int], _T]) -> tuple[_T, os.stat_result]:
    """Consume the file, by its descriptor and size, until size and time are the same before and after."""
    for _ in range(1 + RETRIES):
        try:
            opened = os.open(file, _FLAGS)
            try:
                before = os.fstat(opened)
                if not stat.S_ISREG(before.st_mode):
                    raise DocumentError("it is not a regular file", kind="unreadable")
                result = consume(opened, before.st_size)
                after = os.fstat(opened)
            finally:
                os.close(opened)
        except OSError as error:
            raise DocumentError(f"the file cannot be read: {error.strerror or error}", kind="unreadable") from error
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            return result, before
    raise DocumentError(f"the file changed each of the {1 + RETRIES} times it was read", kind="changing")


def _read(opened: BufferedReader, size: int) -> bytes:
    return opened.read(size)
