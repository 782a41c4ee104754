"""Peers as policies: their pieces become chunks of the same model, and go through the same index and the same search.

A piece is found in the canonical text and becomes a chunk there. It gets the heading path that the peer gives; where
it gives none, that of the section it begins in, as the plain policies of withgrain get it. So what differs between the
rows of a table is where the text was cut, and nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from benchmarks.judge.placement import place
from benchmarks.judge.source import Source
from benchmarks.peers import Chunker
from withgrain.chunk import Chunked, classify
from withgrain.model import Audit, Chunk, Document, Part, Span, chunk_id, sections
from withgrain.signals import detect, quality


def _together(ranges: Sequence[tuple[int, int]], most: int) -> Span:
    """Return the range of at most so many characters that holds most of some ascending ranges.

    A piece that is no verbatim part of the source is found line by line, and a line may stand elsewhere as well.
    """
    best, held = Span(start=ranges[0][0], end=ranges[0][1]), 0
    for first, (start, end) in enumerate(ranges):
        inside = [(a, b) for a, b in ranges[first:] if b <= max(end, start + most)]
        total = sum(b - a for a, b in inside)
        if total > held:
            best, held = Span(start=start, end=inside[-1][1]), total
    return best


def chunked(document: Document, peer: Chunker, count: Callable[[str], int]) -> Chunked:
    """Return the pieces of a peer as chunks; what cannot be found in the text is left out."""
    suffix = ".md" if document.rendered else ""
    source = Source(path=document.source.path + suffix, data=document.text.encode(), text=document.text)
    parts = sections(document)
    starts = [s.span.start for s in parts]
    drafts = []
    for placed in place(document.text, peer.pieces(source)):
        if not placed.ranges:
            continue
        span = _together(placed.ranges, 2 * len(placed.piece.body))
        if not span.of(document.text).strip():
            continue
        index = max(0, bisect_right(starts, span.start) - 1)
        path = placed.piece.path or (parts[index].path if parts else ())
        drafts.append((span, path, placed.piece.path, index))
    seen: dict[tuple[tuple[str, ...], str], int] = {}
    chunks = []
    for ordinal, (span, path, own, index) in enumerate(drafts):
        body = span.of(document.text)
        nth = seen.get((path, body), 0)
        seen[path, body] = nth + 1
        facts = detect("\n".join((*path[-1:], body)))
        given = (Part(role="path", text=" > ".join(own)),) if own else ()
        tokens = count("\n".join((*(p.text for p in given), body)))
        chunks.append(
            Chunk(
                id=chunk_id(document.id, path, body, nth),
                doc_id=document.id,
                ordinal=ordinal,
                total=len(drafts),
                span=span,
                body=body,
                title=document.title,
                heading_path=path,
                parts=given,
                facts=facts,
                quality=quality(facts, tokens=tokens, kind="normal"),
                tokens=tokens,
                lines=document.lines(span),
                parent_id=parts[index].id if parts else None,
            )
        )
    doc_class = classify(document).doc_class
    audit = Audit(uri=document.source.uri, doc_class=doc_class, sections=(), dropped=(), words=0, words_lost=0)
    return Chunked(chunks=tuple(chunks), audit=audit, notices=(), doc_class=doc_class)
