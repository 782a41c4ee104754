"""A collection on disk."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import IntegrityError, UsageError
from withgrain.store import upkeep
from withgrain.store.digests import LEASE
from withgrain.store.engine import check_tables
from withgrain.store.failures import guarded
from withgrain.store.head import Head, read_head
from withgrain.store.lock import Lease

if TYPE_CHECKING:
    from withgrain.model import Contract, State
    from withgrain.store.rebuild import Rebuild
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

    def snapshot(self, version: int | None = None) -> Snapshot | None:
        """Return the newest committed state, or a kept one; None while nothing was ever committed.

        Raises:
            UsageError: ``version`` is not kept.
            SchemaTooNew: Written by a newer version.
            IntegrityError: The head or the tables are damaged.
        """
        generation = ""
        for _ in range(_ATTEMPTS):
            newest = read_head(self._path)
            if newest is None:
                return None
            head = newest if version is None else upkeep.kept(self._path, newest, version)
            with guarded(self._path, "opening the tables"):
                lease = Lease.take(self._path / head.generation / LEASE)
            if lease is not None:
                from withgrain.store.snapshot import LanceSnapshot

                return LanceSnapshot(self._path, head, lease)
            self._check_still(newest, head)
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
        from withgrain.store.writer import LanceWriter

        return LanceWriter(self._path, contract)

    def history(self) -> list[State]:
        """Return the kept states, oldest first; also when the head is damaged."""
        return [upkeep.state_of(head) for head in upkeep.heads(self._path)]

    def restore(self, version: int) -> State:
        """Make a kept state the newest again, as a new state; see `upkeep.restore`."""
        return upkeep.restore(self._path, version)

    def compact(self, *, history: bool = True) -> None:
        """Rewrite the live rows and indexes; without ``history`` also give up the older states with their files.

        Raises:
            CollectionLocked: Another live process writes.
            ContractMismatch: Written under an older schema.
            Unavailable: No space, or a reader holds the older states.
        """
        upkeep.compact(self._path, history=history)

    def forget(self, doc_ids: Sequence[str]) -> None:
        """Remove documents from every table, state and file; see `upkeep.forget`."""
        upkeep.forget(self._path, doc_ids)

    def rebuild(self, contract: Contract) -> Rebuild:
        """Take the lock and write a whole new content beside the old one; see `Rebuild`."""
        from withgrain.store.rebuild import Rebuild

        return Rebuild(self._path, contract)

    def _check_still(self, newest: Head, head: Head) -> None:
        """Without a lease: fine when a newer state has come meanwhile, damage when the tables are gone."""
        if read_head(self._path) == newest:
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
