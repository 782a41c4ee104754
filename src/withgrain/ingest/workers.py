"""Untrusted documents are read in processes of their own, under limits; a process that dies is one failed document.

The standard library's pools are not made for that: with a worker killed, `multiprocessing.Pool` waits for ever and
`ProcessPoolExecutor` gives the whole job up. Here every worker has a thread that starts it, hands it one document at a
time, waits for the answer no longer than the limits say, and replaces it when it dies. Documents and answers are JSON
(`withgrain.ingest.wire`): nothing that comes from a worker can be more than data.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence

from withgrain.errors import DocumentError
from withgrain.ingest.order import Task
from withgrain.ingest.process import Answer, Job, Worker

#: Answers that may wait for their turn, for each worker: what bounds the memory of the parent.
WAITING = 4

Outcome = Answer | DocumentError


def usable_cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Several workers that read documents side by side; the outcomes come in the order of the tasks."""

    def __init__(self, job: Job, count: int) -> None:
        self._workers = [Worker(job) for _ in range(max(1, count))]

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield what becomes of each document: its rows, or the document itself, or why there is neither.

        At most a few answers for each worker wait to be taken.

        Raises:
            Unavailable: No process can be started.
        """
        state = _Line(len(tasks), WAITING * len(self._workers))
        threads = [
            threading.Thread(target=_serve, args=(worker, tasks, state), name="withgrain-worker", daemon=True)
            for worker in self._workers
        ]
        for thread in threads:
            thread.start()
        try:
            for number in range(len(tasks)):
                yield state.get(number)
        finally:
            state.stop()
            for worker in self._workers:
                worker.close()
            for thread in threads:
                thread.join()


class _Line:
    """Tasks are taken in order, outcomes given back in order; the two never drift far apart."""

    def __init__(self, total: int, ahead: int) -> None:
        self._condition = threading.Condition()
        self._outcomes: dict[int, Outcome | Exception] = {}
        self._total, self._ahead = total, ahead
        self._next = self._given = 0
        self._stopped = False

    def take(self) -> int | None:
        """Return the number of the next task, when it may be begun; None when there is no more."""
        with self._condition:
            while not self._stopped and self._next < self._total and self._next - self._given >= self._ahead:
                self._condition.wait()
            if self._stopped or self._next >= self._total:
                return None
            self._next += 1
            return self._next - 1

    def put(self, number: int, outcome: Outcome | Exception) -> None:
        with self._condition:
            self._outcomes[number] = outcome
            self._condition.notify_all()

    def get(self, number: int) -> Outcome:
        """Wait for an outcome.

        Raises:
            Unavailable: No process can be started.
        """
        with self._condition:
            while number not in self._outcomes:
                self._condition.wait()
            outcome = self._outcomes.pop(number)
            self._given = number + 1
            self._condition.notify_all()
        if isinstance(outcome, Exception) and not isinstance(outcome, DocumentError):
            raise outcome
        return outcome

    def stop(self) -> None:
        with self._condition:
            self._stopped = True
            self._condition.notify_all()


def _serve(worker: Worker, tasks: Sequence[Task], line: _Line) -> None:
    """Be the thread of one worker."""
    with worker:
        while (number := line.take()) is not None:
            try:
                line.put(number, worker.do(tasks[number]))
            except Exception as error:
                line.put(number, error)
