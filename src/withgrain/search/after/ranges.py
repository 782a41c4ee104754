"""Ranges of a document that were widened: runs of chunks, joined where they meet, with the text that may be seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from withgrain.model import Chunk, Hit, Span
from withgrain.search.citation import deep_link, page_range


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A chunk that has a place in its document.

    Attributes:
        chunk: The chunk.
        span: Where it stands in the canonical text.
        source: Where it stands in the decoded source; None for rendered formats.
    """

    chunk: Chunk
    span: Span
    source: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A hit and the chunks that it shall show.

    Attributes:
        hit: The hit.
        pieces: Chunks of its document in order, its own among them, with no other chunk between.
    """

    hit: Hit
    pieces: Sequence[Piece]

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(start=self.pieces[0].span.start, end=self.pieces[-1].span.end)

    @property
    def wide(self) -> bool:
        """Whether it is more than the hit."""
        return len(self.pieces) > 1


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces as they stand in the document, each once."""
    return sorted({p.chunk.id: p for p in pieces}.values(), key=lambda p: p.span)


def readable(one: Range, text: str) -> Range:
    """Return as much of a range, around its hit, as can be shown: all of it where there is the document's text."""
    if text:
        return one
    pieces = one.pieces
    own = next(n for n, piece in enumerate(pieces) if piece.chunk.id == one.hit.chunk.id)
    first, last = own, own
    while first and _between(pieces[first - 1], pieces[first], text) is not None:
        first -= 1
    while last + 1 < len(pieces) and _between(pieces[last], pieces[last + 1], text) is not None:
        last += 1
    return replace(one, pieces=pieces[first : last + 1])


def joined(ranges: Sequence[Range], texts: Mapping[str, str]) -> list[Range]:
    """Return ranges of which no two overlap, nor touch where both are wide; each has the hit of the best in it.

    Args:
        ranges: Best first.
        texts: Of the documents of wide ranges, by id.
    """
    place = {one.hit.chunk.id: number for number, one in enumerate(ranges)}
    by_document: dict[str, list[Range]] = {}
    for one in ranges:
        by_document.setdefault(one.hit.chunk.doc_id, []).append(one)
    result: list[Range] = []
    for doc_id, together in by_document.items():
        kept: list[Range] = []
        for one in sorted(together, key=lambda r: (r.span.start, -r.span.end)):
            if kept and _meet(kept[-1], one, texts.get(doc_id, "")):
                best = min(kept[-1].hit, one.hit, key=lambda hit: place[hit.chunk.id])
                kept[-1] = Range(hit=best, pieces=in_order((*kept[-1].pieces, *one.pieces)))
            else:
                kept.append(one)
        result += kept
    return sorted(result, key=lambda one: place[one.hit.chunk.id])


def shown(one: Range, text: str) -> Hit:
    """Return the hit with all that its range has; ``text`` is the document's, empty where it may not be read."""
    if not one.wide:
        return one.hit
    hit, span, first, last = one.hit, one.span, one.pieces[0], one.pieces[-1]
    body = span.of(text) if text else _put_together(one.pieces)
    stem = [p.text for p in hit.chunk.parts if p.role == "stem" and first.chunk.id == hit.chunk.id]
    begins = first.chunk.lines
    lines = (begins[0], begins[0] + body.rstrip().count("\n")) if begins else None
    cited = hit.citation
    path = f"{cited.root}/{cited.document}" if cited.root else cited.document
    return replace(
        hit,
        text="\n".join((*_headings(first.chunk, hit.chunk), *stem, body)),
        body=body,
        span=span,
        source_span=Span(start=first.source.start, end=last.source.end) if first.source and last.source else None,
        lines=lines,
        citation=replace(
            cited,
            lines=lines,
            link=deep_link(path, lines, cited.page, cited.anchor),
            pages=page_range(page for piece in one.pieces for page in piece.chunk.pages),
        ),
    )


def _headings(first: Chunk, cited: Chunk) -> Sequence[str]:
    """Return a line with the headings that a range begins under, as far as they are not those of the cited chunk.

    A text begins below its heading, so that what was added in front would read as a part of the cited section.
    """
    own, other = (chunk.sections[0].path if chunk.sections else chunk.heading_path for chunk in (cited, first))
    same = next((n for n, pair in enumerate(zip(own, other, strict=False)) if pair[0] != pair[1]), len(own))
    return [" › ".join(other[same:])] if other[same:] else []


def _meet(one: Range, behind: Range, text: str) -> bool:
    """Return whether two ranges overlap, or, both wide, have no word between them."""
    if one.span.overlaps(behind.span):
        return True
    between = _between(one.pieces[-1], behind.pieces[0], text) if one.wide and behind.wide else None
    return between is not None and not between.strip()


def _between(one: Piece, behind: Piece, text: str) -> str | None:
    """Return what stands between two chunks; None where that cannot be told.

    Where a part of a document is hidden, its text cannot be read. But as many line breaks as characters are nothing
    but line breaks.
    """
    if text:
        return text[one.span.end : behind.span.start]
    gap = behind.span.start - one.span.end
    if not gap:
        return ""
    if one.chunk.next_id != behind.chunk.id or not one.chunk.lines or not behind.chunk.lines:
        return None
    breaks = behind.chunk.lines[0] - one.chunk.lines[0] - one.chunk.body.count("\n")
    return "\n" * gap if breaks == gap else None


def _put_together(pieces: Sequence[Piece]) -> str:
    gaps = (_between(one, behind, "") or "" for one, behind in pairwise(pieces))
    return pieces[0].chunk.body + "".join(gap + p.chunk.body for gap, p in zip(gaps, pieces[1:], strict=True))
