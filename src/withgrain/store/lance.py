"""A collection on disk."""

from __future__ import annotations

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
            UsageError: ``path`` is a file.
        """
        self._path = Path(path)
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
        for _ in range(_ATTEMPTS):
            head = read_head(self._path)
            if head is None:
                return None
            with guarded(self._path, "opening the tables"):
                lease = Lease.take(self._path / head.generation / LEASE)
            if lease is not None:
                return LanceSnapshot(self._path, head, lease)
            self._check_still(head)
        raise IntegrityError(f"{self._path}: the newest state is locked or its files are missing. Try again.")

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
