"""Fast construction of the model's frozen data, as in `withgrain.parse.build`, which says how and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from withgrain.model import Boundary, Chunk, Facts, Part, SectionRef, Span

if TYPE_CHECKING:
    from withgrain.model.chunk import ChunkKind


class _ChunkTwin:
    __slots__ = tuple(sorted(Chunk.__slots__))


class _PathTwin:
    __slots__ = tuple(sorted(Part.__slots__))


_FACTS = tuple(Facts.__slots__)


class _FactsTwin:
    __slots__ = tuple(sorted(Facts.__slots__))


_new: Any = object.__new__


def make_chunk(  # noqa: PLR0913, PLR0917 - a chunk has that many fields, and names cost time
    identity: str,
    doc_id: str,
    ordinal: int,
    total: int,
    span: Span,
    body: str,
    title: str,
    heading_path: tuple[str, ...],
    sections: tuple[SectionRef, ...],
    parts: tuple[Part, ...],
    kind: ChunkKind,
    block_kinds: tuple[str, ...],
    facts: Facts,
    quality: int,
    tokens: int | None,
    pages: tuple[int, ...],
    page_starts: tuple[int, ...],
    lines: tuple[int, int] | None,
    clause: str | None,
    anchor: str | None,
    origin: str | None,
    parent_id: str | None,
    boundary: Boundary,
) -> Chunk:
    """Return the `Chunk` with these fields; its neighbours are set by `link`."""
    chunk: Any = _new(_ChunkTwin)
    chunk.id = identity
    chunk.doc_id = doc_id
    chunk.ordinal = ordinal
    chunk.total = total
    chunk.span = span
    chunk.body = body
    chunk.title = title
    chunk.heading_path = heading_path
    chunk.sections = sections
    chunk.parts = parts
    chunk.kind = kind
    chunk.block_kinds = block_kinds
    chunk.facts = facts
    chunk.quality = quality
    chunk.tokens = tokens
    chunk.pages = pages
    chunk.page_starts = page_starts
    chunk.lines = lines
    chunk.clause = clause
    chunk.anchor = anchor
    chunk.origin = origin
    chunk.parent_id = parent_id
    chunk.prev_id = chunk.next_id = None
    chunk.boundary = boundary
    return chunk  # type: ignore[no-any-return]


def link(chunks: list[Chunk]) -> tuple[Chunk, ...]:
    """Tell the chunks of a document, made by `make_chunk`, who their neighbours are."""
    before: Any = None
    for chunk in chunks:
        twin: Any = chunk
        if before is not None:
            before.next_id = twin.id
            twin.prev_id = before.id
            before.__class__ = Chunk
        before = twin
    if before is not None:
        before.__class__ = Chunk
    return tuple(chunks)


def within(own: Facts, markers: tuple[str, ...], domain: tuple[str, ...], inferred: tuple[str, ...]) -> Facts:
    """Return facts with the markers and the domain of a scope."""
    facts: Any = _new(_FactsTwin)
    for name in _FACTS:
        setattr(facts, name, getattr(own, name))
    facts.markers = markers
    facts.domain = domain
    facts.inferred_markers = inferred
    facts.__class__ = Facts
    return facts  # type: ignore[no-any-return]


def make_path_part(text: str) -> Part:
    """Return the part with title and heading path."""
    part: Any = _new(_PathTwin)
    part.role = "path"
    part.text = text
    part.span = None
    part.position = "before"
    part.__class__ = Part
    return part  # type: ignore[no-any-return]
