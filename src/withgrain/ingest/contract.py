"""What this run writes under: versions of everything that shapes the stored rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from withgrain.errors import ContractMismatch
from withgrain.model import Contract
from withgrain.types import Embedder, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Policy


def make_contract(policy: Policy, tokenizer: Tokenizer, embedder: Embedder | None) -> Contract:
    """Return the contract of these settings and of the installed versions."""
    from withgrain.chunk import CHUNKER_VERSION
    from withgrain.parse import PARSER_VERSION
    from withgrain.signals import DETECTORS_VERSION
    from withgrain.tokens.terms import TERMS_VERSION

    return Contract(
        parser=PARSER_VERSION,
        chunker=CHUNKER_VERSION,
        policy=f"{policy.name}@{policy.fingerprint}",
        tokenizer=f"{tokenizer.name}@{tokenizer.version}",
        detectors=f"{DETECTORS_VERSION}+{TERMS_VERSION}",
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
    raise ContractMismatch(
        f"The collection was written under another contract ({fields}). It can still be read. To write, use the "
        "settings it was written with, or ingest into a new collection (-c DIR)."
    )
