"""Rerankers by name: an HTTP service, a cross-encoder, or what another package registers.

A specification is ``NAME`` or ``NAME:REST``; the entry point NAME of the group ``withgrain.rerankers`` is a function
that takes REST and returns a `withgrain.types.Reranker`.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from withgrain.errors import ConfigError
from withgrain.types import Reranker

GROUP = "withgrain.rerankers"


def load_reranker(spec: str) -> Reranker | None:
    """Return the reranker that ``spec`` names: ``none``, ``http:URL``, ``cross-encoder:DIRECTORY`` or a registered one.

    Raises:
        ConfigError: There is none of that name, or it refuses what follows the name.
        MissingExtra: It needs a package that is not installed.
    """
    if spec in ("", "none"):
        return None
    name, _, rest = spec.partition(":")
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        known = ", ".join(sorted((*found, "none")))
        raise ConfigError(f'There is no reranker "{name}". Use one of: {known}. Write for example: http:URL.')
    made = found[name].load()(rest)
    if not isinstance(made, Reranker):
        raise ConfigError(f'The reranker "{name}" has no name or no method "scores": it cannot be used.')
    return made
