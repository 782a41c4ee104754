"""LanceDB without the client of its REST catalogue, for processes that are ours alone.

``import lancedb`` takes about 3.4 CPU seconds, 2 of them for ``lance_namespace_urllib3_client``: some hundred pydantic
models for catalogues behind a web service, which a collection in a folder never asks. While `light_engine` is in force,
these modules are stand-ins whose names are empty classes. The command line asks for it; a program that uses withgrain
as a library keeps its LanceDB as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_LEFT_OUT = ("lance_namespace", "lance_namespace_urllib3_client")
_NATIVE = "lancedb._lancedb"


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
        mine = fullname.partition(".")[0] in _LEFT_OUT
        return ModuleSpec(fullname, self, is_package=True) if mine else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        del module


def light_engine() -> None:
    """Leave the catalogue's client out when LanceDB is loaded; nothing when it is loaded already."""
    if "lancedb" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def whole_engine() -> bool:
    """Take the stand-ins back, after LanceDB could not be loaded with them; return whether there were any."""
    finders = [finder for finder in sys.meta_path if isinstance(finder, _Finder)]
    for finder in finders:
        sys.meta_path.remove(finder)
    if finders:
        parts = [n for n in sys.modules if n.partition(".")[0] in (*_LEFT_OUT, "lancedb")]
        for name in parts:
            if name != _NATIVE:  # native code can be loaded once only
                del sys.modules[name]
    return bool(finders)
