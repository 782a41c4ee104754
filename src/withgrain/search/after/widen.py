"""Widen hits: an ordered list that was cut becomes whole, a hit gets its neighbours or its section.

A widened hit is one verbatim slice of the document. Hits that then overlap (or, both widened, touch) become one, at
the better rank.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from withgrain.model import Chunk, DocumentRecord, Hit, Span
from withgrain.search.after.settings import After
from withgrain.search.citation import deep_link
from withgrain.types import Snapshot

#: So many of the first hits get their list whole; one found further down would take the room of those around it.
_WHOLE_LISTS = 5
#: Chunks that one list may join to each side: a list of hundreds of steps stays readable in pieces.
_MOST_PIECES = 8
#: A section is taken whole when its hits cover this share of it, and it is no longer than so many characters.
_MOSTLY = 0.5
_LONGEST_SECTION = 6000

_ORDERED = re.compile(r"(?m)^[ \t>]*(?:\d{1,9}|[A-Za-z])[.)][ \t]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wide:
    """A hit and the range that it shall have."""

    hit: Hit
    span: Span


def widened(snapshot: Snapshot, hits: Sequence[Hit], after: After) -> list[Hit]:
    """Return the hits as wide as asked for, best first, ranks not yet renumbered."""
    spans = {hit.rank: hit.span for hit in hits if hit.span is not None}
    if after.lists:
        spans |= _whole_lists(snapshot, hits)
    if after.expand == "neighbours":
        spans |= _with_neighbours(snapshot, hits, spans)
    elif after.expand == "section":
        spans |= _sections(snapshot, hits, spans, share=0.0)
    elif after.merge:
        spans |= _sections(snapshot, hits, spans, share=_MOSTLY)
    changed = {h.rank for h in hits if h.span is not None and spans[h.rank] != h.span}
    if not changed:
        return list(hits)
    documents = {h.chunk.doc_id: snapshot.document(h.chunk.doc_id) for h in hits if h.rank in changed}
    wide = [_Wide(hit=h, span=spans[h.rank] if h.rank in changed else h.span) for h in hits if h.span is not None]
    joined = {w.hit.rank: w for w in _joined(wide, documents)}
    kept = [h for h in hits if h.span is None or h.rank in joined]
    return [_as_hit(joined[h.rank], documents.get(h.chunk.doc_id)) if h.rank in joined else h for h in kept]


def _joined(wide: Sequence[_Wide], documents: Mapping[str, DocumentRecord | None]) -> list[_Wide]:
    """Return the ranges without those that a better hit's range has; what touches a widened one joins it."""
    result: list[_Wide] = []
    for one in wide:
        document = documents.get(one.hit.chunk.doc_id)
        place = next((n for n, other in enumerate(result) if _touch(one, other, document)), None)
        if place is None:
            result.append(one)
        else:
            best = result[place]
            start, end = min(best.span.start, one.span.start), max(best.span.end, one.span.end)
            result[place] = _Wide(hit=best.hit, span=Span(start=start, end=end))
    return result


def _touch(one: _Wide, other: _Wide, document: DocumentRecord | None) -> bool:
    """Return whether two ranges of a document overlap, or, both widened, have no word between them."""
    if one.hit.chunk.doc_id != other.hit.chunk.doc_id or document is None:
        return False
    first, second = sorted((one.span, other.span))
    if first.overlaps(second):
        return True
    both = one.span != one.hit.span and other.span != other.hit.span
    return both and not document.text[first.end : second.start].strip()


def _as_hit(wide: _Wide, document: DocumentRecord | None) -> Hit:
    hit, span = wide.hit, wide.span
    if hit.span is None or span == hit.span or document is None or not document.text:
        return hit
    body = span.of(document.text)
    stem = [p.text for p in hit.chunk.parts if p.role == "stem" and span.start >= hit.span.start]
    lines = None
    if not document.rendered:
        first = document.text.count("\n", 0, span.start) + 1
        lines = first, first + body.rstrip().count("\n")
    cited = hit.citation
    path = f"{cited.root}/{cited.document}" if cited.root else cited.document
    link = deep_link(path, lines, cited.page, cited.anchor)
    source = hit.source_span
    return replace(
        hit,
        text="\n".join((*stem, body)),
        body=body,
        span=span,
        source_span=_source(document, span) if source is not None else None,
        lines=lines,
        citation=replace(cited, lines=lines, link=link),
    )


