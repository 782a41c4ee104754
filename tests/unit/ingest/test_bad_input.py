"""Bad input: a clear error, nothing lost, the others go on."""

from __future__ import annotations

import errno
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ingest.support import Collection, counts, nothing_written, reasons, write
from withgrain.errors import Unavailable
from withgrain.ingest import prepare as prepare_module
from withgrain.ingest import preparing, reading, run
from withgrain.model import Change, CommitResult

GOOD = "# Good\n\nA paragraph that is fine.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Collection:
    return Collection(folder=write(tmp_path / "docs", {"good.md": GOOD}))


def test_binary_file_called_md_fails_alone(docs: Collection) -> None:
    write(docs.folder, {"image.md": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8})
    report = docs.sync()
    assert counts(report) == {"added": 1, "failed": 1}
    assert list(reasons(report)) == ["docs/image.md"]
    assert reasons(report)["docs/image.md"].startswith("The file is not text")


def test_invalid_utf8_is_read_with_a_notice(docs: Collection) -> None:
    write(docs.folder, {"latin.md": "# Größe\n\nÄpfel und Öl, viele Wörter.\n".encode("latin-1")})
    report = docs.sync()
    assert counts(report) == {"added": 2}
    assert {n.uri for n in report.notices} == {"docs/latin.md"}
    assert report.words_lost == 0


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_with_bom_is_read(docs: Collection, encoding: str) -> None:
    write(docs.folder, {"wide.md": ("\ufeff" + "# Wide\r\n\r\nGröße 日本語.\r\n").encode(encoding)})
    assert counts(docs.sync()) == {"added": 2}
    assert docs.texts()["docs/wide.md"] == "# Wide\n\nGröße 日本語.\n"


def test_empty_file_is_a_document_without_chunks(docs: Collection) -> None:
    write(docs.folder, {"empty.md": b""})
    report = docs.sync()
    assert counts(report) == {"added": 2}
    assert docs.documents()["docs/empty.md"].chunks == 0
    assert [n.notice.kind for n in report.notices if n.uri == "docs/empty.md"] == ["empty_document"]
    assert nothing_written(docs.sync())


