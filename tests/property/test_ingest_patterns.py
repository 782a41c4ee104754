"""Git is the judge of its own pattern language."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withgrain.ingest.patterns import decide, parse_patterns

_NAMES = st.text(alphabet="ab.-1 ]", min_size=1, max_size=4).filter(
    lambda n: n.strip(" ") == n and set(n) != {"."} and not n.startswith(".")
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)
_PIECES = st.sampled_from(["a", "b", ".", "1", "-", "*", "**", "?", "/", "[ab]", "[!a]", "[a-b1]", r"\*", r"\a", "]"])
_PATTERNS = st.lists(_PIECES, min_size=1, max_size=6).map("".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty repository, the same for all examples."""
    if shutil.which("git") is None:
        pytest.skip("NOT TESTED: git is not installed")
    place = tmp_path_factory.mktemp("patterns")
    subprocess.run(["git", "init", "-q", str(place)], check=True, capture_output=True)
    return place


@settings(max_examples=60)
@given(
    lines=st.lists(st.tuples(st.booleans(), _PATTERNS), min_size=1, max_size=4),
    paths=st.sets(_PATHS, min_size=8, max_size=30),
)
def test_one_ignore_file_decides_as_git_does(repository: Path, lines: list[tuple[bool, str]], paths: set[str]) -> None:
    """For paths of files, walking down from the top: a file is ignored when it or a folder above it is."""
    text = "".join(f"{'!' if negated else ''}{pattern}\n" for negated, pattern in lines)
    (repository / ".gitignore").write_text(text)
    done = subprocess.run(
        ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input="\0".join(sorted(paths)).encode(),
        capture_output=True,
        check=False,
    )
    theirs = {p for p in done.stdout.decode().split("\0") if p}
    assert _ignored(text, paths) == theirs


def _ignored(text: str, paths: set[str]) -> set[str]:
    patterns = parse_patterns(text)
    result = set()
    for path in paths:
        parts = path.split("/")
        if any(decide(patterns, parts[:n], folder=n < len(parts)) for n in range(1, len(parts) + 1)):
            result.add(path)
    return result
