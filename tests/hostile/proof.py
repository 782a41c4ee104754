"""Every hostile document at full size, through the worker that `ingest` uses: ``python -m tests.hostile.proof``.

For each: what became of it, the seconds on the clock, the CPU seconds and the memory of the process that read it. Then
all of them in one ingest with a good document among them. Names as arguments choose some of them.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.hostile.inputs import MAKERS, UNKNOWN, Scene
from withgrain.chunk import policy
from withgrain.errors import DocumentError
from withgrain.ingest import IngestReport, IngestSettings, Limits, ingest
from withgrain.ingest.archives import Listing, is_archive
from withgrain.ingest.order import Order, Task, name_of
from withgrain.ingest.preparing import limits_for
from withgrain.ingest.process import Job, Worker
from withgrain.store import memory_store
from withgrain.tokens import words

SECRET = "the-secret-that-nobody-may-read"
GOOD = "# Good\n\nA document among bad ones.\n"
#: Seconds on the clock and bytes that a document may take; the clock of a machine with other work runs on.
SECONDS, MEMORY = 20.0, 1 << 30
#: Seconds that ending a late process may take where others want the processor, too.
LATE = 3.0


@dataclass(kw_only=True)
class Listener:
    """A port on this machine that counts who connects."""

    count: int = 0
    server: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def __post_init__(self) -> None:
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.count += 1
            connection.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one document."""

    name: str
    outcome: str
    refused: bool
    seconds: float
    cpu: float
    memory: int
    leaked: bool


def measure(name: str, file: Path) -> Result:
    """Read one document in a process of its own, under the limits of an ingest."""
    size = file.stat().st_size
    task = Task(
        uri=f"bad/{name}", root="bad", file=str(file), size=size, lists=is_archive(name),
        limits=limits_for(name, size, Limits()),
    )  # fmt: skip
    job = Job(order=Order(tokenizer=name_of(words())), policy=policy("structure_aware"))
    with Worker(job) as worker:
        worker.do(Task(uri="good.md", root="bad", file=str(file.parent / "good.md")))
        process = worker._process
        assert process is not None
        sampler = _Sampler(process.pid)
        started = time.monotonic()
        leaked = False
        try:
            found = worker.do(task)
        except DocumentError as error:
            outcome, refused = str(error), True
        else:
            leaked, refused = SECRET in repr(found), False
            outcome = (
                f"{len(found.members)} read, {len(found.refused)} refused"
                if isinstance(found, Listing)
                else f"{len(getattr(found, 'chunks', ()))} chunks"
            )
        seconds = time.monotonic() - started
        sampler.stop()
    return Result(
        name=name,
        outcome=outcome,
        refused=refused,
        seconds=seconds,
        cpu=sampler.cpu,
        memory=sampler.memory,
        leaked=leaked,
    )


class _Sampler:
    """Watches what a process takes: when it is dead nobody can say any more."""

    def __init__(self, pid: int) -> None:
        self._pid, self._before, self._over = pid, _cpu(pid), threading.Event()
        self.cpu, self.memory = 0.0, 0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._look()
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            self._look()

    def _look(self) -> None:
        try:
            self.memory = max(self.memory, _peak(self._pid))
            self.cpu = max(self.cpu, _cpu(self._pid) - self._before)
        except (OSError, IndexError):
            self._over.set()


def _cpu(pid: int) -> float:
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def write_all(folder: Path, listener: Listener, names: list[str], *, full: bool) -> None:
    """Make the documents, a good one, and the secret outside of the folder."""
    folder.mkdir()
    secret = folder.parent / "secret.txt"
    secret.write_text(SECRET)
    scene = Scene(full=full, url=listener.url, secret=str(secret))
    (folder / "good.md").write_text(GOOD)
    for name in names:
        (folder / name).write_bytes(MAKERS[name](scene))


def ingest_all(folder: Path) -> tuple[IngestReport, dict[str, str]]:
    """Ingest the folder with two workers; return the report and the texts."""
    store = memory_store()
    settings = IngestSettings(policy=policy("structure_aware"), tokenizer=words(), workers=2)
    report = ingest(store, [folder], settings)
    snapshot = store.snapshot()
    assert snapshot is not None
    found = {d.uri: snapshot.document(d.id) for d in snapshot.documents()}
    return report, {uri: document.text for uri, document in found.items() if document is not None}


def faults(folder: Path, report: IngestReport, texts: dict[str, str], listener: Listener) -> list[str]:
    """Return what an ingest of hostile documents did wrong."""
    named = {r.uri for r in (*report.failures, *report.skipped)} | set(texts)
    found = [] if f"{folder.name}/good.md" in texts else ["the good document is not there"]
    for file in sorted(folder.iterdir()):
        uri = f"{folder.name}/{file.name}"
        if not any(n == uri or n.startswith(uri + "/") for n in named):
            found.append(f"{uri} is not named in the report")
    found += [f"{uri} holds the secret" for uri, text in texts.items() if SECRET in text]
    found += [f"{r.uri}: {r.reason}" for r in report.failures if "fault in withgrain" in r.reason]
    return [*found, f"{listener.count} connections"] if listener.count else found


def main() -> None:
    """Run the proof; exit 1 when anything is wrong."""
    chosen = [name for name in sys.argv[1:] if name in MAKERS] or list(MAKERS)
    wrong: list[str] = []
    listener = Listener()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "bad"
        write_all(folder, listener, chosen, full="--small" not in sys.argv)
        print(f"{'document':<22}{'size MB':>8}{'seconds':>9}{'CPU s':>7}{'MB':>6}  what became of it")
        for name in chosen:
            if name in UNKNOWN:
                continue
            found = measure(name, folder / name)
            megabytes = (folder / name).stat().st_size / 1e6
            shown = f"{found.memory / 1e6:.0f}" if found.memory else "-"
            cpu = f"{found.cpu:.1f}" if found.memory else "-"
            numbers = f"{megabytes:>8.1f}{found.seconds:>9.1f}{cpu:>7}{shown:>6}"
            print(f"{name:<22}{numbers}  {found.outcome[:150]}", flush=True)
            wrong += [f"{name} holds the secret"] if found.leaked else []
            wrong += [f"{name} took {found.seconds:.1f} s"] if found.seconds > SECONDS + LATE else []
            wrong += [f"{name} took {found.memory >> 20} MB"] if found.memory > MEMORY else []
        if "--no-batch" not in sys.argv:
            wrong += faults(folder, *ingest_all(folder), listener)
    wrong += [f"{listener.count} connections"] if listener.count else []
    print("\n".join(wrong) or "Every document was read or refused within the limits, and the good one is there.")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
