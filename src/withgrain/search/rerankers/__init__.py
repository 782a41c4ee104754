"""Rerankers by name: late interaction with the bundled model, an HTTP service, a cross-encoder, or a registered one.

A specification is ``NAME`` or ``NAME:REST``; the entry point NAME of the group ``withgrain.rerankers`` is a function
that takes REST and returns a `withgrain.types.Reranker`. Those of this package are entry points, too; no other package
can take their names.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from withgrain.errors import ConfigError, another_package
from withgrain.types import Reranker

GROUP = "withgrain.rerankers"
_OWN = "withgrain"


def load_reranker(spec: str) -> Reranker | None:
    """Return the reranker that ``spec`` names: ``none``, ``late``, ``http:URL``, ``cross-encoder:DIRECTORY``, others.

    Raises:
        ConfigError: There is none of that name, or it refuses what follows the name.
        MissingExtra: It needs a package that is not installed.
    """
    if spec in ("", "none"):
        return None
    name, _, rest = spec.partition(":")
    found = {point.name: point for point in sorted(entry_points(group=GROUP), key=_is_own)}
    if name not in found:
        known = ", ".join(sorted({*found, "none"}))
        raise ConfigError(f'There is no reranker "{name[:80]}". Use one of: {known}. Write for example: http:URL.')
    with another_package(f'The reranker "{name}" ({found[name].value})'):
        made = found[name].load()(rest)
    if not isinstance(made, Reranker):
        raise ConfigError(f'The reranker "{name}" has no name or no method "scores": it cannot be used.')
    return made


def _is_own(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name == _OWN
