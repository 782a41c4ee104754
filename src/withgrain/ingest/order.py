"""What a worker process is told: values that can be written down. The objects are made from them on the other side."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from withgrain.errors import ConfigError
from withgrain.ingest.limits import Limits
from withgrain.types import Tokenizer

#: How a worker ends after a document that it had no memory for; the parent starts another one.
OUT_OF_MEMORY = 71

#: A worker that has grown beyond this ends after its document, so that the next one finds an empty process.
GROWN = 384 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerName:
    """A tokenizer that another process can load.

    Attributes:
        spec: For `load_tokenizer`.
        name: What it must be called.
        version: Its version must be.
    """

    spec: str
    name: str
    version: str

    def load(self) -> Tokenizer | None:
        """Return the tokenizer; None when this process finds another one under that name, or none."""
        from withgrain.tokens import load_tokenizer

        with suppress(ConfigError):
            found = load_tokenizer(self.spec)
            if (found.name, found.version) == (self.name, self.version):
                return found
        return None


def name_of(tokenizer: Tokenizer, spec: str = "") -> TokenizerName:
    """Return how another process may find a tokenizer; whether it really does is its own to check.

    Args:
        tokenizer: The object.
        spec: What it was loaded from, where that is known.
    """
    built_in = {"words": "words", "minilm-wordpiece": "wordpiece"}
    found = spec or built_in.get(tokenizer.name, tokenizer.name.removeprefix("bpe:"))
    return TokenizerName(spec=found, name=tokenizer.name, version=tokenizer.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a worker cuts: a `Recipe` as plain values.

    Attributes:
        tokenizer: Whose tokens the budgets count.
        leaf_tokenizer: The embedder's; None makes no leaves.
        window: Tokens that the embedder reads.
        labels: Labels of every document.
        label_rules: (pattern, label).
        domains: (pattern, domain).
        classes: (pattern, class).
        contract: Fingerprint of the contract that writes.
        version: Its `ingestion_version`.
        front_matter_labels: Whether front matter gives labels.
    """

    tokenizer: TokenizerName
    leaf_tokenizer: TokenizerName | None = None
    window: int = 0
    labels: tuple[str, ...] = ()
    label_rules: tuple[tuple[str, str], ...] = ()
    domains: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    contract: str = ""
    version: str = ""
    front_matter_labels: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One document to read.

    Attributes:
        uri: Root and path.
        root: Name of the root.
        file: Path of the file; None when its bytes follow.
        inside: Where in the file the document is, when that is an archive.
        lists: Whether to list the archive instead.
        media_type: What it is, when the name does not say it.
        modified: When the bytes were written, if they follow.
        size: Bytes, as far as is known: what the limits depend on.
        max_bytes: Larger files are refused.
        limits: What it may cost.
        cut: Whether to cut it by the order; else the document itself is asked for.
    """

    uri: str
    root: str = ""
    file: str | None = None
    inside: tuple[str, ...] = ()
    lists: bool = False
    media_type: str | None = None
    modified: str | None = None
    size: int = 0
    max_bytes: int = 64 * 1024 * 1024
    limits: Limits = field(default_factory=Limits)
    cut: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a worker has no result for a document: what is needed to raise the error on the other side."""

    message: str
    kind: str
    words: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The first message to a worker: whether an order and a policy follow."""

    orders: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The first message of a worker: whether it can cut; a tokenizer may exist in the parent only."""

    cuts: bool
