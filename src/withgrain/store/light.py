"""LanceDB without what a collection in a folder never asks, for processes that are ours alone.

``import lancedb`` takes some 3 CPU seconds: 2 for the client of its REST catalogue (some hundred pydantic models), most
of the rest for its remote tables, for embedders and functions of its users, and for a check that its methods override
what they say they do. While `light_engine` is in force, these modules are stand-ins whose names are empty classes. The
command line asks for it; a program that uses withgrain as a library keeps its LanceDB as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: Left out, with all that is below them.
_LEFT_OUT = (
    "lance_namespace",
    "lance_namespace_urllib3_client",
    "lancedb.functions",
    "lancedb.namespace",
    "lancedb.remote",
)
#: Packages of which all is left out but these modules.
_KEPT = {"lancedb.embeddings": {"registry"}, "lancedb.rerankers": {"base", "rrf", "util"}}
_NATIVE = "lancedb._lancedb"
#: What the engine, on Python 3.11, checks its methods with.
_CHECKS = "overrides"


class _StandIn(ModuleType):
    """A module that has every name: errors that nobody raises, and classes that nobody makes."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception if name.endswith("Error") else object,), {})
        setattr(self, name, made)
        return made


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        return ModuleSpec(fullname, self, is_package=True) if _is_left_out(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        del module


def _is_left_out(name: str) -> bool:
    package, _, own = name.rpartition(".")
    if package in _KEPT:
        return own not in _KEPT[package]
    return any(name == part or name.startswith(f"{part}.") for part in _LEFT_OUT)


def light_engine() -> None:
    """Leave these parts out when LanceDB is loaded; nothing when it is loaded already."""
    if "lancedb" not in sys.modules and not _finders():
        sys.meta_path.insert(0, _Finder())


@contextmanager
def unchecked() -> Iterator[None]:
    """Load the light engine in this block: there ``override`` checks nothing. Others find the real one afterwards."""
    if not _finders() or _CHECKS in sys.modules:
        yield
        return
    checks = ModuleType(_CHECKS)
    checks.__dict__.update(override=lambda method: method, EnforceOverrides=object)
    sys.modules[_CHECKS] = checks
    try:
        yield
    finally:
        del sys.modules[_CHECKS]


def whole_engine() -> bool:
    """Take the stand-ins back, after LanceDB could not be loaded with them; return whether there were any."""
    finders = _finders()
    for finder in finders:
        sys.meta_path.remove(finder)
    if finders:
        parts = [n for n in sys.modules if n.partition(".")[0] in ("lancedb", *_LEFT_OUT)]
        for name in parts:
            if name != _NATIVE:  # native code can be loaded once only
                del sys.modules[name]
    return bool(finders)


def _finders() -> list[_Finder]:
    return [finder for finder in sys.meta_path if isinstance(finder, _Finder)]
