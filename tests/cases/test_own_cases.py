"""Our own cases, in the form of the handed ones: what users of chunkers report, family by family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.run import load_checker, outcome
from tests.support import shared

OWN = Path(__file__).parent / "own"
CASES = sorted(d for d in OWN.iterdir() if (d / "case.json").exists())


@pytest.fixture(scope="module")
def checker() -> tuple[Any, Path]:
    """Return the reference checker and its file."""
    path = shared() / "cases" / "check.py"
    return load_checker(path), path


@pytest.mark.parametrize("directory", CASES, ids=lambda d: d.name)
def test_own_case(directory: Path, checker: tuple[Any, Path]) -> None:
    """The case passes every assertion."""
    found = outcome(directory, *checker)
    bad = [f"{a['assertion']} -> {a['detail']}" for a in found["assertions"] if not a["passed"]]
    assert not bad, "\n".join(bad)
