"""Names of a package that are loaded when they are first used (PEP 562), so that nobody pays for what he does not ask.

A command is a process of its own, and loading all rooms takes it longer than to answer. A package writes its names for
readers and type checkers as usual, under ``if TYPE_CHECKING``, and in the other branch::

    __getattr__ = named(__name__, library="Library open", content="Content")
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def named(package: str, **homes: str) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package.

    A name must not be that of a module of the package: who loads the module would put it in the name's place.

    Args:
        package: Its ``__name__``.
        homes: For each of its modules, the names that are found there, separated by spaces.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)  # found at once from now on
        return value

    return load
