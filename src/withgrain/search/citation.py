"""Where a hit stands: everything a reader needs to find the place again, without a second look-up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from urllib.parse import quote

from withgrain.model import Chunk, ChunkRecord, Citation, DocumentRecord, SectionRef, Span
from withgrain.search.bm25 import count_terms
from withgrain.tokens.terms import terms
from withgrain.types import Snapshot

# "4.2 Retention", "B.1 Keys", "7. Term", "Section 12", "Article IV"; not "3 ways to fail" or "2024 in review".
_DOTTED = r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+(?![\w%])"
_NUMBERED_HEADING = re.compile(
    rf"(?:§\s*)?({_DOTTED}|(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,7}})(?=[.)](?:\s|$)))"
    r"|(?i:section|article|clause|schedule|appendix|annex|step)\s+((?:\d{1,3}|[A-Z]|[IVXLC]{1,7})(?:\.\d{1,3})*)\b"
)
_URL_KEYS = ("url", "canonical_url", "canonical", "permalink")
# What a path and a fragment may hold as it is: RFC 3986, pchar and "/".
_UNRESERVED = "/!$&'()*+,;=:@~"
_NUMBERED_TEXT = re.compile(rf"(?:§\s*)?({_DOTTED})(?=[.):]?\s)")


def cite_chunk(
    record: ChunkRecord,
    weights: Mapping[str, float],
    *,
    leaf: Span | None = None,
    url: str | None = None,
    several_roots: bool = False,
) -> Citation:
    """Return the citation of a chunk.

    Args:
        record: The chunk.
        weights: The terms of the question with their weight: they choose among several sections of one chunk.
        leaf: Where the best leaf stands: it chooses where the words do not.
        url: Address of the document, if it has one.
        several_roots: Whether the collection has several roots: then the citation names the document's.
    """
    chunk = record.chunk
    section = best_section(record, weights, leaf)
    path = section.path if section else chunk.heading_path
    lines = _section_lines(record, section) if section else chunk.lines
    pages = chunk.pages_at(section.span) if section else chunk.pages
    page = _best_page(record, section, pages, weights, leaf)
    anchor = section.anchor if section else chunk.anchor
    root = record.root if several_roots else ""
    return Citation(
        document=record.path,
        title=chunk.title,
        root=root,
        heading_path=path,
        clause=clause(path, chunk.body),
        lines=lines,
        page=page,
        anchor=anchor,
        origin=chunk.origin,
        url=url,
        link=deep_link(f"{root}/{record.path}" if root else record.path, lines, page, anchor),
        pages=page_range(pages),
    )


def cite_span(
    document: DocumentRecord,
    record: ChunkRecord | None,
    span: Span,
    *,
    last: Chunk | None = None,
    several_roots: bool = False,
) -> Citation:
    """Return the citation of any place in a document.

    Args:
        document: The document; without its text the lines are those of the chunk.
        record: The chunk in which the place begins, if there is one: it knows headings and page.
        span: The place.
        last: The chunk in which the place ends, where that is another one.
        several_roots: Whether the collection has several roots.
    """
    root = document.root if several_roots else ""
    chunk = record.chunk if record else None
    inner = next((s for s in chunk.sections if s.span.overlaps(span)), None) if chunk else None
    path = inner.path if inner else chunk.heading_path if chunk else ()
    lines = _lines(document, span) if document.text else chunk.lines if chunk else None
    pages = chunk.pages_at(span) if chunk else ()
    told = inner.page if inner and not (chunk and chunk.page_starts) else None
    page = told or next(iter(pages), None)
    anchor = inner.anchor if inner else chunk.anchor if chunk else None
    return Citation(
        document=document.path,
        title=document.title,
        root=root,
        heading_path=path,
        clause=clause(path, span.of(document.text)),
        lines=lines,
        page=page,
        anchor=anchor,
        origin=chunk.origin if chunk else None,
        url=url_of(document),
        link=deep_link(f"{root}/{document.path}" if root else document.path, lines, page, anchor),
        pages=page_range((*pages, *(last.pages_at(span) if last else ()))),
    )


def page_range(pages: Iterable[int]) -> tuple[int, int] | None:
    """Return the first and the last of some pages; None of none."""
    known = sorted(pages)
    return (known[0], known[-1]) if known else None


def _best_page(
    record: ChunkRecord,
    section: SectionRef | None,
    pages: tuple[int, ...],
    weights: Mapping[str, float],
    leaf: Span | None,
) -> int | None:
    """Return the page of a chunk, or of a section in it, that matched best; the first where it does not know them."""
    chunk = record.chunk
    if len(pages) < 2 or not chunk.page_starts or chunk.span is None:
        return (section.page if section else None) or next(iter(pages), None)
    own = section.span if section else chunk.span
    edges = [own.start, *(s for s in chunk.page_starts if own.start < s < own.end), own.end]
    parts = [((), Span(start=start, end=end)) for start, end in pairwise(edges)]
    return pages[_best(chunk, parts, weights, leaf)]


def url_of(document: DocumentRecord | None) -> str | None:
    """Return the address that the document's own metadata gives."""
    values = (document.meta.get(key) for key in _URL_KEYS) if document else ()
    return next((v for v in values if isinstance(v, str) and v.startswith(("http://", "https://"))), None)


