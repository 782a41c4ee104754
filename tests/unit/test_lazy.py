"""Names that are loaded when they are first used."""

from __future__ import annotations

import ast
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import withgrain

LAZY = [
    found.name
    for found in pkgutil.walk_packages(withgrain.__path__, "withgrain.")
    if found.ispkg and "named(" in Path(import_module(found.name).__file__ or "").read_text()
]


def test_there_are_some() -> None:
    assert {"withgrain.app", "withgrain.ingest", "withgrain.model", "withgrain.search"} <= set(LAZY)


@pytest.mark.parametrize("name", LAZY)
def test_every_name_of_the_catalogue_is_there(name: str) -> None:
    """What a reader sees under ``TYPE_CHECKING`` is what a program gets."""
    package = import_module(name)
    tree = ast.parse(Path(package.__file__ or "").read_text())
    promised = {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{name}.")
        for alias in node.names
    }
    assert set(package.__all__) == set(promised)
    for one, home in promised.items():
        assert getattr(package, one) is getattr(import_module(home), one)


@pytest.mark.parametrize("name", LAZY)
def test_no_name_is_that_of_a_module(name: str) -> None:
    """Who loads a module puts it into its package, in the place of a name that is the same."""
    package = import_module(name)
    assert not set(package.__all__) & {found.name for found in pkgutil.iter_modules(package.__path__)}


def test_an_unknown_name_is_an_error_as_elsewhere() -> None:
    with pytest.raises(AttributeError, match=r"module 'withgrain\.app' has no attribute 'opne'"):
        import_module("withgrain.app").opne  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'opne'"):
        exec("from withgrain.app import opne")
