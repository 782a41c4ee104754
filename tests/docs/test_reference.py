"""The generated reference pages say what the program does."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields

import pytest

from tests.support import REPO, environment
from withgrain.config import Settings

pytestmark = pytest.mark.needs_repo


def test_cli_page_is_up_to_date() -> None:
    """docs/reference/cli.md is what tools/build_reference.py makes of the commands."""
    done = subprocess.run(
        [sys.executable, REPO / "tools" / "build_reference.py", "--check"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_config_page_names_every_setting() -> None:
    """docs/reference/config.md has a row for every setting and for nothing else."""
    page = (REPO / "docs" / "reference" / "config.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE) == [field.name for field in fields(Settings)]


def test_relative_links_of_the_pages_lead_somewhere() -> None:
    """Every relative link of the README and of docs/ names a file that is there."""
    broken = []
    for page in [REPO / "README.md", REPO / "CONTRIBUTING.md", *(REPO / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(REPO)}: {target}")
    assert not broken
