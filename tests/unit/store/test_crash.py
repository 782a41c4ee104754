"""A writer that is killed at any moment leaves a whole committed state, and everything that it acknowledged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.store.writing import after, last_round
from withgrain.store import open_store
from withgrain.testing.plain_reading import assert_answers, assert_state, state
from withgrain.testing.records import contract

#: More of them on request: ``WITHGRAIN`` variables are cleared, so the name is another one.
KILLS = int(os.environ.get("STORE_KILLS", "10"))


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_no_state_is_half(tmp_path: Path) -> None:
    """SIGKILL at random points: the reopened state is the last acknowledged round or the one after, whole."""
    random_, collection, log = random.Random(5), tmp_path / "collection", tmp_path / "acknowledged"
    log.touch()
    script = Path(__file__).with_name("writing.py")
    command = [sys.executable, str(script), str(collection), str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "ready\n"
        reached = 0
        for kill in range(KILLS):
            process.stdin.write(f"{reached + 1}\n")
            process.stdin.flush()
            victim = int(process.stdout.readline())
            _wait_for_progress(log, reached, rounds=random_.randrange(4) if kill else 1)
            time.sleep(random_.random() * 0.2)
            os.kill(victim, signal.SIGKILL)
            acknowledged = _wait_for_end(victim, log)
            snapshot = open_store(collection).snapshot()
            found = last_round(state(snapshot))
            assert found in (acknowledged, acknowledged + 1), f"kill {kill}"
            assert_state(snapshot, after(found))
            assert snapshot is not None
            reached = found
        process.stdin.close()
    assert reached > 5
    with open_store(collection).writer(contract()) as writer:
        writer.finish()
        assert_answers(writer.snapshot(), after(reached))
    assert len(list(collection.glob("g*"))) <= 2, "generations of killed writers stay behind"


def _wait_for_progress(log: Path, reached: int, *, rounds: int) -> None:
    """Wait until the victim has acknowledged some rounds more."""
    limit = time.monotonic() + 120
    while _acknowledged(log) < reached + rounds:
        assert time.monotonic() < limit, "the victim makes no progress"
        time.sleep(0.002)


def _wait_for_end(victim: int, log: Path) -> int:
    """Wait until the process is gone (its lock with it), and return what it had acknowledged."""
    limit = time.monotonic() + 60
    while Path(f"/proc/{victim}").exists():
        assert time.monotonic() < limit
        time.sleep(0.002)
    return _acknowledged(log)


def _acknowledged(log: Path) -> int:
    lines = log.read_text().split("\n")[:-1]  # behind the last line break stands an unfinished line, or nothing
    return int(lines[-1]) if lines else 0