def _lines(document: DocumentRecord, span: Span) -> tuple[int, int] | None:
    if document.rendered:
        return None
    first = document.text.count("\n", 0, span.start) + 1
    return first, first + document.text.count("\n", span.start, max(span.start, span.end - 1))


def best_section(record: ChunkRecord, weights: Mapping[str, float], leaf: Span | None) -> SectionRef | None:
    """Return the section that matched best; None when the chunk holds one section only.

    By the weight of the question's terms that its headings and text have, else by the best leaf, else the first.
    """
    chunk = record.chunk
    if not chunk.sections or chunk.span is None:
        return None
    return chunk.sections[_best(chunk, [(s.path, s.span) for s in chunk.sections], weights, leaf)]


def _best(
    chunk: Chunk, parts: Sequence[tuple[tuple[str, ...], Span]], weights: Mapping[str, float], leaf: Span | None
) -> int:
    """Return which part of a chunk, (headings, place), has most of the question's terms, else the best leaf."""
    best, best_key = 0, (0.0, False)
    for number, (path, span) in enumerate(parts):
        text = _slice(chunk.body, chunk.span or span, span)
        counts, _ = count_terms(" ".join(terms("\n".join((*path, text)))), weights)
        key = (round(sum(weights[t] for t in counts), 9), bool(leaf and span.overlaps(leaf)))
        if key > best_key:
            best, best_key = number, key
    return best


def _slice(body: str, chunk: Span, part: Span) -> str:
    return body[max(0, part.start - chunk.start) : max(0, part.end - chunk.start)]


def _section_lines(record: ChunkRecord, section: SectionRef) -> tuple[int, int] | None:
    """Return the source lines of a section inside the chunk: counted in the body from the chunk's first line."""
    chunk = record.chunk
    if chunk.lines is None or chunk.span is None:
        return chunk.lines
    start = max(0, section.span.start - chunk.span.start)
    text = _slice(chunk.body, chunk.span, section.span).rstrip()
    first = chunk.lines[0] + chunk.body.count("\n", 0, start)
    return first, first + text.count("\n")


def clause(path: tuple[str, ...], body: str) -> str | None:
    """Return the printed number of the innermost numbered heading, else of the clause that the body begins with."""
    for heading in reversed(path):
        found = _NUMBERED_HEADING.match(heading)
        if found:
            return found.group(1) or found.group(2)
    begins = _NUMBERED_TEXT.match(body.lstrip("#*_> \n"))
    return begins.group(1) if begins else None


def deep_link(path: str, lines: tuple[int, int] | None, page: int | None, anchor: str | None = None) -> str:
    """Return a link to the place: ``file.md#L12-L18``, ``page.html#anchor``, ``doc.pdf#page=4``, or the path alone."""
    place = quote(path, safe=_UNRESERVED)
    if lines:
        first, last = lines
        return f"{place}#L{first}" if first == last else f"{place}#L{first}-L{last}"
    if anchor:
        return f"{place}#{quote(anchor, safe=_UNRESERVED)}"
    return f"{place}#page={page}" if page else place


def several_roots(snapshot: Snapshot) -> bool:
    """Return whether equal paths could mean documents of different roots."""
    return len(snapshot.roots()) > 1
