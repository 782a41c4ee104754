"""What this run writes under: versions of everything that shapes the stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from withgrain.errors import ConfigError, ContractMismatch
from withgrain.model import Contract
from withgrain.types import Embedder, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Policy


def make_contract(policy: Policy, tokenizer: Tokenizer, embedder: Embedder | None) -> Contract:
    """Return the contract of these settings and of the installed versions.

    Raises:
        ConfigError: The tokenizer is a function without a name: nobody could tell whether another one is the same.
    """
    from withgrain.chunk import CHUNKER_VERSION, CLASSIFIER_VERSION
    from withgrain.parse import PARSER_VERSION
    from withgrain.signals import DETECTORS_VERSION, QUALITY_VERSION
    from withgrain.tokens.callables import UNNAMED
    from withgrain.tokens.terms import TERMS_VERSION

    if tokenizer.name in ("", UNNAMED):
        raise ConfigError(
            "A collection needs a tokenizer with a name and a version. Give both to from_callable(…), or name the "
            "function as module:function."
        )
    versions = (DETECTORS_VERSION, QUALITY_VERSION, TERMS_VERSION, policy.signals.fingerprint)
    return Contract(
        parser=PARSER_VERSION,
        chunker=f"{CHUNKER_VERSION}+{CLASSIFIER_VERSION}",
        policy=f"{policy.name}@{policy.fingerprint}",
        tokenizer=f"{tokenizer.name}@{tokenizer.version}",
        detectors="+".join(filter(None, versions)),
        embedder=embedder_name(embedder),
        dims=embedder.dims if embedder else 0,
        normalised=embedder.normalised if embedder else False,
    )


def embedder_name(embedder: Embedder | None) -> str:
    """Return how a contract names an embedder: id and revision, or ``none``."""
    from withgrain.embed import fingerprint

    return fingerprint(embedder) if embedder else "none"


def check_contract(stored: Contract | None, wanted: Contract) -> None:
    """Refuse to write under another contract than the stored one, before any work is done.

    Raises:
        ContractMismatch: Lists the fields that differ and what to do.
    """
    differences = stored.differences(wanted) if stored is not None else {}
    if not differences:
        return
    fields = "; ".join(f"{name}: {have} in the collection, {want} now" for name, (have, want) in differences.items())
    flags = _flags({name: str(have) for name, (have, _) in differences.items()})
    raise ContractMismatch(
        f"The collection was written under another contract ({fields}). It can still be read. To write, use the "
        f"settings it was written with{f' ({flags})' if flags else ''}, or rebuild it under the new ones: "
        "withgrain migrate."
    )


def _flags(stored: Mapping[str, str]) -> str:
    """Return the flags that give what a collection was written with, as far as names alone give it."""
    from withgrain.chunk import POLICIES
    from withgrain.embed import spec_of

    name, _, fingerprint = stored.get("policy", "").partition("@")
    known = name in POLICIES and POLICIES[name].fingerprint == fingerprint
    return " ".join(
        [
            *([f"--policy {name}"] if known else []),
            *([f"--embedder {spec_of(stored['embedder'])}"] if "embedder" in stored else []),
        ]
    )
