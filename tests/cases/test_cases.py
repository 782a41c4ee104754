"""The handed cases that this version promises: Markdown, plain text, encodings, degenerate input, sizing."""

from __future__ import annotations

import pytest

from tests.cases.run import load_checker, outcome
from tests.support import shared

#: First letters of the case ids. Not yet: x, p (DOCX, PDF).
FAMILIES = "bcdefhjlmstuwz"


def test_cases() -> None:
    """Every case of these families passes every assertion, rerun in a new process included."""
    folder = shared() / "cases"
    checker = load_checker(folder / "check.py")
    directories = sorted(d for d in folder.iterdir() if (d / "case.json").exists() and d.name[0] in FAMILIES)
    assert len(directories) >= 68
    failed = {}
    for directory in directories:
        found = outcome(directory, checker, folder / "check.py")
        bad = [a for a in found["assertions"] if not a["passed"]]
        if bad:
            failed[directory.name] = bad
    if failed:
        pytest.fail("\n".join(f"{name}: {bad}" for name, bad in failed.items()))
