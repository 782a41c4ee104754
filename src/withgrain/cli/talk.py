"""What the command line says to a person, on stderr: notes, warnings, errors, progress. Never data."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from withgrain.types import Progress

# What a document could do to a terminal: escape sequences, and marks that reverse the order of what is read.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_STAGES = {"scan": "reading", "chunk": "cutting", "embed": "embedding", "commit": "writing", "ask": "asking"}


def safe(text: str) -> str:
    """Return ``text`` without the characters that control a terminal: documents are untrusted."""
    return _CONTROL.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Return ``text`` on one line: a line break in a name or title must not look like a line of ours."""
    return "\ufffd".join(text.splitlines())


class Talk:
    """The voice of one run of the command line.

    Attributes:
        level: -1 errors only, 0 notes, 1 details and tracebacks.
    """

    def __init__(self) -> None:
        self.level = 0

    def listen(self, quiet: bool, verbose: bool) -> None:
        """Take ``-q`` and ``-v``, which may stand in front of the command and behind it."""
        if quiet:
            self.level = -1
        if verbose:
            self.level = 1

    def note(self, text: str) -> None:
        """Say something that a person may want to know."""
        if self.level >= 0:
            self._write(text)

    def detail(self, text: str) -> None:
        """Say something that is of interest with ``-v`` only."""
        if self.level > 0:
            self._write(text)

    def error(self, text: str) -> None:
        """Say what went wrong; not even ``-q`` hides it."""
        self._write(text)

    def failed(self, message: str) -> None:
        """Report the exception that is being handled: the traceback with ``-v`` only."""
        if self.level > 0:
            self._write(traceback.format_exc().rstrip())
        self._write(f"error: {message}")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(safe(text) + "\n")
            sys.stderr.flush()
        except OSError:  # nobody can hear us: what the run does and how it ends must not depend on that
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())

    @contextmanager
    def progress(self) -> Iterator[Progress | None]:
        """Show progress bars while the block runs, on a terminal only; yields None where nobody would see them."""
        if self.level < 0 or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns = (
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
        )
        with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
            yield _Stages(bars)


class _Stages:
    """One bar a stage: done and total, what came out and how fast, time left."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._chunks = 0

    def update(self, stage: str, done: int, total: int, detail: str = "") -> None:
        """See `withgrain.types.Progress`."""
        del detail
        if stage == "made":
            self._chunks = done
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(_STAGES.get(stage, stage), total=total, note="")
        task = self._tasks[stage]
        speed = self._bars.tasks[self._bars.task_ids.index(task)].speed
        rate = f"{speed:,.0f}/s" if speed and speed >= 1 else f"{speed * 60:,.0f}/min" if speed else ""
        chunks = f"{self._chunks:,} chunks" if stage == "chunk" and self._chunks else ""
        self._bars.update(task, completed=done, total=total, note=" ".join(filter(None, (chunks, rate))))
