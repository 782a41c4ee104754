"""Small collections for the tests of search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from withgrain.model import (
    Boundary,
    Bundle,
    Change,
    Chunk,
    ChunkRecord,
    Contract,
    DocumentRecord,
    Embedded,
    LeafRecord,
    SectionRef,
    Span,
    chunk_id,
    document_id,
    leaf_id,
)
from withgrain.signals import detect
from withgrain.store import memory_store
from withgrain.tokens.terms import terms
from withgrain.types import Embedder, Snapshot, TokenEmbedder


@dataclass(frozen=True, kw_only=True)
class Text:
    """A chunk of a test document."""

    body: str
    path: tuple[str, ...] = ()
    quality: int = 50
    kind: str = "normal"
    sections: tuple[SectionRef, ...] = ()
    start: str = "block"
    end: str = "block"
    section: str = ""
    domain: str = ""  # that of the document when empty
    ahead: str = ""  # what stands above it and is in no chunk: a heading


@dataclass(frozen=True, kw_only=True)
class Doc:
    """A test document: its chunks stand one below the other."""

    path: str
    chunks: tuple[Text, ...]
    title: str = ""
    doc_class: str = "concept"
    domain: str = ""
    labels: tuple[str, ...] = ()
    root: str = "kb"
    meta: Mapping[str, object] = field(default_factory=dict)
    stale: str = ""
    language: str = ""


def contract(embedder: Embedder | None) -> Contract:
    """Return a contract for tests."""
    return Contract(
        parser="p1",
        chunker="c1",
        policy="test@1",
        tokenizer="words@1",
        detectors="d1",
        embedder=f"{embedder.id}@{embedder.revision}" if embedder else "none",
        dims=embedder.dims if embedder else 0,
        normalised=True,
    )


def collection(docs: Sequence[Doc], embedder: Embedder | None = None) -> Snapshot:
    """Return a collection in memory that holds the documents."""
    store = memory_store()
    with store.writer(contract(embedder)) as writer:
        writer.commit(Change(upsert=bundles(docs, embedder)))
        return writer.snapshot()


def bundles(docs: Sequence[Doc], embedder: Embedder | None = None) -> tuple[Bundle, ...]:
    """Return the documents as they are committed."""
    return tuple(_bundle(doc, embedder) for doc in docs)


def _id(doc_id: str, doc: Doc, ordinal: int) -> str | None:
    if not 0 <= ordinal < len(doc.chunks):
        return None
    part = doc.chunks[ordinal]
    return chunk_id(doc_id, part.path, part.body, ordinal)


def _bundle(doc: Doc, embedder: Embedder | None) -> Bundle:
    uri = f"{doc.root}/{doc.path}"
    doc_id = document_id(uri)
    records: list[ChunkRecord] = []
    leaves: list[LeafRecord] = []
    text = ""
    for ordinal, part in enumerate(doc.chunks):
        text += part.ahead
        start = len(text)
        text += part.body + "\n"
        span = Span(start=start, end=start + len(part.body))
        line = text.count("\n", 0, start) + 1
        chunk = Chunk(
            id=chunk_id(doc_id, part.path, part.body, ordinal),
            doc_id=doc_id,
            ordinal=ordinal,
            total=len(doc.chunks),
            span=span,
            body=part.body,
            title=doc.title or doc.path,
            heading_path=part.path,
            sections=part.sections,
            kind=part.kind,  # type: ignore[arg-type]
            facts=detect("\n".join((*part.path, part.body))),
            quality=part.quality,
            lines=(line, line + part.body.count("\n")),
            boundary=Boundary(start=part.start, end=part.end),
            parent_id=part.section or None,
            prev_id=_id(doc_id, doc, ordinal - 1),
            next_id=_id(doc_id, doc, ordinal + 1),
        )
        said = "\n".join((chunk.title, *part.path, part.body))
        records.append(
            ChunkRecord(
                chunk=chunk,
                path=doc.path,
                root=doc.root,
                doc_class=doc.doc_class,
                domain=part.domain or doc.domain,
                labels=doc.labels,
                terms=" ".join(terms(said)),
                source_span=span,
            )
        )
        if embedder:
            tokens = isinstance(embedder, TokenEmbedder)
            made = embedder.embed_with_tokens([said]) if tokens else map(Embedded, embedder.embed_documents([said]))
            leaf = leaf_id(chunk.id, said, 0)
            leaves += [
                LeafRecord(id=leaf, chunk_id=chunk.id, doc_id=doc_id, span=span, vector=v, token_codes=codes)
                for v, codes in made
            ]
    record = DocumentRecord(
        id=doc_id,
        root=doc.root,
        uri=uri,
        path=doc.path,
        title=doc.title or doc.path,
        sha256="0" * 64,
        modified=None,
        media_type="text/markdown",
        doc_class=doc.doc_class,
        domain=doc.domain,
        labels=doc.labels,
        contract=contract(embedder).fingerprint,
        stale=doc.stale,
        language=doc.language,
        chunks=len(records),
        text=text,
        meta=dict(doc.meta),
    )
    return Bundle(document=record, chunks=tuple(records), leaves=tuple(leaves))
