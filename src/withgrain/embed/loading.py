"""From the word in a configuration to an embedder."""

from __future__ import annotations

from difflib import get_close_matches

from withgrain.embed.minilm import MiniLM
from withgrain.errors import ConfigError
from withgrain.types import Embedder

_NAMES = ("minilm", "none")


def load_embedder(spec: str = "minilm") -> Embedder | None:
    """Return the embedder that ``spec`` names; None for ``none`` (a lexical collection).

    The model is loaded when the first vector is asked for.

    Raises:
        ConfigError: There is no such embedder; says what there is.
        MissingExtra: The embedder's parts are not installed.
    """
    if spec == "minilm":
        return MiniLM()
    if spec == "none":
        return None
    near = get_close_matches(spec, _NAMES, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise ConfigError(
        f'there is no embedder "{spec}".{hint} There are: "minilm" (bundled, local) and "none" (lexical search only)'
    )