@pytest.mark.slow
def test_line_of_ten_megabytes_ends(docs: Collection) -> None:
    docs.embedder = None
    write(docs.folder, {"long.md": "lorem ipsum dolor " * (10 * 1024 * 1024 // 18)})
    started = time.monotonic()
    report = docs.sync()
    assert counts(report) == {"added": 2}
    assert report.words_lost == 0
    assert time.monotonic() - started < 120


def test_links_that_lead_nowhere_are_skipped(docs: Collection) -> None:
    (docs.folder / "gone.md").symlink_to("nowhere.md")
    (docs.folder / "loop.md").symlink_to("loop.md")
    (docs.folder / "up").symlink_to(".")
    report = docs.sync()
    assert counts(report) == {"added": 1, "skipped": 3}
    assert report.exit_code == 0


def test_file_that_keeps_changing_fails_alone(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is hashed and planned, and then changes each time it is read."""
    changing = write(docs.folder, {"log.md": "# Log\n\nLine.\n"}) / "log.md"

    def read(opened: Any, size: int) -> bytes:
        if (
            Path(opened.name if isinstance(opened.name, str) else f"/proc/self/fd/{opened.fileno()}").resolve()
            == changing
        ):
            with changing.open("a") as other:
                other.write("more\n")
        return bytes(opened.read(size))

    monkeypatch.setattr(reading, "_read", read)
    report = docs.sync()
    assert counts(report) == {"added": 1, "failed": 1}
    assert "changed each of the 4 times" in reasons(report)["docs/log.md"]


def test_file_that_vanishes_after_the_plan_fails_alone(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = write(docs.folder, {"gone.md": GOOD + "Soon gone.\n"}) / "gone.md"
    original = run.run

    def run_later(*args: Any) -> None:
        gone.unlink()
        original(*args)

    monkeypatch.setattr("withgrain.ingest.sync.run", run_later)
    report = docs.sync()
    assert counts(report) == {"added": 1, "failed": 1}
    assert "cannot be read" in reasons(report)["docs/gone.md"]


@pytest.mark.parametrize("error", [RuntimeError("boom"), RecursionError("deep"), MemoryError("much")])
def test_any_exception_fails_its_document_alone(
    docs: Collection, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """ "an exception of any kind in one document = that document fails with its reason"."""
    write(docs.folder, {"evil.md": "# Evil\n\nText.\n"})
    original = prepare_module.prepare

    def prepare(data: bytes, *rest: Any) -> Any:
        if b"Evil" in data:
            raise error
        return original(data, *rest)

    monkeypatch.setattr(preparing, "prepare", prepare)
    report = docs.sync()
    assert counts(report) == {"added": 1, "failed": 1}
    assert type(error).__name__ in reasons(report)["docs/evil.md"]


def test_document_that_would_lose_words_fails_alone(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "words_lost > 0 … = that document fails": the proof is not only shown, it decides."""
    from dataclasses import replace

    import withgrain.chunk

    original = withgrain.chunk.chunk_document

    def lossy(document: Any, *rest: Any, **named: Any) -> Any:
        chunked = original(document, *rest, **named)
        if "good" in document.source.uri:
            return chunked
        return replace(chunked, audit=replace(chunked.audit, words_lost=3))

    monkeypatch.setattr(withgrain.chunk, "chunk_document", lossy)
    write(docs.folder, {"other.md": "# Other\n\nText.\n"})
    report = docs.sync()
    assert counts(report) == {"added": 1, "failed": 1}
    assert reasons(report)["docs/other.md"].startswith("3 words would be lost")
    assert report.words_lost == 3


def _failing_commit(docs: Collection, monkeypatch: pytest.MonkeyPatch, error: BaseException, after: int) -> None:
    from withgrain.store.memory import MemoryWriter

    original = MemoryWriter.commit
    done: list[int] = []

    def commit(self: MemoryWriter, change: Change) -> CommitResult:
        if len(done) == after:
            raise error
        done.append(1)
        return original(self, change)

    monkeypatch.setattr(MemoryWriter, "commit", commit)


def test_full_disk_keeps_what_was_committed(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Full disk at any write: clean exit, old data intact"."""
    write(docs.folder, {f"{n}.md": f"# Page {n}\n\nText {n}.\n" for n in range(8)})
    with monkeypatch.context() as patch:
        _failing_commit(docs, patch, OSError(errno.ENOSPC, "No space left on device"), after=2)
        with pytest.raises(Unavailable, match="No space left on device") as caught:
            docs.sync()
    assert caught.value.exit_code == 5
    assert len(docs.documents()) == 6
    assert counts(docs.sync()) == {"added": 3, "kept": 6}


def test_interruption_keeps_whole_groups_only(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "KeyboardInterrupt commits nothing half: the groups committed before stay", and the lock is free again."""
    write(docs.folder, {f"{n}.md": f"# Page {n}\n\nText {n}.\n" for n in range(8)})
    whole = Collection(folder=docs.folder)
    whole.sync()
    with monkeypatch.context() as patch:
        original = prepare_module.prepare
        seen: list[int] = []

        def prepare(*args: Any) -> Any:
            seen.append(1)
            if len(seen) == 5:
                raise KeyboardInterrupt
            return original(*args)

        patch.setattr(preparing, "prepare", prepare)
        with pytest.raises(KeyboardInterrupt):
            docs.sync()
    assert len(docs.documents()) == 3
    assert all(docs.shape()[uri] == whole.shape()[uri] for uri in docs.documents())
    docs.sync()
    assert docs.shape() == whole.shape()


def test_twin_in_another_unicode_form_leaves_the_document_alone(docs: Collection) -> None:
    """Of two files whose names are one name, the second fails; the first neither gets stale nor written again."""
    write(docs.folder, {"caf\u00e9.md": "# One\n\nFirst.\n", "cafe\u0301.md": "# Two\n\nSecond.\n"})
    assert counts(docs.sync()) == {"added": 2, "failed": 1}
    for _ in range(2):
        again = docs.sync()
        assert counts(again) == {"kept": 2, "failed": 1}
        assert nothing_written(again)
        assert [d.stale for d in docs.documents().values()] == ["", ""]
