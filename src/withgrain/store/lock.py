"""Locks between processes: one writer for a collection, and leases that keep a generation of files alive.

Both are ``flock`` locks: the system releases them with the process, however it ends. What stands in the lock file is
information for people only.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from weakref import finalize

from withgrain.errors import CollectionLocked, Unavailable
from withgrain.store.failures import translated

_UNSUPPORTED = "file locks are not available here"


def _flock(descriptor: int, *, shared: bool) -> bool:
    """Try to lock without waiting; return whether it worked."""
    try:
        import fcntl
    except ImportError as error:  # no POSIX system
        raise Unavailable(f"Collections need POSIX file locks; {_UNSUPPORTED}.") from error
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class WriterLock:
    """The lock of the one writer."""

    def __init__(self, path: Path) -> None:
        """Take the lock file ``path``.

        Raises:
            CollectionLocked: A live process has it; the message names its owner.
            Unavailable: The file cannot be written.
        """
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise translated(error, path.parent, "taking the lock") from error
        try:
            if not _flock(self._descriptor, shared=False):
                raise CollectionLocked(
                    f"{path.parent}: {_owner(self._descriptor)} is writing to this collection. "
                    "Wait until it has ended, or stop it."
                )
            self._write(_me())
        except OSError as error:
            os.close(self._descriptor)
            raise translated(error, path.parent, "taking the lock") from error
        except BaseException:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Give the lock back. Safe to call twice."""
        if self._descriptor >= 0:
            with suppress(OSError):
                self._write({})
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, owner: dict[str, object]) -> None:
        os.ftruncate(self._descriptor, 0)
        if owner:
            os.pwrite(self._descriptor, json.dumps(owner).encode(), 0)


def _me() -> dict[str, object]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"pid": os.getpid(), "host": socket.gethostname(), "since": now}


def _owner(descriptor: int) -> str:
    try:
        owner = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {owner['pid']} on {owner['host']} (since {owner['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


class Lease:
    """A shared lock on a directory's lease file: while it lives, nobody removes the directory."""

    def __init__(self, descriptor: int) -> None:
        self._finalizer = finalize(self, os.close, descriptor)

    @classmethod
    def take(cls, path: Path) -> Self | None:
        """Return a lease on the file ``path``; None when it is (being) removed, so that the caller looks again."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            held = _flock(descriptor, shared=True) and os.path.samestat(os.fstat(descriptor), path.stat())
        except FileNotFoundError:
            held = False
        except OSError:  # a file system without locks: read without a lease
            held = True
        if not held:
            os.close(descriptor)
            return None
        return cls(descriptor)

    def release(self) -> None:
        """Give the lease back. Also happens when the object is forgotten."""
        self._finalizer()


def unused(path: Path) -> bool:
    """Return whether nobody holds a lease on the file ``path``; if so, the file is gone afterwards."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        if not _flock(descriptor, shared=False):
            return False
        path.unlink()
        return True
    finally:
        os.close(descriptor)