def _source(document: DocumentRecord, span: Span) -> Span:
    """Return the range in code points of the decoded source; as `Document.to_source`."""
    before = sum(1 for offset in document.removed if offset <= span.start)
    inside = sum(1 for offset in document.removed if offset <= max(span.start, span.end - 1))
    return Span(start=span.start + before, end=span.end + inside)


def _whole_lists(snapshot: Snapshot, hits: Sequence[Hit]) -> dict[int, Span]:
    """Return the range of the whole ordered list for each of the first hits that is a piece of one.

    All hits take a step in both directions at once, so that a round costs one reading however many hits there are.
    """
    found = {h.rank: h.span for h in hits[:_WHOLE_LISTS] if h.span is not None and _is_piece(h.chunk)}
    edges = {(h.rank, back): h.chunk for h in hits if h.rank in found for back in (True, False)}
    for _ in range(_MOST_PIECES):
        wanted = {key: beside for key, chunk in edges.items() if (beside := _next_piece(chunk, back=key[1]))}
        if not wanted:
            break
        records = {r.chunk.id: r.chunk for r in snapshot.chunks(ids=sorted(set(wanted.values())))}
        reached = {key: records[i] for key, i in wanted.items() if i in records}
        edges = {key: chunk for key, chunk in reached.items() if chunk.parent_id == edges[key].parent_id}
        for (rank, _), chunk in edges.items():
            if chunk.span is not None:
                own = found[rank]
                found[rank] = Span(start=min(own.start, chunk.span.start), end=max(own.end, chunk.span.end))
    return found


def _next_piece(chunk: Chunk, *, back: bool) -> str | None:
    """Return the id of the next piece of the list, where the cut between the two is between items."""
    cut = chunk.boundary.start if back else chunk.boundary.end
    return (chunk.prev_id if back else chunk.next_id) if cut == "item" else None


def _is_piece(chunk: Chunk) -> bool:
    cut = "item" in (chunk.boundary.start, chunk.boundary.end)
    return cut and bool(_ORDERED.search(chunk.body))


def _with_neighbours(snapshot: Snapshot, hits: Sequence[Hit], spans: Mapping[int, Span]) -> dict[int, Span]:
    wanted = {i for h in hits for i in (h.chunk.prev_id, h.chunk.next_id) if i}
    beside = {r.chunk.id: r.chunk.span for r in snapshot.chunks(ids=sorted(wanted))} if wanted else {}
    found: dict[int, Span] = {}
    for hit in hits:
        if hit.rank in spans:
            around = [s for i in (hit.chunk.prev_id, hit.chunk.next_id) if i and (s := beside.get(i)) is not None]
            around.append(spans[hit.rank])
            found[hit.rank] = Span(start=min(s.start for s in around), end=max(s.end for s in around))
    return found


def _sections(snapshot: Snapshot, hits: Sequence[Hit], spans: Mapping[int, Span], *, share: float) -> dict[int, Span]:
    """Return the range of the section for each hit whose section is covered to more than ``share`` by hits."""
    found: dict[int, Span] = {}
    by_section: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.chunk.parent_id and hit.rank in spans:
            by_section.setdefault(hit.chunk.parent_id, []).append(hit)
    for section, members in by_section.items():
        if share and len(members) < 2:
            continue
        pieces = [r.chunk.span for r in snapshot.sections(section) if r.chunk.span is not None]
        if not pieces:
            continue
        whole = Span(start=min(s.start for s in pieces), end=max(s.end for s in pieces))
        covered = sum(len(spans[h.rank]) for h in members)
        if share and (covered < share * len(whole) or len(whole) > _LONGEST_SECTION):
            continue
        for hit in members:
            span = spans[hit.rank]
            found[hit.rank] = Span(start=min(whole.start, span.start), end=max(whole.end, span.end))
    return found
