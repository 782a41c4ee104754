"""From the word in a configuration or a contract to an embedder.

A specification is ``NAME`` or ``NAME:REST``. Another package offers one by the entry point NAME of the group
``withgrain.embedders``: a function that takes REST and returns a `withgrain.types.Embedder` whose ``id`` is the
specification, so that a collection, which remembers the id, finds it again.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib.metadata import entry_points

from withgrain.embed.endpoint import Endpoint
from withgrain.embed.minilm import MiniLM
from withgrain.embed.static import Static
from withgrain.errors import ConfigError, another_package
from withgrain.types import Embedder

GROUP = "withgrain.embedders"
#: No other package can take these names.
BUILT_IN = ("minilm", "none", "openai", "static")

Maker = Callable[[str], Embedder]


def load_embedder(spec: str = "minilm", *, endpoint: Endpoint | None = None, dims: int = 0) -> Embedder | None:
    """Return the embedder that ``spec`` names; None for ``none`` (a lexical collection).

    A model is loaded, and a server asked, when the first vector is wanted.

    Args:
        spec: ``minilm``, ``static``, ``none``, ``openai:MODEL``, or one that another package offers.
        endpoint: The server of an ``openai:`` embedder; as the environment says when None.
        dims: Length of its vectors, where a contract tells it; else the server is asked.

    Raises:
        ConfigError: There is no such embedder; says what there is. Or it cannot be used as it is set up.
        MissingExtra: The embedder's parts are not installed.
    """
    name, _, rest = spec.partition(":")
    if spec == "minilm":
        return MiniLM()
    if spec == "static":
        return Static()
    if spec == "none":
        return None
    if name == "openai" and rest:
        from withgrain.embed.openai import OpenAIEmbedder

        return OpenAIEmbedder(rest, endpoint or Endpoint.from_environment(), dims=dims)
    found = {point.name: point for point in entry_points(group=GROUP) if point.name not in BUILT_IN}
    if name not in found:
        raise ConfigError(_unknown(spec, sorted(found)))
    with another_package(f'The embedder "{name}" ({found[name].value})'):
        made = found[name].load()(rest)
    if not isinstance(made, Embedder):
        raise ConfigError(f'The embedder "{name}" ({found[name].value}) is none: it lacks a member of Embedder.')
    if made.id != spec or "@" in made.revision:
        raise ConfigError(
            f'The embedder "{name}" ({found[name].value}) calls itself "{made.id}", revision "{made.revision}". Its id '
            f'must be what it is loaded by, "{spec}", and the revision must be without "@".'
        )
    return made


def spec_of(stored: str) -> str:
    """Return the specification of the embedder that a contract names: ``minilm@8199…`` was loaded as ``minilm``."""
    name, at, _ = stored.rpartition("@")
    return name if at else stored


def _unknown(spec: str, others: list[str]) -> str:
    near = get_close_matches(spec, (*BUILT_IN, *others), n=1)
    hint = f' Did you mean "{near[0]}"?' if near and near[0] != spec else ""
    more = f" Installed packages offer: {', '.join(others)}." if others else ""
    return (
        f'there is no embedder "{spec[:80]}".{hint} There are: "minilm" (bundled, local), "static" (local, very '
        f'fast, coarser), "openai:MODEL" (a server that you name) and "none" (lexical search only).{more}'
    )
