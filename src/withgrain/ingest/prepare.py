"""One document from bytes to rows: the part of an ingest that needs neither files nor store.

Pure, so that worker processes can do it: what goes in and comes out are plain values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from withgrain.errors import DocumentError
from withgrain.ingest.guarding import guarded
from withgrain.ingest.records import Placement, make_records
from withgrain.ingest.report import DocumentSummary
from withgrain.model import ChunkRecord, Document, DocumentRecord, Leaf, Notice
from withgrain.types import Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Embed, Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """What is known about bytes beside themselves."""

    root: str
    uri: str
    modified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to cut, the same for every document of a run.

    Attributes:
        policy: How to cut.
        tokenizer: Whose tokens the budgets count.
        placement: Labels, domains and contract.
        leaf_tokenizer: The embedder's; None makes no leaves.
        window: Tokens that the embedder reads.
        embed: Embeds sentences, for policies that cut at topics.
    """

    policy: Policy
    tokenizer: Tokenizer
    placement: Placement
    leaf_tokenizer: Tokenizer | None = None
    window: int = 0
    embed: Embed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A document that is ready to be embedded and committed."""

    document: DocumentRecord
    chunks: tuple[ChunkRecord, ...]
    leaves: tuple[Leaf, ...]
    notices: tuple[Notice, ...]
    summary: DocumentSummary


class WordsLost(DocumentError):
    """Words of a document would be in no chunk, heading path or named drop: a fault of withgrain, never accepted."""

    kind = "words_lost"

    def __init__(self, words: int, places: Iterable[str] = (), *, message: str = "") -> None:
        where = ", ".join(places)
        super().__init__(
            message
            or f"{words} words would be lost{f' (at {where})' if where else ''}; this is a fault in withgrain, please "
            "report it"
        )
        self.words = words


def prepare(data: bytes, source: SourceFacts, recipe: Recipe) -> Prepared:
    """Parse, cut and describe one document.

    Raises:
        DocumentError: It cannot be parsed.
        WordsLost: The audit does not account for every word.
    """
    from withgrain.parse import parse

    return prepare_document(parse(data, uri=source.uri, root=source.root, modified=source.modified), recipe)


def prepare_document(document: Document, recipe: Recipe) -> Prepared:
    """Cut and describe a parsed document; by policy without what looks like a secret.

    Raises:
        DocumentError: It holds what looks like a secret, and the policy refuses that.
        WordsLost: The audit does not account for every word.
    """
    from withgrain.chunk import chunk_document, leaves

    document = guarded(document, recipe.policy.secrets)
    context = recipe.placement.context(document.source.path, recipe.embed)
    chunked = chunk_document(document, recipe.policy, recipe.tokenizer, context=context)
    audit = chunked.audit
    lost = audit.words_lost - len(document.unread)  # what a parser did not read is reported; what we lose is refused
    if lost:
        raise WordsLost(lost, (f"{s.start}-{s.end}" for s in audit.lost))
    record, chunks = make_records(document, chunked, recipe.placement)
    units: tuple[Leaf, ...] = ()
    if recipe.leaf_tokenizer is not None:
        found = (leaves(document, c, recipe.leaf_tokenizer, recipe.window) for c in chunked.chunks)
        units = tuple(leaf for some in found for leaf in some)
    return Prepared(
        document=record,
        chunks=chunks,
        leaves=units,
        notices=tuple(dict.fromkeys((*document.notices, *chunked.notices))),
        summary=DocumentSummary(
            uri=document.source.uri,
            doc_class=chunked.doc_class,
            chunks=len(chunks),
            sections=len(audit.sections),
            rescued=audit.rescued,
            words_lost=audit.words_lost,
        ),
    )
