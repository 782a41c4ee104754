"""A process that reads documents, as its parent sees it: started, spoken to under limits, replaced when it dies."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from withgrain.errors import DocumentError, Unavailable
from withgrain.ingest.archives import Listing
from withgrain.ingest.limits import Limits
from withgrain.ingest.order import OUT_OF_MEMORY, Failure, Hello, Order, Ready, Task
from withgrain.ingest.prepare import Prepared, WordsLost
from withgrain.ingest.wire import pack, unpack
from withgrain.ingest.worker import FAILURE, HEADER, RESULT
from withgrain.model import Document

if TYPE_CHECKING:
    from withgrain.chunk import Policy

#: Seconds until a process must have started; a start that takes longer says that the machine is not well.
START_SECONDS = 120
#: How often a process may die before it has said anything, one time after the other.
STARTS = 3
#: Largest answer that is taken.
LARGEST = 1 << 30

Answer = Prepared | Document | Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What all workers of a run are told."""

    order: Order
    policy: Policy


class Worker:
    """One process at a time that reads documents; a context manager."""

    def __init__(self, job: Job | None = None) -> None:
        self._job = job
        self._process: subprocess.Popen[bytes] | None = None
        self._used = False
        self._cuts = False
        self._closed = threading.Event()

    def do(self, task: Task, data: bytes | None = None) -> Answer:
        """Have a document read (and cut, if the worker can).

        A process that was used before and ran out of memory, or was killed, is not taken for an answer: the document is
        tried again in a new one, so that what becomes of it does not depend on the documents before it.

        Raises:
            DocumentError: It cannot be read, or not within its limits; kind ``died`` when the process did not survive.
            Unavailable: No process can be started.
        """
        try:
            try:
                return self._once(task, data)
            except _Died as death:
                if not death.again:
                    raise
                return self._once(task, data)
        except _Died as death:
            raise DocumentError(str(death), kind="died") from None

    def close(self) -> None:
        """End the process, whatever it does. Another thread that waits for it is told that it died."""
        self._closed.set()
        process = self._process
        if process is not None and process.returncode is None:
            process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if self._process is not None:
            self._bury(self._process)

    def _once(self, task: Task, data: bytes | None) -> Answer:
        used = self._used
        process = self._process if self._process is not None and self._used else self._start()
        self._used = True
        task = replace(task, cut=task.cut and self._cuts)
        deadline = time.monotonic() + task.limits.wall_seconds
        try:
            _send(process, pack(task))
            if data is not None:
                _send(process, data)
            kind, reply = _receive(process, deadline)
        except TimeoutError:
            _kill(process)
            self._bury(process)
            raise _Died(f"it took longer than {task.limits.wall_seconds:g} s", again=False) from None
        except (OSError, EOFError):
            raise self._autopsy(process, task.limits, used) from None
        if kind == RESULT:
            if task.lists:
                return unpack(Listing, reply)
            return unpack(Prepared, reply) if task.cut else unpack(Document, reply)
        failure = unpack(Failure, reply)
        if failure.kind == "too_large" and used and self._bury(process)[0] == OUT_OF_MEMORY:
            raise _Died(failure.message, again=True)
        if failure.words:
            raise WordsLost(failure.words, message=failure.message)
        raise DocumentError(failure.message, kind=failure.kind)

    def _start(self) -> subprocess.Popen[bytes]:
        last = ""
        for _ in range(STARTS):
            if self._closed.is_set():
                raise Unavailable("The run was ended.")
            with tempfile.TemporaryFile() as complaints:
                process = self._process = _launch(complaints.fileno())
                if self._closed.is_set():  # while it was started
                    process.kill()
                try:
                    for message in self._greeting():
                        _send(process, message)
                    _, reply = _receive(process, time.monotonic() + START_SECONDS)
                    self._cuts = unpack(Ready, reply).cuts
                    return process
                except (OSError, EOFError, TimeoutError):
                    process.kill()
                    self._bury(process)
                    complaints.seek(0)
                    last = complaints.read()[-2000:].decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise Unavailable(f"No process to read documents in can be started{f': {last}' if last else ''}.")

    def _greeting(self) -> list[bytes]:
        job = self._job
        hello = pack(Hello(orders=job is not None))
        return [hello, pack(job.order), pack(job.policy)] if job is not None else [hello]

    def _autopsy(self, process: subprocess.Popen[bytes], limits: Limits, used: bool) -> _Died:
        _kill(process)  # an end of its output without an end of the process would be another way to fail us
        code, memory = self._bury(process)
        if code == 0 and used and not self._closed.is_set():
            return _Died("the process that read it had ended", again=True)  # it had grown, and made room for another
        return _Died(_cause(code, memory, limits), again=used and code != -signal.SIGXCPU and not self._closed.is_set())

    def _bury(self, process: subprocess.Popen[bytes]) -> tuple[int, int]:
        """Wait for the process to end; return its exit code and the most memory it held, in bytes; 0 when unknown.

        Linux counts what the parent held when it started the process, so less than the parent's own says nothing.
        """
        self._process, self._used = None, False
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        if process.returncode is not None:
            return process.returncode, 0
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        held = usage.ru_maxrss if usage.ru_maxrss > own else 0
        return process.returncode, held * (1 if sys.platform == "darwin" else 1024)


class _Died(Exception):
    """A worker ended without an answer; ``again`` when another one may do better."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


def _launch(complaints: int) -> subprocess.Popen[bytes]:
    """Start a process that finds the same modules as this one, and nothing of the working directory."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "withgrain.ingest.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            bufsize=0,
            env=environment,
        )
    except OSError as error:
        raise Unavailable(f"No process to read documents in can be started: {error.strerror or error}.") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process without asking for its state, as ``Popen.kill`` does: what it held is told only once."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def _send(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    message = memoryview(HEADER.pack(b"m", len(data)) + data)
    while message:
        message = message[process.stdin.write(message) or 0 :]


def _receive(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes]:
    """Return kind and content of the next frame.

    Raises:
        TimeoutError: It was not there in time.
        EOFError: The process ended, or what it says is no frame.
    """
    assert process.stdout is not None
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    parts: list[bytes] = []
    have, wanted, kind = 0, HEADER.size, b""
    while have < wanted:
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        piece = os.read(process.stdout.fileno(), min(wanted - have, 1 << 20))
        if not piece:
            raise EOFError
        parts.append(piece)
        have += len(piece)
        if have == wanted and not kind:
            kind, size = HEADER.unpack(b"".join(parts))
            if size > LARGEST or kind not in (RESULT, FAILURE, b"m"):
                raise EOFError
            parts, have, wanted = [], 0, size
    return kind, b"".join(parts)


def _cause(code: int, memory: int, limits: Limits) -> str:
    if code == -signal.SIGXCPU:
        return f"it took more than {limits.cpu_seconds:g} s of CPU time (--max-seconds allows more)"
    if code >= 0:
        return f"the process that read it ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if memory > limits.memory // 2:
        return f"it needs more than the {limits.memory >> 20:,} MB of memory that one document may take ({name})"
    return f"the process that read it was killed by {name}"
