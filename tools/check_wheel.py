"""Build the wheel and check it where no source is in sight.

``--base-only``: in a fresh environment without extras the wheel chunks, audits, names the missing extra, and takes at
most 50 MB with its dependencies. Without the flag also: in a second fresh environment with ``[search]``, the test suite
passes against the installed wheel.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
LIMIT_MB = 50.0
#: What a fresh environment has before anything is installed; its users have it anyway.
GIVEN = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth", "wheel")
TEXT = "# Keys\n\n## Rotation\n\nRotate the key every 90 days.\n\n## Code\n\nstatuskey=1 means active.\n"


def environment() -> dict[str, str]:
    """Return this process's variables without those that lead a Python to our sources or settings."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "WITHGRAIN_", "VIRTUAL_ENV"))}


def run(command: Sequence[str | Path], *, cwd: Path, expect: int = 0) -> str:
    """Run a command and return its stdout and stderr; stop when its exit code is another one."""
    done = subprocess.run(
        [str(c) for c in command], cwd=cwd, capture_output=True, text=True, env=environment(), check=False
    )
    output = done.stdout + done.stderr
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))}\nended with exit code {done.returncode}, not {expect}:\n{output}")
    return output


def build(into: Path) -> Path:
    """Build the wheel from a copy of the sources and return its path."""
    run([sys.executable, "-m", "build", "--wheel", "--outdir", into, REPO], cwd=into)
    (wheel,) = into.glob("*.whl")
    return wheel


def install(place: Path, *requirements: str | Path) -> Path:
    """Make an environment with these requirements; return its Python."""
    venv.EnvBuilder(with_pip=True, clear=True).create(place)
    python = place / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    if "--group" in requirements:
        run([*pip, "--upgrade", "pip>=25.1"], cwd=place)
    run([*pip, *requirements], cwd=place)
    return python


def installed_mb(python: Path) -> float:
    """Return the size of the installed packages, in millions of bytes, without what every environment has."""
    place = next((python.parent.parent / "lib").glob("python3*/site-packages"))
    total = 0
    for entry in place.iterdir():
        if entry.name.partition("-")[0] in GIVEN or entry.name in GIVEN or entry.name == "__pycache__":
            continue
        files = entry.rglob("*") if entry.is_dir() else [entry]
        total += sum(f.stat().st_size for f in files if f.is_file() and not f.is_symlink())
    return total / 1e6


def check_base(work: Path, wheel: Path) -> None:
    """Check the wheel without extras."""
    python = install(work / "base", wheel)
    command = python.parent / "withgrain"
    megabytes = installed_mb(python)
    if megabytes > LIMIT_MB:
        sys.exit(f"the base install takes {megabytes:.1f} MB; the promise is {LIMIT_MB:.0f} MB")
    place = work / "elsewhere"
    place.mkdir()
    (place / "keys.md").write_text(TEXT, encoding="utf-8")
    code = f"import withgrain; c = withgrain.chunk({TEXT!r}); assert len(c) == 2, c; print(withgrain.__file__)"
    home = run([python, "-c", code], cwd=place).strip()
    if not home.startswith(str(work)):
        sys.exit(f"the wheel was not what ran: {home}")
    run([command, "chunk", "keys.md", "--json"], cwd=place)
    run([command, "audit", "keys.md", "--json"], cwd=place)
    said = run([command, "ingest", "keys.md"], cwd=place, expect=3)
    if 'pip install "withgrain[search]"' not in said:
        sys.exit(f"withgrain ingest without the extra does not name the line to type:\n{said}")
    print(f"base install: {megabytes:.1f} MB with dependencies (limit {LIMIT_MB:.0f}); chunk and audit work")


def check_search(work: Path, wheel: Path) -> None:
    """Run the test suite against the wheel with [search], away from the repository."""
    python = install(work / "search", f"{wheel}[search,code]", "--group", f"{REPO / 'pyproject.toml'}:dev")
    place = work / "suite"
    place.mkdir()
    for name in ("tests", "examples"):
        shutil.copytree(REPO / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPO / "pyproject.toml", place)
    home = run([python, "-c", "import withgrain; print(withgrain.__file__)"], cwd=place).strip()
    if not home.startswith(str(work)):
        sys.exit(f"the wheel was not what ran: {home}")
    shared = {} if "SHARED_DIR" in os.environ else {"SHARED_DIR": str(REPO.parent / "shared")}
    done = subprocess.run(
        [python, "-m", "pytest", "-p", "no:cacheprovider", "-m", "not needs_repo"],
        cwd=place,
        env=environment() | shared,
        check=False,
    )
    if done.returncode != 0:
        sys.exit("the test suite does not pass against the wheel")


def main() -> None:
    """Build and check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-only", action="store_true", help="only the wheel without extras")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="withgrain-wheel-") as name:
        work = Path(name).resolve()
        wheel = build(work)
        check_base(work, wheel)
        if not chosen.base_only:
            check_search(work, wheel)


if __name__ == "__main__":
    main()
