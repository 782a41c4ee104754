"""Lay pieces out as a text: documents by their best hit, pieces in document order, each path once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from withgrain.model import Citation, Hit, Span
from withgrain.search.citation import deep_link, page_range
from withgrain.search.packing.packed import PackedItem
from withgrain.search.packing.piece import Piece


def ordered(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces in the order of reading."""
    best: dict[str, int] = {}
    for piece in pieces:
        doc_id = piece.hit.chunk.doc_id
        best[doc_id] = min(best.get(doc_id, piece.hit.rank), piece.hit.rank)
    return sorted(
        pieces,
        key=lambda p: (best[p.hit.chunk.doc_id], p.span.start if p.span else -1, p.hit.rank),
    )


def render(pieces: Sequence[Piece]) -> str:
    """Return the text of the pieces."""
    return laid_out(pieces)[0]


def laid_out(pieces: Sequence[Piece]) -> tuple[str, tuple[PackedItem, ...]]:
    """Return the text, and the pieces in its order with their citation marks."""
    sections: list[str] = []
    items: list[PackedItem] = []
    for above, group in groupby(ordered(pieces), key=lambda p: path(p.hit.citation)):
        lines = [above]
        for piece in group:
            items.append(_item(piece, len(items) + 1))
            lines.append(f"{mark(len(items))}{_place(items[-1].citation)}\n{piece.text.strip()}")
        sections.append("\n".join(lines))
    return "\n\n".join(sections), tuple(items)


def naming(citations: Sequence[Citation]) -> str:
    """Return the line that names sections without a domain."""
    return f"Sections that state no domain, not shown: {'; '.join(map(str, citations))}."


def mark(number: int) -> str:
    """Return the citation mark of the piece of that number."""
    return f"[{number}]"


def path(citation: Citation) -> str:
    """Return the line above the pieces of one section."""
    document = f"{citation.root}/{citation.document}" if citation.root else citation.document
    return " › ".join((document, *citation.heading_path))


def place(piece: Piece) -> str:
    """Return the lines or the page of a piece, in brackets behind its mark."""
    return _place(_cited(piece))


def _place(citation: Citation) -> str:
    if citation.lines:
        first, last = citation.lines
        return f" (line {first})" if first == last else f" (lines {first}-{last})"
    return f" (page {citation.page})" if citation.page else ""


def _item(piece: Piece, mark: int) -> PackedItem:
    hit = piece.hit
    return PackedItem(
        mark=mark,
        rank=hit.rank,
        chunk_id=hit.chunk.id,
        doc_id=hit.chunk.doc_id,
        span=piece.span,
        text=piece.text,
        citation=_cited(piece),
        whole=piece.whole,
    )


def _cited(piece: Piece) -> Citation:
    return piece.hit.citation if piece.whole else _narrowed(piece.hit, piece.span)


def _narrowed(hit: Hit, span: Span | None) -> Citation:
    """Return the citation of a part: with the lines of the part, where the hit has lines."""
    citation = hit.citation
    if span is None or hit.span is None:
        return citation
    document = f"{citation.root}/{citation.document}" if citation.root else citation.document
    if hit.lines is None:
        known = hit.chunk.pages_at(span) if hit.chunk.page_starts and hit.span == hit.chunk.span else ()
        if not known:
            return citation
        link = deep_link(document, None, known[0], citation.anchor)
        return replace(citation, page=known[0], pages=page_range(known), link=link)
    first = hit.lines[0] + hit.body.count("\n", 0, span.start - hit.span.start)
    part = hit.body[span.start - hit.span.start : span.end - hit.span.start]
    lines = first, first + part.rstrip().count("\n")
    return replace(citation, lines=lines, link=deep_link(document, lines, citation.page))
