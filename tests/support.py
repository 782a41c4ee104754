"""What several test packages share: the repository, the shared data beside it, and the command line as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

#: Root of the repository (in a test run against the wheel: of the copy of the tests).
REPO = Path(__file__).resolve().parent.parent


def shared() -> Path:
    """Return the directory of shared cases and corpora, which stands beside the repository.

    ``SHARED_DIR`` names another place. Where it is absent the calling test is skipped and says so; under
    continuous integration (``CI`` set) it fails, so that nothing is left out there without a word.
    """
    place = Path(os.environ.get("SHARED_DIR") or REPO.parent / "shared")
    if (place / "eval").is_dir():
        return place
    message = f"NOT TESTED: the shared cases and corpora are not beside the repository (looked for {place.name}/eval)"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def repository() -> Path:
    """Return the root of the repository; skip where the tests run without it (against an installed wheel)."""
    if (REPO / "pyproject.toml").is_file() and (REPO / "src" / "withgrain").is_dir():
        return REPO
    pytest.skip("needs the repository; this run tests an installed wheel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a finished process left."""

    code: int
    stdout: str
    stderr: str


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a process under test: no ``WITHGRAIN_*`` but those given, plain output, UTF-8."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("WITHGRAIN_", "PYTHON", "COV_"))}
    scripts = str(Path(sys.executable).parent)
    clean |= {
        "PATH": scripts + os.pathsep + clean.get("PATH", ""),
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    return clean | dict(extra or {})


def command(*arguments: str | Path) -> list[str]:
    """Return the installed command with its arguments."""
    return [str(Path(sys.executable).parent / "withgrain"), *map(str, arguments)]


def run_cli(
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    stdin: str | bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    before: Callable[[], None] | None = None,
) -> Run:
    """Run the installed command line as a process of its own, as a user does; ``before`` runs in it first."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        command(*arguments),
        cwd=cwd,
        input=data if data is not None else b"",
        capture_output=True,
        env=environment(env),
        timeout=timeout,
        check=False,
        preexec_fn=before,
    )
    return Run(code=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode())
