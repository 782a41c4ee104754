"""docs/dependencies.md names every dependency, and none of what a user installs has a licence that binds their code."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib

import pytest

from tests.support import REPO, repository


def _name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _closure(roots: list[str]) -> set[str]:
    """Return the distributions that are installed with ``roots``, extras and markers that do not hold left out."""
    found: set[str] = set()
    todo = [_name(root) for root in roots]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # behind a marker that does not hold here
        found.add(name)
        todo.extend(_name(r) for r in distribution.requires or () if "extra" not in r)
    return found


@pytest.mark.needs_repo
def test_page_names_every_dependency() -> None:
    """Every dependency in pyproject.toml has its row, and every row its dependency."""
    project = tomllib.loads((repository() / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (r for requirements in project["optional-dependencies"].values() for r in requirements)
    declared = {_name(r) for r in (*project["dependencies"], *extras)} - {"withgrain"}  # `all` names the other extras
    page = (REPO / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = {row.lower() for row in re.findall(r"^\| ([A-Za-z0-9-]+) \|", page, flags=re.MULTILINE)} - {"package"}
    assert rows == declared


def test_no_strong_copyleft_in_what_is_installed() -> None:
    """No distribution that is installed with withgrain[search,mcp] declares the GPL, LGPL or AGPL."""
    roots = importlib.metadata.requires("withgrain") or []
    wanted = ('extra == "search"', 'extra == "mcp"')
    installed = [r for r in roots if "extra" not in r or any(w in r.replace("'", '"') for w in wanted)]
    names = _closure(installed)
    assert len(names) > 15
    bad = []
    for name in sorted(names):
        metadata = importlib.metadata.metadata(name)
        declared = [metadata.get("License-Expression") or "", (metadata.get("License") or "")[:200]]
        declared += [c for c in metadata.get_all("Classifier") or () if c.startswith("License")]
        if any(re.search(r"\bA?L?GPL|GNU", text) for text in declared):
            bad.append((name, declared))
    assert not bad
