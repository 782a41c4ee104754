"""Collections that older schemas wrote, as they were on the disk."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module", params=[1, 2])
def old_schema(request: pytest.FixtureRequest) -> int:
    """An older schema."""
    found: int = request.param
    return found


@pytest.fixture
def old_place(old_schema: int, tmp_path: Path) -> Path:
    """A collection that it wrote, unpacked."""
    with tarfile.open(DATA / f"schema{old_schema}.tar.gz") as archive:
        archive.extractall(tmp_path)  # our own fixture; Python 3.11.2 knows no filter
    return tmp_path / "collection"
