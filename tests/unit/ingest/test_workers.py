"""Processes that read untrusted documents: whatever one of them does, its document fails with the reason."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.ingest.evil import evil_format
from withgrain.chunk import policy
from withgrain.errors import DocumentError
from withgrain.ingest.isolated import isolated_parse
from withgrain.ingest.limits import Limits
from withgrain.ingest.order import Order, Task, TokenizerName, name_of
from withgrain.ingest.prepare import Prepared
from withgrain.ingest.process import Job, Worker
from withgrain.ingest.workers import Workers
from withgrain.model import Document
from withgrain.parse import parse
from withgrain.tokens import words

SMALL = Limits(memory=400 << 20, cpu_seconds=2.0, wall_seconds=60.0)
SHORT = replace(SMALL, wall_seconds=2.0)
WORDS = name_of(words())


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, evil_format(tmp_path_factory.mktemp("evil"), patch):
        yield


@pytest.fixture(scope="module")
def worker(evil: None) -> Iterator[Worker]:
    with Worker(Job(order=Order(tokenizer=WORDS, leaf_tokenizer=WORDS, window=200), policy=policy("heading"))) as one:
        yield one


def _task(words: str, limits: Limits = SMALL) -> tuple[Task, bytes]:
    return Task(uri="docs/x.evil", root="docs", limits=limits), words.encode()


def _fails(worker: Worker, words: str) -> str:
    with pytest.raises(DocumentError) as caught:
        worker.do(*_task(words, SHORT if words.startswith("sleep") else SMALL))
    answer = worker.do(*_task("good words"))
    assert isinstance(answer, Prepared), "the next document is read as if nothing had happened"
    return str(caught.value)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("sleep 60", "it took longer than 2 s"),
        ("spin", "it took more than 2 s of CPU time"),
        ("eat", "it needs more than the 400 MB of memory that one document may take"),
        ("gulp", "it needs more than the 400 MB of memory that one document may take"),
        ("die 11", "the process that read it was killed by SIGSEGV"),
        ("exit 0", "the process that read it ended with exit code 0"),
        ("deep", "it is nested too deeply to be read (RecursionError)"),
        ("raise", "unexpected KeyError: 'nothing like that'; this is a fault in withgrain, please report it"),
        ("connect", "a parser may not do this: socket."),
        ("spawn", "a parser may not do this: subprocess.Popen"),
        ("fork", "a parser may not do this: os.fork"),
        ("write", "File too large"),
    ],
)
def test_one_dead_child_is_one_failed_document(worker: Worker, words: str, reason: str) -> None:
    """ "untrusted documents are parsed in a child process with limits on memory, CPU and wall time"."""
    told = _fails(worker, words)
    assert reason in told or "(SIGSEGV)" in told  # native code out of memory ends with the same signal


@pytest.mark.usefixtures("evil")
def test_a_large_parent_is_not_taken_for_a_large_child() -> None:
    """What the parent held when it started the process is no reason of its death."""
    held = bytearray(b"x") * SMALL.memory
    with Worker(Job(order=Order(tokenizer=WORDS, leaf_tokenizer=WORDS, window=200), policy=policy("heading"))) as one:
        assert "was killed by SIGSEGV" in _fails(one, "die 11")
    assert len(held) == SMALL.memory


@pytest.mark.parametrize("limits", [Limits(), Limits.of_seconds(3), Limits().for_text(50 << 20)])
def test_a_busy_machine_fails_no_document(limits: Limits) -> None:
    """CPU time decides; the time on the clock is a net for what waits for ever, ten times as wide."""
    assert limits.wall_seconds == pytest.approx(10 * limits.cpu_seconds)


def test_what_a_parser_prints_is_no_answer(worker: Worker) -> None:
    assert isinstance(worker.do(*_task("print this")), Prepared)


def test_a_process_that_was_killed_by_others_is_replaced(worker: Worker, tmp_path: Path) -> None:
    """What becomes of a document does not depend on what happened to the worker before."""
    worker.do(*_task("good"))
    assert worker._process is not None
    os.kill(worker._process.pid, 9)
    assert isinstance(worker.do(*_task("good")), Prepared)
    assert isinstance(worker.do(*_task(f"once {tmp_path / 'flag'}")), Prepared), "killed while it read"


def test_isolated_parse_is_parse(evil: None) -> None:
    data = "---\ntags: [a, b]\n---\n# One\n\n- a\n  - b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n[l](o.md) é\n".encode()
    plain = parse(data, uri="docs/a.md", root="docs", modified="2024-01-01T00:00:00Z")
    assert isolated_parse(data, uri="docs/a.md", root="docs", modified="2024-01-01T00:00:00Z") == plain
    with pytest.raises(DocumentError, match="not text"):
        isolated_parse(b"\x00\x01\xff\xfe" * 400, uri="docs/a.md")
    with pytest.raises(DocumentError, match=r"x\.evil: .*SIGBUS"):
        isolated_parse(b"die 7", uri="x.evil", limits=SMALL)


def test_a_tokenizer_that_the_worker_does_not_have(evil: None) -> None:
    """The worker still reads; the document comes back to be cut where the tokenizer is."""
    unknown = TokenizerName(spec="words", name="words", version="another")
    with Worker(Job(order=Order(tokenizer=unknown), policy=policy("heading"))) as worker:
        answer = worker.do(*_task("good"))
    assert isinstance(answer, Document)


@pytest.mark.parametrize("count", [1, 2])
def test_outcomes_come_in_the_order_of_the_tasks(evil: None, tmp_path: Path, count: int) -> None:
    """Slow, deadly and good documents, more than may wait: one outcome each, in order."""
    kinds = ["sleep 0.2", "good", "good", "raise", *["good"] * 12, "die 9", "good"]
    tasks = []
    for number, text in enumerate(kinds):
        file = tmp_path / f"{number}.evil"
        file.write_text(f"{text} number {number}")
        tasks.append(Task(uri=f"docs/{number}.evil", root="docs", file=str(file), limits=SMALL))
    job = Job(order=Order(tokenizer=WORDS), policy=policy("heading"))
    outcomes = list(Workers(job, count).outcomes(tasks))
    assert len(outcomes) == len(tasks)
    for number, (text, outcome) in enumerate(zip(kinds, outcomes, strict=True)):
        if text.startswith(("die", "raise")):
            assert isinstance(outcome, DocumentError)
        else:
            assert isinstance(outcome, Prepared)
            assert outcome.document.uri == f"docs/{number}.evil"


def test_a_run_that_ends_early_leaves_no_process(evil: None, tmp_path: Path) -> None:
    (tmp_path / "a.evil").write_text("good")
    (tmp_path / "b.evil").write_text("sleep 60")
    tasks = [Task(uri=f"docs/{n}.evil", file=str(tmp_path / f"{n}.evil")) for n in "abbbbbb"]
    outcomes = Workers(Job(order=Order(tokenizer=WORDS), policy=policy("heading")), 2).outcomes(tasks)
    assert isinstance(next(outcomes), Prepared)
    started = time.monotonic()
    outcomes.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 10
    assert not [t for t in threading.enumerate() if t.name == "withgrain-worker"]
