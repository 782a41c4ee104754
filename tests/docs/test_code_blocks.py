"""Every ``python``, ``console`` and ``bash`` block of the README and of docs/ runs, and prints what the page shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Command, code_blocks, commands, is_run, shows
from tests.support import REPO, environment

pytestmark = pytest.mark.needs_repo

PAGES = sorted([REPO / "README.md", *(REPO / "docs").rglob("*.md")])

#: Runs the python blocks of one page in one namespace, each at its own line, and prints what each block prints.
RUNNER = """
import sys, json
page, blocks = json.load(sys.stdin)
space = {"__name__": "__main__"}
for line, text in blocks:
    exec(compile("\\n" * (line - 1) + text, page, "exec"), space)
"""


#: The part of the handbook that the pages of the documentation talk about; the whole takes minutes to embed each time.
HANDBOOK = (
    "index.md",
    "policies/data-retention.md",
    "runbooks/credential-reset.md",
    "schema/status-codes.md",
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a reader's working directory: ``docs`` and ``examples/handbook`` hold a few pages of the handbook."""
    for name in HANDBOOK:
        for folder in ("docs", "examples/handbook"):
            target = tmp_path / folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPO / "examples" / "handbook" / name, target)
    return tmp_path


def _run(command: Command, place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command.text],
        cwd=place,
        capture_output=True,
        text=True,
        env=environment() | {"CUDA_VISIBLE_DEVICES": ""},
        timeout=180,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPO)))
def test_console_blocks(page: Path, place: Path) -> None:
    """Commands run in the order of the page, in one directory; ``...`` in the output shown stands for anything."""
    for block in code_blocks(page):
        if block.language not in ("console", "bash"):
            continue
        for command in filter(is_run, commands(block)):
            done = _run(command, place)
            where = f"{page.name}:{command.line}: {command.text}"
            printed = done.stdout + done.stderr
            if command.output:
                assert shows(command.output, printed), f"{where}\nshown:\n{command.output}\nprinted:\n{printed}"
            else:
                assert done.returncode == 0, f"{where}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPO)))
def test_python_blocks(page: Path, place: Path) -> None:
    """The python blocks of a page run one after the other in one namespace."""
    import json

    blocks = [(b.line, b.text) for b in code_blocks(page) if b.language == "python"]
    if not blocks:
        return
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps([os.fspath(page.relative_to(REPO)), blocks]),
        cwd=place,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_pages_show_something_that_runs() -> None:
    """The README has at least one python block and one command that the tests run (a broken reader would see none)."""
    blocks = list(code_blocks(REPO / "README.md"))
    assert any(b.language == "python" for b in blocks)
    assert any(is_run(c) for b in blocks if b.language == "console" for c in commands(b))


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a ... c", "a b c", True),
        ("a ... c", "a b d", False),
        ("a\nb", "a b\n", True),
        ("...", "anything", True),
        ("a ...", "a", True),
        ("12 chunks", "13 chunks", False),
    ],
)
def test_comparison(expected: str, printed: str, same: bool) -> None:
    """``...`` stands for anything, also for nothing; white space does not count; all else does."""
    assert shows(expected, printed) is same
