"""Many processes, and a full disk: what only shows outside of one process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPO

#: ``make readers`` asks for 120 seconds and 8 readers.
SECONDS, READERS = os.environ.get("STORE_SECONDS", "5"), os.environ.get("STORE_READERS", "3")


@pytest.mark.slow
def test_readers_never_see_half_of_anything() -> None:
    """One writer that edits, deletes, indexes and compacts; readers in processes of their own: no error, no half."""
    command = [sys.executable, "-m", "tests.unit.store.reading", SECONDS, READERS]
    run = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=1200, check=False)
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    assert re.search(r"looked at [1-9]\d* states; 0 processes", run.stdout), run.stdout


@pytest.mark.slow
def test_a_full_disk_refuses_and_keeps(tmp_path: Path) -> None:
    """On a real file system of 3 MB: each step is done, or refused with exit code 5; what was committed is there."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("needs the right to mount a file system; test_lance.py tries with a limit on file sizes instead")
    script = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$1" -m tests.unit.store.filling "$0"'
    command = ["unshare", "-m", "sh", "-c", script, str(tmp_path), sys.executable]
    run = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=600, check=False)
    if "mount:" in run.stderr or "unshare:" in run.stderr:
        pytest.skip("mounting a file system is not allowed here")
    assert run.returncode == 0, run.stderr[-3000:]
    assert re.search(r"[1-9]\d* steps done, [1-9]\d* refused", run.stdout), run.stdout
