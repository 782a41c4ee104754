"""The example of a format in a package of its own works as its README says."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import repository
from withgrain.errors import DocumentError
from withgrain.parse import parse, registry

CHANGELOG = b"""tides (1.2-1) stable; urgency=low

  * Close the gate
    before the storm.
  * Lock it.

 -- Ana <ana@example.com>  Mon, 02 Nov 2026 08:00:00 +0000
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lay the package out as an installer does: its modules, and metadata that name the entry point."""
    source = repository() / "examples" / "plugin-format"
    shutil.copytree(source / "src" / "withgrain_changelog", tmp_path / "withgrain_changelog")
    info = tmp_path / "withgrain_changelog-0.1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: withgrain-changelog\nVersion: 0.1.0\n")
    lines = (source / "pyproject.toml").read_text().split('"withgrain.formats"]\n')[1].split("\n\n")[0]
    info.joinpath("entry_points.txt").write_text("[withgrain.formats]\n" + lines.replace('"', "") + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    caches = (registry.formats, registry._tables)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()
    for name in [name for name in sys.modules if name.startswith("withgrain_changelog")]:
        del sys.modules[name]


@pytest.mark.usefixtures("installed")
def test_example_is_read() -> None:
    """Rule: an outside package adds a format by entry point."""
    document = parse(CHANGELOG, uri="debian/changelog.dch")
    assert [b.kind for b in document.blocks if b.kind != "blank"] == ["heading", "paragraph", "list", "paragraph"]
    assert "- Close the gate before the storm.\n- Lock it.\n" in document.text
    with pytest.raises(DocumentError, match="no Debian changelog"):
        parse(b"words", uri="x.dch")
