"""Records as JSON and back, exactly. Written out by hand: it is the inner loop of every commit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from typing import Any

from withgrain.model import Boundary, Chunk, ChunkRecord, DocumentRecord, Facts, Part, SectionRef, Span

_FACTS = tuple(f.name for f in fields(Facts))
_APART = ("text", "removed", "meta", "labels", "copies", "ruled")
_DOCUMENT = tuple(f.name for f in fields(DocumentRecord) if f.name not in _APART)
_TUPLES = ("labels", "copies", "ruled")
_BLANK = {f.name: None if f.default is MISSING else f.default for f in fields(DocumentRecord)}
_CHUNK = ("ordinal", "total", "title", "kind", "quality", "tokens", "parent_id", "prev_id", "next_id", "clause")
_RECORD = ("path", "root", "doc_class", "domain", "modified", "url", "ingestion_version")

_encode = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=str).encode
#: Documents that are decoded together.
_AT_ONCE = 25


def _pair(span: Span | None) -> list[int] | None:
    return None if span is None else [span.start, span.end]


def _span(pair: list[int] | None) -> Span | None:
    return None if pair is None else Span(start=pair[0], end=pair[1])


def chunk_json(record: ChunkRecord) -> str:
    """Return everything of a chunk's record except id, document, body and terms, which are columns."""
    chunk = record.chunk
    values: dict[str, Any] = {name: getattr(chunk, name) for name in _CHUNK}
    values["record"] = {name: getattr(record, name) for name in _RECORD}
    values["labels"] = record.labels
    values["source_span"] = _pair(record.source_span)
    values["span"] = _pair(chunk.span)
    values["heading_path"] = chunk.heading_path
    values["sections"] = [(s.path, _pair(s.span), s.page, s.anchor) for s in chunk.sections]
    values["parts"] = [(p.role, p.text, _pair(p.span), p.position) for p in chunk.parts]
    values["block_kinds"] = chunk.block_kinds
    values["facts"] = {name: found for name in _FACTS if (found := getattr(chunk.facts, name))}
    values["pages"] = chunk.pages
    if chunk.page_starts:
        values["page_starts"] = chunk.page_starts
    values["lines"] = chunk.lines
    values["place"] = (chunk.anchor, chunk.origin)
    values["boundary"] = (chunk.boundary.start, chunk.boundary.end, chunk.boundary.oversize)
    return _encode(values)


def chunk_from(detail: str, *, chunk_id: str, doc_id: str, body: str, terms: str) -> ChunkRecord:
    """Rebuild what `chunk_json` and the columns hold."""
    values = json.loads(detail)
    anchor, origin = values.get("place", (None, None))
    chunk = Chunk(
        id=chunk_id,
        doc_id=doc_id,
        body=body,
        span=_span(values["span"]),
        heading_path=tuple(values["heading_path"]),
        sections=tuple(_section(*s) for s in values["sections"]),
        parts=tuple(_part(*p) for p in values["parts"]),
        block_kinds=tuple(values["block_kinds"]),
        facts=Facts(**{name: tuple(found) for name, found in values["facts"].items()}),
        pages=tuple(values["pages"]),
        page_starts=tuple(values.get("page_starts", ())),
        lines=tuple(values["lines"]) if values["lines"] is not None else None,
        anchor=anchor,
        origin=origin,
        boundary=_boundary(*values["boundary"]),
        **{name: values.get(name) for name in _CHUNK},
    )
    return ChunkRecord(
        chunk=chunk,
        labels=tuple(values["labels"]),
        terms=terms,
        source_span=_span(values["source_span"]),
        **values["record"],
    )


def document_json(record: DocumentRecord) -> str:
    """Return everything of a document's record except text and removed characters, which are columns."""
    values: dict[str, Any] = {name: getattr(record, name) for name in _DOCUMENT}
    values["labels"] = record.labels
    values["copies"] = record.copies
    values["ruled"] = record.ruled
    values["meta"] = dict(record.meta)
    return _encode(values)


def document_from(detail: str, *, text: str = "", removed: tuple[int, ...] = ()) -> DocumentRecord:
    """Rebuild what `document_json` and the columns hold."""
    return _document(json.loads(detail) | {"text": text, "removed": removed})


def documents_from(details: Sequence[str]) -> Iterator[DocumentRecord]:
    """Rebuild what `document_json` holds of many documents, some at a time: half the time of one by one."""
    for start in range(0, len(details), _AT_ONCE):
        yield from map(_document, json.loads(f"[{','.join(details[start : start + _AT_ONCE])}]"))


def _document(values: dict[str, Any]) -> DocumentRecord:
    values = _BLANK | values  # with the very names of the class the call takes two thirds of the time
    for name in _TUPLES:
        values[name] = tuple(values[name])
    return DocumentRecord(**values)


def _section(path: list[str], span: list[int], page: int | None = None, anchor: str | None = None) -> SectionRef:
    return SectionRef(path=tuple(path), span=Span(start=span[0], end=span[1]), page=page, anchor=anchor)


def _part(role: Any, text: str, span: list[int] | None, position: Any) -> Part:
    return Part(role=role, text=text, span=_span(span), position=position)


def _boundary(start: str, end: str, oversize: str | None) -> Boundary:
    return Boundary(start=start, end=end, oversize=oversize)
