"""A collection on disk."""

from __future__ import annotations

import errno
from pathlib import Path

from withgrain.errors import IntegrityError, UsageError
from withgrain.model import Contract
from withgrain.store.engine import LEASE, check_tables
from withgrain.store.failures import guarded
from withgrain.store.head import Head, read_head
from withgrain.store.lock import Lease
from withgrain.store.snapshot import LanceSnapshot
from withgrain.store.writer import LanceWriter
from withgrain.types import Snapshot, Writer

#: Times that a reader looks again when the state it was about to open is being replaced.
_ATTEMPTS = 20


class LanceStore:
    """Many readers, one writer; see `withgrain.types.Store`. Looks at the disk with every call and holds nothing."""

    def __init__(self, path: Path) -> None:
        """``path`` is the directory; it need not exist.

        Raises:
            UsageError: ``path`` is a file, or no path that can be.
        """
        self._path = Path(path)
        _check_path(self._path)
        if self._path.exists() and not self._path.is_dir():
            raise UsageError(f"{path}: this is a file. A collection is a directory; give another path.")

    def contract(self) -> Contract | None:
        """Return the contract; None while nothing was ever committed.

        Raises:
            SchemaTooNew: Written by a newer version.
            IntegrityError: The head is damaged.
        """
        head = read_head(self._path)
        return head.contract if head else None

    def snapshot(self) -> Snapshot | None:
        """Return the newest committed state; None while nothing was ever committed.

        Raises:
            SchemaTooNew: Written by a newer version.
            IntegrityError: The head or the tables are damaged.
        """
        generation = ""
        for _ in range(_ATTEMPTS):
            head = read_head(self._path)
            if head is None:
                return None
            with guarded(self._path, "opening the tables"):
                lease = Lease.take(self._path / head.generation / LEASE)
            if lease is not None:
                return LanceSnapshot(self._path, head, lease)
            self._check_still(head)
            generation = head.generation
        raise IntegrityError(
            f"{self._path}: {generation}/{LEASE} is missing or locked. Try again; if that does not help, restore that "
            "file (it is empty)."
        )

    def writer(self, contract: Contract) -> Writer:
        """Take the lock and prepare to write under ``contract``.

        Raises:
            CollectionLocked: Another live process writes.
            ContractMismatch: The collection has another contract.
            SchemaTooNew: Written by a newer version.
            Unavailable: The place cannot be written to.
            IntegrityError: The head or the tables are damaged.
        """
        return LanceWriter(self._path, contract)

    def _check_still(self, head: Head) -> None:
        """Without a lease: fine when a newer state has come meanwhile, damage when the tables are gone."""
        if read_head(self._path) == head:
            check_tables(self._path, head)


def _check_path(path: Path) -> None:
    """Refuse a path that the engine or the system could never open.

    Raises:
        UsageError: It is too long, holds a NUL, or is not valid UTF-8.
    """
    try:
        str(path).encode("utf-8")
        path.lstat()
    except UnicodeEncodeError as error:
        raise UsageError(f"{path}: the path of a collection must be valid UTF-8.") from error
    except ValueError as error:
        raise UsageError(f"{str(path)!r} is no path: {error}.") from error
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise UsageError(f"{path}: {error.strerror}. Give another path.") from error
