"""The same sync over the store on disk: equal to the one in memory after every step."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ingest.support import Collection, counts, nothing_written, write
from withgrain.errors import UsageError, WithgrainError
from withgrain.ingest import prepare as prepare_module
from withgrain.ingest import preparing
from withgrain.store import open_store

pytest.importorskip("lancedb")

PAGE = "---\nservice: vault\naliases: [b, a]\n---\n# {n}\n\nIntro {n}.\n\n## Codes\n\n`statuskey={n}` means active.\n"


def _files(*names: str) -> dict[str, str | bytes]:
    return {f"{n}.md": PAGE.format(n=n) for n in names}


def _reopened(docs: Collection, place: Path) -> None:
    docs.store = open_store(place)


def test_collection_on_disk_equals_the_one_in_memory(tmp_path: Path) -> None:
    """Add, edit, rename, delete, break: the rows are equal after each step, also for a reader that opens it anew."""
    folder = write(tmp_path / "docs", _files("a", "b", "c", "d", "e"))
    place = tmp_path / "kb"
    disk = Collection(folder=folder, store=open_store(place), cache=tmp_path / "cache.sqlite")
    memory = Collection(folder=folder)
    steps: list[tuple[Callable[[], Any], dict[str, int]]] = [
        (lambda: None, {"added": 5}),
        (lambda: write(folder, {"a.md": PAGE.format(n="a") + "\nMore.\n"}), {"updated": 1, "kept": 4}),
        (lambda: (folder / "b.md").rename(folder / "z.md"), {"renamed": 1, "kept": 4}),
        ((folder / "c.md").unlink, {"deleted": 1, "kept": 4}),
        (lambda: write(folder, {"d.md": b"\x00\x01\x02\xff\xfe" * 400}), {"failed": 1, "kept": 3}),
    ]
    for step, expected in steps:
        step()
        report = disk.sync()
        assert counts(report) == expected
        assert memory.sync().documents == report.documents
        _reopened(disk, place)
        assert disk.shape() == memory.shape()
        assert {u: d.stale for u, d in disk.documents().items()} == {u: d.stale for u, d in memory.documents().items()}
        version = disk.snapshot().version
        again = disk.sync()
        assert nothing_written(again)
        assert disk.snapshot().version == version


def test_interruption_leaves_whole_documents_and_a_free_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Ctrl-C in the middle: the collection opens and holds whole documents only"."""
    folder = write(tmp_path / "docs", _files(*"abcdefgh"))
    disk = Collection(folder=folder, store=open_store(tmp_path / "kb"))
    whole = Collection(folder=folder)
    whole.sync()
    with monkeypatch.context() as patch:
        seen: list[int] = []

        def prepare(*args: Any) -> Any:
            seen.append(1)
            if len(seen) == 5:
                raise KeyboardInterrupt
            return prepare_module.prepare(*args)

        patch.setattr(preparing, "prepare", prepare)
        with pytest.raises(KeyboardInterrupt):
            disk.sync()
    _reopened(disk, tmp_path / "kb")
    assert len(disk.documents()) == 3
    assert all(disk.shape()[uri] == whole.shape()[uri] for uri in disk.documents())
    assert counts(disk.sync()) == {"added": 5, "kept": 3}
    assert disk.shape() == whole.shape()


def test_collection_path_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", _files("a"))
    (tmp_path / "kb").write_text("not a folder")
    with pytest.raises(UsageError):
        Collection(folder=folder, store=open_store(tmp_path / "kb"), cache=tmp_path / "kb" / "cache.sqlite").sync()


def test_cache_that_cannot_be_written_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk under the cache ends the run with exit code 5; it is not reported as a fault of every document."""
    folder = write(tmp_path / "docs", _files("a", "b"))
    disk = Collection(folder=folder, cache=tmp_path / "cache" / "cache.sqlite")

    def full(self: Path, *args: Any, **named: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", full)
        with pytest.raises(WithgrainError, match="No space left") as caught:
            disk.sync()
    assert caught.value.exit_code == 5
    assert counts(disk.sync()) == {"added": 2}
