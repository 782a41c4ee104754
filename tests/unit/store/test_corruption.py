"""Damaged collections: what changes an answer is reported, and nothing ends in a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPO

#: ``make corruptions`` asks for 220.
CASES = int(os.environ.get("STORE_CORRUPTIONS", "20"))


@pytest.mark.slow
def test_damage_that_changes_an_answer_is_reported() -> None:
    """Bytes flipped, cut off, zeroed, swapped or deleted anywhere: our own errors only, and `verify` tells of it."""
    command = [sys.executable, "-m", "tests.unit.store.corrupting", str(CASES)]
    run = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=3000, check=False)
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    assert f"{CASES} corruptions, 0 not as they must be" in run.stdout
    assert "Traceback" not in run.stderr


def test_the_suite_looks_at_real_damage(tmp_path: Path) -> None:
    """Every way to damage a file changes it."""
    from tests.unit.store import corrupting

    for seed in range(40):
        place = tmp_path / str(seed)
        place.mkdir()
        for name in ("a.json", "b.lance"):
            (place / name).write_bytes(name.encode() * 30)
        before = {f.name: f.read_bytes() for f in place.iterdir()}
        corrupting.damage(place, seed)
        after = {f.name: f.read_bytes() for f in place.iterdir()}
        assert after != before or seed % 64 == 0, seed
