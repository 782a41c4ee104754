"""The JSON shapes of chunks, hits and contents. Keys may be added in later versions; none is renamed.

Spans are ``[start, end]`` in code points. docs/reference/json.md describes every key.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from withgrain.app import Content, Cut, Info
    from withgrain.model import Chunk, Citation, Document, Facts, Hit, Notice, Part, Results, Span

#: Version of the shapes of this module.
SCHEMA = 1

# Roles that a reader is not shown beside the body: the path is in the citation, the overlap in the chunk before.
_EMBEDDED_ONLY = frozenset({"path", "metadata", "overlap"})


def span(value: Span | None) -> list[int] | None:
    """Return ``[start, end]``."""
    return [value.start, value.end] if value is not None else None


def facts(value: Facts) -> dict[str, list[str]]:
    """Return the facts that were found; empty fields are left out."""
    found = {field.name: list(getattr(value, field.name)) for field in fields(value)}
    return {name: values for name, values in found.items() if values}


def notice(value: Notice) -> dict[str, Any]:
    """Return a warning."""
    return {"kind": value.kind, "message": value.message, "span": span(value.span)}


def _part(part: Part) -> dict[str, Any]:
    return {"role": part.role, "text": part.text, "span": span(part.span), "position": part.position}


def _beside(chunk: Chunk, position: str) -> str:
    shown = (p for p in chunk.parts if p.position == position and p.role not in _EMBEDDED_ONLY)
    return "\n".join(part.text for part in shown)


def chunk(value: Chunk) -> dict[str, Any]:
    """Return a chunk: body and place, what is shown and embedded beside it, facts and boundaries."""
    return {
        "id": value.id,
        "text": value.body,
        "context": _beside(value, "before"),
        "suffix": _beside(value, "after"),
        "embed_text": value.embed_text,
        "title": value.title,
        "heading_path": list(value.heading_path),
        "sections": [{"path": list(s.path), "span": span(s.span)} for s in value.sections],
        "start": value.span.start if value.span else None,
        "end": value.span.end if value.span else None,
        "lines": list(value.lines) if value.lines else None,
        "pages": list(value.pages),
        "clause": value.clause,
        "anchor": value.anchor,
        "origin": value.origin,
        "ordinal": value.ordinal,
        "total": value.total,
        "tokens": value.tokens,
        "kind": value.kind,
        "block_kinds": list(value.block_kinds),
        "facts": facts(value.facts),
        "quality": value.quality,
        "quality_reasons": [{"reason": r, "points": p} for r, p in _reasons(value)],
        "boundary": {
            "start": value.boundary.start,
            "end": value.boundary.end,
            "oversize": value.boundary.oversize,
        },
        "parts": [_part(part) for part in value.parts],
        "parent_id": value.parent_id,
        "prev_id": value.prev_id,
        "next_id": value.next_id,
    }


def _reasons(value: Chunk) -> tuple[tuple[str, int], ...]:
    from withgrain.signals import explain_quality

    return explain_quality(value.facts, tokens=value.tokens or 0, kind=value.kind) if value.tokens is not None else ()


def cut(uri: str, value: Cut) -> dict[str, Any]:
    """Return a document and its chunks: what ``chunk --json`` prints for one file."""
    document, chunked = value.document, value.chunked
    return {
        "schema": SCHEMA,
        "uri": uri,
        "title": document.title,
        "doc_class": chunked.doc_class,
        "class_reasons": list(chunked.class_reasons),
        "chunks": [chunk(c) for c in chunked.chunks],
        "canonical_text": document.text,
        "doc_metadata": metadata(document),
        "words_lost": chunked.audit.words_lost,
        "warnings": [notice(n) for n in (*document.notices, *chunked.notices)],
        "error": None,
    }


def failed(uri: str, kind: str, message: str) -> dict[str, Any]:
    """Return what ``chunk --json`` prints for a file that cannot be cut."""
    return {
        "schema": SCHEMA,
        "uri": uri,
        "chunks": [],
        "canonical_text": "",
        "doc_metadata": {},
        "warnings": [],
        "error": {"kind": kind, "message": message},
    }


def metadata(document: Document) -> dict[str, Any]:
    """Return the front matter of a document as JSON-able values (dates become text)."""
    return {str(key): _jsonable(value) for key, value in document.meta.items()}


def _jsonable(value: Any) -> Any:
    """Return plain JSON values; nesting is bounded by what the front-matter reader accepts."""
    if isinstance(value, dict):
        return {str(k): _jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(v) for v in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def record(uri: str, cut: Cut, value: Chunk, version: str) -> dict[str, Any]:
    """Return an upsert-ready ``{id, content, metadata}`` for another vector database."""
    from withgrain.ingest.records import url_of

    document = cut.document
    flat = {
        "document": uri,
        "doc_id": value.doc_id,
        "class": cut.chunked.doc_class,
        "ingestion_version": version,
        "title": value.title,
        "heading_path": list(value.heading_path),
        "start": value.span.start if value.span else None,
        "end": value.span.end if value.span else None,
        "lines": list(value.lines) if value.lines else None,
        "kind": value.kind,
        "tokens": value.tokens,
        "quality": value.quality,
        "ordinal": value.ordinal,
        "total": value.total,
        "pages": list(value.pages),
        "clause": value.clause,
        "anchor": value.anchor,
        "url": url_of(document) or None,
        "modified": document.source.modified,
        "parent_id": value.parent_id,
        "prev_id": value.prev_id,
        "next_id": value.next_id,
        "sha256": document.source.sha256,
    }
    return {"id": value.id, "content": value.embed_text, "metadata": flat | facts(value.facts)}


def citation(value: Citation) -> dict[str, Any]:
    """Return a citation, and as ``text`` the one line for a person."""
    return {
        "document": value.document,
        "root": value.root,
        "title": value.title,
        "heading_path": list(value.heading_path),
        "clause": value.clause,
        "lines": list(value.lines) if value.lines else None,
        "page": value.page,
        "pages": list(value.pages) if value.pages else None,
        "anchor": value.anchor,
        "url": value.url,
        "link": value.link,
        "text": str(value),
    }


def hit(value: Hit) -> dict[str, Any]:
    """Return one result."""
    cited = value.citation
    return {
        "rank": value.rank,
        "score": value.score,
        "chunk_id": value.chunk.id,
        "document": cited.document,
        "title": cited.title,
        "heading_path": list(cited.heading_path),
        "span": span(value.span),
        "source_span": span(value.source_span),
        "lines": list(cited.lines) if cited.lines else None,
        "page": cited.page,
        "text": value.text,
        "body": value.body,
        "citation": citation(cited),
        "channels": {name: {"rank": rank, "score": score} for name, (rank, score) in value.channels.items()},
        "matched": dict(value.matched),
        "kind": value.chunk.kind,
        "facts": facts(value.chunk.facts),
        "modified": value.modified,
        "stale": value.stale,
        "copies": list(value.copies),
        "same_document": value.same_document,
    }


def results(value: Results, *, trace: bool) -> dict[str, Any]:
    """Return a ranked answer; with ``trace`` what was understood and done."""
    shape = {
        "schema": SCHEMA,
        "query": value.query,
        "hits": [hit(h) for h in value.hits],
        "without_domain": [hit(h) for h in value.apart],
        "contract": value.contract,
    }
    return shape | ({"trace": _jsonable(dict(value.trace))} if trace else {})


def content(value: Content) -> dict[str, Any]:
    """Return what ``get`` found."""
    return {
        "schema": SCHEMA,
        "id": value.id,
        "kind": value.kind,
        "text": value.text,
        "span": span(value.span),
        "citation": citation(value.citation),
        "chunks": [chunk(c) for c in value.chunks],
        "modified": value.modified,
        "stale": value.stale,
        "previous": value.previous,
        "next": value.next,
        "section": value.section,
        "retired": value.retired,
    }


def info(value: Info) -> dict[str, Any]:
    """Return what a collection holds."""
    contract = value.contract
    return {
        "schema": SCHEMA,
        "path": str(value.path),
        "version": value.version,
        "documents": value.documents,
        "chunks": value.chunks,
        "leaves": value.leaves,
        "vectors": value.vectors,
        "stale": dict(value.stale),
        "contract": {f.name: getattr(contract, f.name) for f in fields(contract)} if contract else None,
        "withgrain": value.withgrain,
    }
