"""What callers may give in several forms, brought into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import UsageError

if TYPE_CHECKING:
    from withgrain.chunk import Embed, Policy
    from withgrain.types import Embedder, Tokenizer


def paths_of(paths: Sequence[str | Path]) -> list[Path]:
    """Return paths; an empty text is none (``Path("")`` would be the working directory, whole)."""
    if "" in paths:
        raise UsageError("A path is empty. Write . for the working directory.")
    return [Path(p) for p in paths]


def texts_of(values: str | Sequence[str]) -> tuple[str, ...]:
    """Return texts; one alone may be given as it is, and is not taken apart into its characters."""
    return (values,) if isinstance(values, str) else tuple(values)


def policy_of(policy: str | Policy) -> Policy:
    """Return the policy of this name, or the given one."""
    from withgrain.chunk import policy as named

    return named(policy) if isinstance(policy, str) else policy


def tokenizer_of(tokenizer: str | Tokenizer) -> Tokenizer:
    """Return the tokenizer of this name, or the given one."""
    from withgrain.tokens import load_tokenizer

    return load_tokenizer(tokenizer) if isinstance(tokenizer, str) else tokenizer


def embed_of(embedder: str | Embedder, policy: Policy) -> Embed | None:
    """Return what embeds the sentences for a policy that cuts at topics; None for the others, which need none."""
    if not policy.topics:
        return None
    from withgrain.chunk import within_window
    from withgrain.embed import load_embedder

    found = load_embedder(embedder) if isinstance(embedder, str) else embedder
    return within_window(found) if found is not None else None
