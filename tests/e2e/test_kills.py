"""A small run of ``make proof-kills``: SIGKILL at some moments of an ingest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import environment

ROOT = Path(__file__).parents[2]


@pytest.mark.needs_repo
@pytest.mark.slow
def test_killed_ingests_lose_and_double_nothing() -> None:
    """ "`kill -9` at any moment: whole documents only … the next sync ends in the same content"."""
    done = subprocess.run(
        [sys.executable, "benchmarks/kills.py", "examples/handbook", "--documents", "12", "--points", "4"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=600,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["problems"] == [], done.stderr
    assert report["points"] == sum(report["killed_at"].values()) == 4
