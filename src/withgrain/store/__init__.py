"""Collections: documents, chunks and leaves on disk, with one writer and any number of readers.

`open_store` opens a directory (LanceDB tables under a head file); `memory_store` is the reference implementation in
plain Python: the same answers, nothing on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from withgrain.types import VersionedStore

__all__ = ["memory_store", "open_store"]


def memory_store() -> VersionedStore:
    """Return an empty collection in memory: small, exact and slow; for tests and one-off searches."""
    from withgrain.store.memory import MemoryStore

    return MemoryStore()


def open_store(path: Path) -> VersionedStore:
    """Open the collection in the directory ``path``; it is created by the first commit, never by reading.

    Raises:
        UsageError: ``path`` is a file.
        MissingExtra: LanceDB is not installed.
    """
    from withgrain.store.lance import LanceStore

    return LanceStore(path)
