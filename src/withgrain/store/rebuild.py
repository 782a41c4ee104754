"""A whole new content beside the old one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.model import Change, Contract
from withgrain.store import engine
from withgrain.store.failures import guarded
from withgrain.store.head import Head, publish
from withgrain.store.snapshot import LanceSnapshot
from withgrain.store.writer import LanceWriter

if TYPE_CHECKING:
    from withgrain.types import Snapshot


class Rebuild(LanceWriter):
    """A writer whose commits nobody sees until `swap`: a new content, under any contract, beside the old one.

    Killed or failed before the swap, it leaves the old state as it was; its half-made generation goes with the next
    writer. Only for a whole content: it begins empty.
    """

    def __init__(self, path: Path, contract: Contract) -> None:
        """Take the lock; the collection may be of any older schema, or empty.

        Raises:
            CollectionLocked: Another live process writes.
            Unavailable: The place cannot be written to.
        """
        super().__init__(path, contract)
        self._run = self._base.version + 1 if self._base else 1

    def old(self) -> Snapshot | None:
        """Return the state that is about to be replaced; None when there is none."""
        if self._base is None:
            return None
        lease = engine.lease(self._path, self._base)
        return LanceSnapshot(self._path, self._base, lease)

    def swap(self) -> None:
        """Index what was committed and make it the newest state: the one step that readers see."""
        self._check_open()
        if self._head is None:
            self.commit(Change())
        with self._settled():
            self._index()
        assert self._head is not None
        head = replace(self._head, version=self._run)
        with guarded(self._path, "publishing the new state"):
            publish(self._path, head)
        self._head = head

    def _begin(self, newest: Head | None) -> Head | None:
        self._base = newest
        return None

    def _tidy(self) -> None:
        engine.remove_unused(self._path, self._base)

    def _announce(self, head: Head) -> None:
        """Nobody is told before the swap."""

    def _after_failure(self) -> Head | None:
        self.close()  # what was staged is no longer whole
        return None
