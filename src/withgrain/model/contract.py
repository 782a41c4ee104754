"""The contract of a collection: what must be equal for two writers to mean the same thing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from withgrain.model.identity import sha256_hex

#: Version of the stored tables. A reader refuses a newer one; an older one is read or migrated.
SCHEMA_VERSION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Versions of everything that shapes what is stored. Every value is a short string that names one meaning.

    Attributes:
        schema: Version of the stored tables.
        parser: Version of the parsers.
        chunker: Version of the packer and renderer.
        policy: Name and fingerprint of the policy ("structure_aware@ab12…").
        tokenizer: Name and version.
        detectors: Version of the signal detectors and of the lexical terms.
        embedder: Id and revision ("minilm@8199be6f…"); "none" for a lexical collection.
        dims: Vector length; 0 without an embedder.
        normalised: Whether vectors have length 1.
    """

    schema: int = SCHEMA_VERSION
    parser: str
    chunker: str
    policy: str
    tokenizer: str
    detectors: str
    embedder: str
    dims: int
    normalised: bool

    @property
    def fingerprint(self) -> str:
        """16 hex digits over all fields."""
        return sha256_hex(self.to_json())[:16]

    @property
    def ingestion_version(self) -> str:
        """16 hex digits over what shapes chunks and their facts: parser, chunker, policy, tokenizer, detectors."""
        shaping = (self.parser, self.chunker, self.policy, self.tokenizer, self.detectors)
        return sha256_hex(json.dumps(shaping))[:16]

    def to_json(self) -> str:
        """Return the contract as one line of JSON, keys sorted."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Contract:
        """Read a contract; keys that a newer version added are ignored, so that its schema can be compared."""
        known = {k: v for k, v in json.loads(text).items() if k in cls.__dataclass_fields__}
        return cls(**known)

    def differences(self, other: Contract) -> dict[str, tuple[object, object]]:
        """Return the fields that differ, each with (mine, other's)."""
        mine, theirs = asdict(self), asdict(other)
        return {k: (v, theirs[k]) for k, v in mine.items() if v != theirs[k]}
