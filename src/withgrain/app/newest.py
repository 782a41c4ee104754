"""The newest state of a collection, held as long as it is the newest: it remembers what it has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withgrain.types import Snapshot, Store


class Newest:
    """Gives the newest state of a store, and the same one again until another is committed.

    Questions to one state share what it has read: vectors, lists of terms, documents. A state that was given keeps its
    files; the one that is held does so until the next question after a commit, or until `let_go`. Threads may ask at
    once: at worst one opens what another has opened.
    """

    def __init__(self) -> None:
        self._held: Snapshot | None = None

    def of(self, store: Store) -> Snapshot | None:
        """Return the newest state; None while nothing was committed."""
        newest, held = store.snapshot(), self._held
        if newest is None or held is None or _identity(held) != _identity(newest):
            self._held = held = newest
        return held

    def let_go(self) -> None:
        """Hold nothing."""
        self._held = None


def _identity(snapshot: Snapshot) -> tuple[object, ...]:
    return snapshot.version, snapshot.contract.fingerprint, tuple(sorted(snapshot.count().items()))
