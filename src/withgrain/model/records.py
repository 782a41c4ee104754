"""What a collection stores: rows that `ingest` makes, a `Store` keeps and `search` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from withgrain.model.chunk import Chunk
from withgrain.model.span import Span

#: Why an id is no longer there: its text stands elsewhere, it was edited, or it was removed.
RetiredReason = Literal["moved", "changed", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """One document.

    Attributes:
        id: `document_id(uri)`.
        root: Name of the ingested root.
        uri: Root and relative path.
        path: Relative path.
        title: Title.
        sha256: Of the bytes.
        modified: ISO 8601 UTC, or None.
        media_type: For example ``text/markdown``.
        doc_class: Class that chose the budgets.
        domain: Domain, or empty.
        labels: ``key=value`` labels that a scope can ask for.
        contract: Fingerprint of the contract that wrote it.
        stale: Why the stored version is older than the file (a failed parse …); empty when it is current.
        chunks: Number of chunks.
        words_lost: From the audit.
        text: The canonical text.
        removed: `Document.removed`: what maps canonical offsets back to the source.
        rendered: `Document.rendered`: the text was made by the parser and has no offsets into the source.
        meta: Front matter.
        copies: Uris of documents with the same bytes, which are not stored a second time.
        language: ISO 639-1 code whose word forms its terms fold; empty when it is not known.
        ruled: What rules about its path or front matter decided of ``class`` and ``domain``: without the rule it has to
            be cut again.
    """

    id: str
    root: str
    uri: str
    path: str
    title: str
    sha256: str
    modified: str | None
    media_type: str
    doc_class: str
    domain: str = ""
    labels: tuple[str, ...] = ()
    contract: str = ""
    stale: str = ""
    chunks: int = 0
    words_lost: int = 0
    text: str = ""
    removed: tuple[int, ...] = ()
    rendered: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    copies: tuple[str, ...] = ()
    language: str = ""
    ruled: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What readers may call it: its path and uri, and those of its copies."""
        paths = (uri.removeprefix(f"{self.root}/") for uri in self.copies)
        return tuple(dict.fromkeys((self.path, self.uri, *paths, *self.copies)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord:
    """One chunk with what search needs beside it.

    Attributes:
        chunk: The chunk.
        path: Relative path of the document.
        root: Name of the ingested root.
        doc_class: Class of the document.
        domain: Domain of chunk or document, or empty.
        labels: Labels of the document.
        modified: Of the document.
        terms: Lexical terms of title, path, context and body, in order, separated by one space: what the text index
            holds (`withgrain.tokens.terms`).
        source_span: The body in code points of the decoded source; None for rendered formats.
        url: Address that the document says it has; empty for none.
        ingestion_version: `Contract.ingestion_version` of what made it.
    """

    chunk: Chunk
    path: str
    root: str
    doc_class: str
    domain: str = ""
    labels: tuple[str, ...] = ()
    modified: str | None = None
    terms: str = ""
    source_span: Span | None = None
    url: str = ""
    ingestion_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafRecord:
    """One vector.

    Attributes:
        id: `leaf_id`.
        chunk_id: The chunk that it is a leaf of.
        doc_id: The document of that chunk.
        span: Where it stands in the document's text; None in a generated summary.
        vector: ``dims`` floats, of unit length when the contract says so; empty while it is still to be made.
        tokens: Tokens of its text: its weight in the vector of its document. 0 where nobody counted (then it weighs 1).
        token_codes: Its token vectors in the embedder's short form (`Embedded`); empty where there are none.
    """

    id: str
    chunk_id: str
    doc_id: str
    span: Span | None
    vector: tuple[float, ...]
    tokens: int = 0
    token_codes: bytes = b""


class Embedded(NamedTuple):
    """What an embedder makes of a text.

    Attributes:
        vector: ``dims`` floats.
        token_codes: A vector for each of its tokens, in a short form that the embedder alone reads; empty where it
            makes none.
    """

    vector: tuple[float, ...]
    token_codes: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetiredRecord:
    """An id of a chunk, section or document that is no longer there, and what came in its place.

    Attributes:
        id: The old id.
        doc_id: The document that it belonged to.
        path: Where that document was, relative to its root.
        span: Where the text stood in that document, as it was then; None where it had no place.
        successor: The id to ask for now; None when there is none.
        reason: ``moved`` (the same text elsewhere), ``changed`` (edited in its place), ``gone`` (removed).
    """

    id: str
    doc_id: str
    path: str
    span: Span | None
    successor: str | None
    reason: RetiredReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What ranking needs of a chunk, without its texts.

    Attributes:
        chunk_id: The chunk.
        doc_id: Its document.
        title: Title of the document.
        heading_path: `Chunk.heading_path`.
        kind: `Chunk.kind`.
        quality: 0-100.
        ordinal: 0-based position among the document's chunks.
        total: Number of chunks of the document.
        parent_id: Id of the section that it belongs to.
        identifiers: `Facts.identifiers`.
        length: Number of its lexical terms.
        counts: How often it has each of the asked terms; terms that it does not have are left out.
    """

    chunk_id: str
    doc_id: str
    title: str
    heading_path: tuple[str, ...]
    kind: str
    quality: int
    ordinal: int
    total: int
    parent_id: str | None
    identifiers: tuple[str, ...]
    length: int
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A whole document as it is committed: its record, its chunks and its vectors, together or not at all."""

    document: DocumentRecord
    chunks: tuple[ChunkRecord, ...]
    leaves: tuple[LeafRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One atomic step of a collection: readers see all of it or nothing.

    Attributes:
        upsert: Documents to add, or to replace whole.
        delete: Ids of documents to remove with their chunks and leaves.
        retire: Ids that end with this step. A later record of the same id replaces the earlier one; an id that is
            (again) among the documents, sections and chunks of ``upsert`` is not retired.
    """

    upsert: tuple[Bundle, ...] = ()
    delete: tuple[str, ...] = ()
    retire: tuple[RetiredRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """What a commit wrote: version of the new state, and rows written and removed per table."""

    version: int
    chunks_written: int = 0
    chunks_removed: int = 0
    leaves_written: int = 0
    leaves_removed: int = 0
    documents_written: int = 0
    documents_removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One kept state of a collection: the last one of a run that wrote to it.

    Attributes:
        version: Number of the state.
        time: When it was committed, ISO 8601 UTC.
        contract: Fingerprint of the contract that it was written under.
        counts: Number of ``documents``, ``chunks``, ``leaves`` …
    """

    version: int
    time: str
    contract: str
    counts: Mapping[str, int]
