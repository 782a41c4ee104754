"""What every backend checks before it writes: one meaning of "wrong" for all of them."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterable, Sequence

from withgrain.errors import ContractMismatch, SchemaTooNew, UsageError
from withgrain.model import SCHEMA_VERSION, Bundle, Change, Contract


def check_schema(schema: int, place: str) -> None:
    """Refuse tables of a newer schema.

    Raises:
        SchemaTooNew: Says both versions and what to do.
    """
    if schema > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"{place}: written with schema {schema}; this withgrain reads up to {SCHEMA_VERSION}. "
            "Upgrade: pip install --upgrade withgrain"
        )


def check_schema_to_write(contract: Contract, place: str) -> None:
    """Refuse to change tables of an older schema.

    Raises:
        ContractMismatch: Names the command that rebuilds them.
    """
    if contract.schema < SCHEMA_VERSION:
        raise ContractMismatch(
            f"{place}: written with schema {contract.schema}, which this withgrain reads and does not write. "
            "Rebuild it first: withgrain migrate."
        )


def check_contract(stored: Contract | None, wanted: Contract, place: str) -> None:
    """Refuse to write under another contract than the stored one.

    Raises:
        ContractMismatch: Lists each field that differs, with both values.
    """
    differences = stored.differences(wanted) if stored is not None else {}
    if differences:
        fields = "; ".join(f"{name}: stored {a!r}, now {b!r}" for name, (a, b) in differences.items())
        raise ContractMismatch(
            f"{place}: the collection was written under another contract ({fields}). Reading goes on working. "
            "To write, use the settings that it was written with, or rebuild it under the new ones: withgrain migrate."
        )


def check_change(change: Change, contract: Contract) -> None:
    """Refuse a change that would leave broken rows behind.

    Raises:
        UsageError: A document comes twice, or a chunk or leaf does not belong to its bundle, comes twice, or has a
            vector that the contract does not allow.
    """
    _unique("document", (b.document.id for b in change.upsert))
    _unique("chunk", (c.chunk.id for b in change.upsert for c in b.chunks))
    _unique("leaf", (leaf.id for b in change.upsert for leaf in b.leaves))
    for bundle in change.upsert:
        _check_bundle(bundle, contract.dims)


def _unique(what: str, ids: Iterable[str]) -> None:
    again = [i for i, n in Counter(ids).items() if n > 1]
    if again:
        raise UsageError(f"Change: {what} {again[0]} comes twice; ids are unique.")


def _check_bundle(bundle: Bundle, dims: int) -> None:
    document = bundle.document
    chunk_ids = {c.chunk.id for c in bundle.chunks}
    for record in bundle.chunks:
        if record.chunk.doc_id != document.id:
            raise UsageError(f"{document.uri}: chunk {record.chunk.id} belongs to another document.")
    for leaf in bundle.leaves:
        if leaf.chunk_id not in chunk_ids or leaf.doc_id != document.id:
            raise UsageError(f"{document.uri}: leaf {leaf.id} belongs to no chunk of this document.")
        if leaf.vector:  # without one, it is still to be made
            check_vector(leaf.vector, dims, f"{document.uri}: leaf {leaf.id}")


def check_vector(vector: Sequence[float], dims: int, what: str) -> None:
    """Refuse a vector of another length than ``dims``, or with values that are no finite numbers.

    Raises:
        UsageError: Says which vector.
    """
    if len(vector) != dims:
        raise UsageError(f"{what}: a vector of {len(vector)} numbers; the contract of the collection says {dims}.")
    if not math.isfinite(sum(vector)):  # any infinite or missing number makes the sum one
        raise UsageError(f"{what}: the vector holds values that are no finite numbers.")


def float32_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector as 32-bit floats, which is how collections keep it.

    Raises:
        UsageError: A number is too large for 32 bits.
    """
    try:
        return struct.pack(f"{len(vector)}f", *vector)
    except OverflowError as error:
        raise UsageError("A vector holds a number that is too large for 32 bits.") from error
