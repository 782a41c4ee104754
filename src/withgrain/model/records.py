"""What a collection stores: rows that `ingest` makes, a `Store` keeps and `search` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from withgrain.model.chunk import Chunk
from withgrain.model.span import Span


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
        meta: Front matter.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafRecord:
    """One vector: unit length when the contract says so, as a tuple of ``dims`` floats."""

    id: str
    chunk_id: str
    doc_id: str
    span: Span | None
    vector: tuple[float, ...]


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
    """

    upsert: tuple[Bundle, ...] = ()
    delete: tuple[str, ...] = ()


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
