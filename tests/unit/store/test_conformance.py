"""Both backends pass the same suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from withgrain.store import memory_store, open_store
from withgrain.testing.stores import Opened, OpenedVersioned, StoreConformance, VersionedStoreConformance


class TestMemory(StoreConformance, VersionedStoreConformance):
    """The reference in memory."""

    @pytest.fixture
    def opened(self) -> Opened:
        """Return the same object every time: it lives no longer than itself."""
        store = memory_store()
        return lambda: store

    @pytest.fixture
    def kept(self) -> OpenedVersioned:
        """Return the same object every time."""
        store = memory_store()
        return lambda: store


class TestLance(StoreConformance, VersionedStoreConformance):
    """LanceDB on disk, opened anew for every use."""

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Opened:
        """Return a function that opens one directory."""
        return lambda: open_store(tmp_path / "collection")

    @pytest.fixture
    def kept(self, tmp_path: Path) -> OpenedVersioned:
        """Return a function that opens one directory."""
        return lambda: open_store(tmp_path / "collection")
