"""`withgrain audit --write DIR`: compiled Markdown for authors; sources are never touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import run_cli

TEXT = "# Users\n\nAll of them.\n\n## Suspend a user\n\nCall it.\n"


def _docs(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "okta").mkdir(parents=True)
    (tmp_path / "docs" / "okta" / "users.md").write_text(TEXT)
    (tmp_path / "docs" / "notes.txt").write_text("Plain text.\n")
    return tmp_path


def test_it_writes_once_and_says_what(tmp_path: Path) -> None:
    """Markers injected under the heading; a second run changes nothing; a dry run writes nothing."""
    place = _docs(tmp_path)
    dry = json.loads(run_cli(["audit", "docs", "--write", "out", "--dry-run", "--json"], cwd=place).stdout)["compiled"]
    assert not (place / "out").exists()
    done = run_cli(["audit", "docs", "--write", "out", "--json"], cwd=place)
    files = json.loads(done.stdout)["compiled"]
    assert files == dry
    assert [(f["path"], f["state"], f["markers"]) for f in files] == [
        ("", "skipped", 0),
        ("okta/users.md", "written", 2),
    ]
    written = (place / "out" / "okta" / "users.md").read_text()
    assert "## Suspend a user\n\n@@OKTA:SUSPEND_USER\n\nCall it.\n" in written
    assert (place / "docs" / "okta" / "users.md").read_text() == TEXT
    again = json.loads(run_cli(["audit", "docs", "--write", "out", "--json"], cwd=place).stdout)["compiled"]
    assert again[1]["state"] == "unchanged"


def test_another_file_is_kept_until_force(tmp_path: Path) -> None:
    """What stands in DIR is replaced by --force only; a link is replaced, not followed."""
    place = _docs(tmp_path)
    (place / "out" / "okta").mkdir(parents=True)
    (place / "out" / "okta" / "users.md").symlink_to(place / "docs" / "okta" / "users.md")
    kept = run_cli(["audit", "docs", "--write", "out"], cwd=place)
    assert "--force replaces it" in kept.stdout
    run_cli(["audit", "docs", "--write", "out", "--force"], cwd=place)
    assert (place / "docs" / "okta" / "users.md").read_text() == TEXT
    assert "@@OKTA" in (place / "out" / "okta" / "users.md").read_text()


@pytest.mark.parametrize("target", ["docs", "docs/inside", "."])
def test_a_directory_of_sources_is_refused(tmp_path: Path, target: str) -> None:
    """It never overwrites sources."""
    done = run_cli(["audit", "docs", "--write", target], cwd=_docs(tmp_path))
    assert done.code == 2
    assert "directory of its own" in done.stderr
