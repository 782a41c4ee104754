"""`get`: a chunk, section or document by its id, to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from withgrain.errors import UsageError
from withgrain.model import Chunk, ChunkRecord, Citation, DocumentRecord, Span
from withgrain.types import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What `Library.get` found: a chunk, a section or a whole document, with its citation.

    Attributes:
        id: As asked.
        kind: What the id names.
        text: What to read: a chunk's display text; the verbatim text of a section or document.
        span: Where it stands in the canonical text; None for a generated summary.
        chunks: The chunk, or the chunks of the section or document in order.
        citation: Where it stands.
        modified: Modification time of the document.
        stale: Why the stored version is older than the file; empty when current.
    """

    id: str
    kind: Literal["chunk", "section", "document"]
    text: str
    span: Span | None
    chunks: tuple[Chunk, ...]
    citation: Citation
    modified: str | None = None
    stale: str = ""


def get(snapshot: Snapshot, id: str) -> Content:
    """Return what has this id: a chunk, a document or a section.

    Raises:
        UsageError: Nothing has it.
    """
    found = snapshot.chunks(ids=[id])
    if found:
        return _made(snapshot, id, "chunk", found)
    document = snapshot.document(id)
    if document is not None:
        return _made(snapshot, id, "document", snapshot.chunks(doc_id=id), document)
    for known in snapshot.documents():
        inside = [c for c in snapshot.chunks(doc_id=known.id) if c.chunk.parent_id == id]
        if inside:
            return _made(snapshot, id, "section", inside)
    raise UsageError(f'Nothing in the collection has the id "{id}". Take an id from a search result.')


def _made(
    snapshot: Snapshot,
    id: str,
    kind: Literal["chunk", "section", "document"],
    records: Sequence[ChunkRecord],
    document: DocumentRecord | None = None,
) -> Content:
    document = document or snapshot.document(records[0].chunk.doc_id)
    if document is None:
        raise UsageError(f'The document of "{id}" is no longer in the collection. Search again.')
    chunks = tuple(r.chunk for r in records)
    spans = [c.span for c in chunks if c.span is not None]
    span = Span(start=min(s.start for s in spans), end=max(s.end for s in spans)) if spans else None
    if kind == "document":
        span = Span(start=0, end=len(document.text))
    text = chunks[0].display_text if kind == "chunk" else span.of(document.text) if span else ""
    return Content(
        id=id,
        kind=kind,
        text=text,
        span=span,
        chunks=chunks,
        citation=_citation(kind, records, document),
        modified=document.modified,
        stale=document.stale,
    )


def _citation(kind: str, records: Sequence[ChunkRecord], document: DocumentRecord) -> Citation:
    from withgrain.search.citation import cite_chunk, deep_link

    url = document.meta.get("url")
    url = url if isinstance(url, str) else None
    if kind == "document" or not records:
        return Citation(
            document=document.path, title=document.title, url=url, link=deep_link(document.path, None, None)
        )
    first = cite_chunk(records[0], {}, url=url)
    ends = [r.chunk.lines for r in records if r.chunk.lines is not None]
    if kind == "chunk" or first.lines is None or not ends:
        return first
    lines = (ends[0][0], max(last for _, last in ends))
    return replace(first, lines=lines, link=deep_link(document.path, lines, first.page))
