"""Ctrl-C and a full disk in the middle of an ingest: the collection opens and holds whole documents only."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import withgrain
from tests.e2e.conftest import write
from tests.support import Run, command, environment

Cli = Callable[..., Run]
DOCUMENTS = 150


def _page(number: int) -> str:
    parts = [f"# Page {number}\n"]
    for section in range(6):
        sentence = f"Step {section} of page {number} restarts service s{number * 7 + section} and waits for it. "
        parts.append(f"## Section {section}\n\n{sentence * 6}\n")
    return "\n".join(parts)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a folder with enough documents for several commits."""
    return write(tmp_path / "many", {f"page-{number:03}.md": _page(number) for number in range(DOCUMENTS)})


def _whole_documents(collection: Path, folder: Path) -> int:
    """Check that every stored document is whole, and return how many there are."""
    snapshot = withgrain.open(collection).snapshot()
    records = snapshot.documents()
    for record in records:
        stored = snapshot.document(record.id)
        assert stored is not None
        assert stored.text == (folder / record.path).read_text()
        chunks = snapshot.chunks(doc_id=record.id)
        assert len(chunks) == record.chunks > 0
        assert {c.chunk.doc_id for c in chunks} == {record.id}
        assert all(snapshot.leaves([c.chunk.id]) for c in chunks[:2])
    assert snapshot.count()["documents"] == len(records)
    return len(records)


def _wait_for_first_commit(process: subprocess.Popen[bytes], collection: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        if collection.exists() and withgrain.open(collection).info().documents:
            return
        time.sleep(0.1)
    pytest.fail("the ingest ended, or wrote nothing, before it could be interrupted")


def test_ctrl_c_in_the_middle(many: Path, tmp_path: Path, cli: Cli) -> None:
    """Ctrl-C: exit 130 with a plain line; whole documents only; the next ingest finishes the work."""
    with subprocess.Popen(
        command("ingest", many, "-c", "kb"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        _wait_for_first_commit(process, tmp_path / "kb")
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr.decode()
    assert stdout == b""
    assert stderr.decode() == "Interrupted.\n"
    done = _whole_documents(tmp_path / "kb", many)
    assert 0 < done < DOCUMENTS
    report = json.loads(cli("ingest", many, "-c", "kb", "--json").stdout)
    assert report["documents"]["kept"] == done
    assert report["documents"]["added"] == DOCUMENTS - done
    assert _whole_documents(tmp_path / "kb", many) == DOCUMENTS


@pytest.mark.parametrize("delay", [0.0, 0.3, 0.8])
def test_ctrl_c_early(docs: Path, tmp_path: Path, cli: Cli, delay: float) -> None:
    """Also in its first moments, while modules load, a run ends with 130 or is done; the next run works."""
    with subprocess.Popen(
        command("ingest", docs, "-c", "kb", "--embedder", "none"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode in (0, 130, -signal.SIGINT), stderr.decode()
    assert cli("ingest", docs, "-c", "kb", "--embedder", "none").code == 0


def _no_space() -> None:
    """Let every file of this process end at 48 KiB: a write beyond fails, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (48 * 1024, 48 * 1024))


def test_full_disk(docs: Path, many: Path, tmp_path: Path, cli: Cli) -> None:
    """A full disk: exit 5, said in one line, and the collection is what it was; with space the same run succeeds."""
    assert cli("ingest", docs, "-c", "kb").code == 0
    failed = cli("ingest", many, "-c", "kb", before=_no_space)
    assert failed.code == 5, failed.stdout + failed.stderr
    assert "Traceback" not in failed.stderr
    assert failed.stderr.strip()
    assert json.loads(cli("info", "-c", "kb", "--json").stdout)["documents"] == 3
    assert "legal hold" in cli("search", "legal hold", "-c", "kb").stdout
    assert cli("ingest", many, "-c", "kb").code == 0
    assert json.loads(cli("info", "-c", "kb", "--json").stdout)["documents"] == 3 + DOCUMENTS


def test_second_writer_is_refused(docs: Path, many: Path, tmp_path: Path, cli: Cli) -> None:
    """While one process writes, another one is told so (exit 5), and readers read."""
    assert cli("ingest", docs, "-c", "kb").code == 0
    with subprocess.Popen(
        command("ingest", many, "-c", "kb"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        time.sleep(0.2)
        deadline = time.monotonic() + 60
        refused = cli("ingest", docs, "-c", "kb")
        while refused.code == 0 and process.poll() is None and time.monotonic() < deadline:
            refused = cli("ingest", docs, "-c", "kb")
        read = cli("search", "legal hold", "-c", "kb")
        process.kill()
    assert refused.code == 5, refused.stdout + refused.stderr
    assert "Traceback" not in refused.stderr
    assert read.code == 0
