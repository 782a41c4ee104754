"""Ctrl-C and a full disk in the middle of an ingest: the collection opens and holds whole documents only."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import withgrain
from tests.e2e.conftest import write
from tests.support import Run, command, environment
from withgrain.store import open_store


@pytest.fixture(autouse=True)
def _interruptible() -> None:
    """Processes inherit an ignored SIGINT from a job in the background; undo that, so that Ctrl-C means something."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


Cli = Callable[..., Run]
DOCUMENTS = 70


def _page(number: int) -> str:
    parts = [f"# Page {number}\n"]
    for section in range(4):
        sentence = f"Step {section} of page {number} restarts service s{number * 7 + section} and waits for it. "
        parts.append(f"## Section {section}\n\n{sentence}\n")
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
    assert snapshot.count()["documents"] == len(records)
    return len(records)


#: Runs the command line, and sends this very process a SIGINT at its second commit: a moment that no sleep can hit.
INTERRUPTED_RUN = """
import os, signal, sys, threading
from withgrain.store.writer import LanceWriter
from withgrain.cli import main

seconds, commits, commit = float(sys.argv.pop(1)), [], LanceWriter.commit

def interrupted(self, change):
    commits.append(change)
    if len(commits) == 2:
        if not seconds:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
    return commit(self, change)

LanceWriter.commit = interrupted
main()
"""


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.05], ids=["before the commit", "in the commit", "late in the commit"])
def test_ctrl_c_in_the_middle(many: Path, tmp_path: Path, cli: Cli, seconds: float) -> None:
    """Ctrl-C: exit 130 with a plain line; whole documents only; the next ingest finishes the work."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_RUN, str(seconds), "ingest", many, "-c", "kb", "--embedder", "none"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert done.returncode == 130, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr == "Interrupted.\n"
    whole = _whole_documents(tmp_path / "kb", many)
    assert 0 < whole < DOCUMENTS
    report = json.loads(cli("ingest", many, "-c", "kb", "--embedder", "none", "--json").stdout)
    assert report["documents"]["kept"] == whole
    assert report["documents"]["added"] == DOCUMENTS - whole
    assert _whole_documents(tmp_path / "kb", many) == DOCUMENTS


@pytest.mark.parametrize("delay", [0.0, 0.5])
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
    assert cli("ingest", docs, "-c", "kb", "--embedder", "none").code == 0
    failed = cli("ingest", many, "-c", "kb", "--embedder", "none", before=_no_space)
    assert failed.code == 5, failed.stdout + failed.stderr
    assert "Traceback" not in failed.stderr
    assert failed.stderr.strip()
    assert json.loads(cli("info", "-c", "kb", "--json").stdout)["documents"] == 3
    assert "legal hold" in cli("search", "legal hold", "-c", "kb").stdout
    assert cli("ingest", many, "-c", "kb", "--embedder", "none").code == 0
    assert json.loads(cli("info", "-c", "kb", "--json").stdout)["documents"] == 3 + DOCUMENTS


def test_second_writer_is_refused(docs: Path, tmp_path: Path, cli: Cli) -> None:
    """While one process writes, another one is told so (exit 5), and readers read."""
    assert cli("ingest", docs, "-c", "kb", "--embedder", "none").code == 0
    store = open_store(tmp_path / "kb")
    contract = store.contract()
    assert contract is not None
    write(docs, {"new.md": "# New\n\nSomething to write about.\n"})
    with store.writer(contract):
        refused = cli("ingest", docs, "-c", "kb", "--embedder", "none")
        read = cli("search", "legal hold", "-c", "kb")
    assert refused.code == 5, refused.stdout + refused.stderr
    assert "Traceback" not in refused.stderr
    assert read.code == 0
