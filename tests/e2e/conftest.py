"""Small folders, and the command line over them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Run, run_cli

RESET = """---
title: Credential reset
owner: security
---

Two people are needed for this procedure, and both must see the screen of the operator.

## Before you start

- Open a change record.
- Check that the other account works.

## Steps

1. Sign in with the other account.
2. Check the credential out: `vault checkout breakglass`.
3. Confirm the new version only after a sign-in with it has succeeded.
"""

STATUS = """# Status codes

The schema keeps one status for every user.

## Active

`statuskey=1` means that the user is active.

## Disabled

`statuskey=7` means that the user is disabled and that all sessions were revoked.
"""

RETENTION = """# Data retention

## Periods

Audit events are kept for 400 days after the event, then the purge job deletes them.

## Exception

A legal hold stops the purge job for every custodian until the hold is lifted.
"""

DOCUMENTS = {"runbooks/reset.md": RESET, "schema/status.md": STATUS, "policies/retention.md": RETENTION}


def write(folder: Path, documents: dict[str, str] | None = None) -> Path:
    """Write documents into a folder and return it."""
    for name, text in (DOCUMENTS if documents is None else documents).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Return a folder with three documents."""
    return write(tmp_path / "docs")


@pytest.fixture
def cli(tmp_path: Path) -> Callable[..., Run]:
    """Return the command line, run in the test's own directory."""

    def run(*arguments: str | Path, **named: object) -> Run:
        return run_cli(arguments, cwd=tmp_path, **named)  # type: ignore[arg-type]

    return run


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with ``docs`` and a collection ``kb`` made of it with the bundled model. Read only."""
    place = tmp_path_factory.mktemp("knowledge")
    write(place / "docs")
    done = run_cli(["ingest", "docs", "-c", "kb"], cwd=place)
    assert done.code == 0, done.stderr
    return place
