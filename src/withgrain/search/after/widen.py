"""Widen hits: an ordered list that was cut becomes whole, a hit gets its neighbours or its section.

A widened hit is one verbatim slice of the document, made of whole chunks. Hits that then overlap (or, both widened,
touch) become one, at the better rank. Neither a chunk of another domain than the filter asks for is taken in, nor what
is outside a scope; where a scope hides a part of a document, a hit grows only as far as chunks meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from withgrain.model import Chunk, ChunkRecord, Filter, Hit
from withgrain.search.after.ranges import Piece, Range, in_order, joined, readable, shown
from withgrain.search.after.settings import After
from withgrain.search.domain import domain_condition
from withgrain.store.matching import matches
from withgrain.types import Snapshot

#: So many of the first hits get their list whole; one found further down would take the room of those around it.
_WHOLE_LISTS = 5
#: Chunks that one list may join to each side: a list of hundreds of steps stays readable in pieces.
_MOST_PIECES = 8
#: A section is taken whole when its hits cover this share of it, and it is no longer than so many characters.
_MOSTLY = 0.5
_LONGEST_SECTION = 6000

_ORDERED = re.compile(r"(?m)^[ \t>]*(?:\d{1,9}|[A-Za-z])[.)][ \t]")

#: The pieces that each hit shall show, by its rank.
_Taken = dict[int, list[Piece]]


def widened(snapshot: Snapshot, hits: Sequence[Hit], after: After, where: Filter | None = None) -> list[Hit]:
    """Return the hits as wide as asked for, best first, ranks not yet renumbered.

    Args:
        snapshot: The state, as far as it may be seen.
        hits: Best first.
        after: What is asked for.
        where: The filter of the search; what it asks of the domain holds for all that is taken in.
    """
    reach = _Reach(snapshot, where)
    own = {h.rank: Piece(chunk=h.chunk, span=h.span, source=h.source_span) for h in hits if h.span is not None}
    taken = {rank: [piece] for rank, piece in own.items()}
    placed = [h for h in hits if h.rank in own]
    if after.lists:
        _take_lists(reach, [h for h in hits[:_WHOLE_LISTS] if h.rank in own and _is_piece(h.chunk)], taken)
    if after.expand == "section" or after.merge:
        _take_sections(reach, placed, taken, share=0.0 if after.expand == "section" else _MOSTLY)
    if after.expand == "neighbours":
        _take_neighbours(reach, placed, taken)
    wide = {h.chunk.doc_id for h in placed if len(taken[h.rank]) > 1}
    if not wide:
        return list(hits)
    texts = {i: document.text for i in sorted(wide) if (document := snapshot.document(i)) is not None}
    ranges = [Range(hit=h, pieces=in_order(taken[h.rank])) for h in placed]
    ranges = [readable(one, texts.get(one.hit.chunk.doc_id, "")) for one in ranges]
    found = {one.hit.rank: shown(one, texts.get(one.hit.chunk.doc_id, "")) for one in joined(ranges, texts)}
    return [found.get(h.rank, h) for h in hits if h.span is None or h.rank in found]


class _Reach:
    """Reads chunks that a hit may take in: they have a place, and are of a domain that the filter allows."""

    def __init__(self, snapshot: Snapshot, where: Filter | None) -> None:
        self._snapshot = snapshot
        self._domain = domain_condition(where)

    def chunks(self, ids: Sequence[str]) -> dict[str, Piece]:
        """Return those of some chunks that may be taken in, by id."""
        return {r.chunk.id: p for r in self._snapshot.chunks(ids=ids) if (p := self._piece(r)) is not None}

    def runs(self, section: str) -> Iterator[list[Piece]]:
        """Yield the chunks of a section and those between them, parted where one may not be taken in."""
        records = self._snapshot.sections(section)
        if any(one.chunk.next_id != behind.chunk.id for one, behind in pairwise(records)):
            first, last = records[0].chunk, records[-1].chunk
            everything = self._snapshot.chunks(doc_id=first.doc_id)
            records = [r for r in everything if first.ordinal <= r.chunk.ordinal <= last.ordinal]
        run: list[Piece] = []
        for record in records:
            piece = self._piece(record)
            if run and (piece is None or run[-1].chunk.next_id != piece.chunk.id):
                yield run
                run = []
            run += [piece] if piece is not None else []
        if run:
            yield run

    def _piece(self, record: ChunkRecord) -> Piece | None:
        if record.chunk.span is None or not matches(self._domain, {"domain": record.domain}):
            return None
        return Piece(chunk=record.chunk, span=record.chunk.span, source=record.source_span)


def _take_lists(reach: _Reach, hits: Sequence[Hit], taken: _Taken) -> None:
    """Give each hit, a piece of an ordered list, the whole list.

    All hits take a step in both directions at once, so that a round costs one reading however many hits there are.
    """
    edges = {(h.rank, back): h.chunk for h in hits for back in (True, False)}
    for _ in range(_MOST_PIECES):
        wanted = {key: beside for key, chunk in edges.items() if (beside := _next_piece(chunk, back=key[1]))}
        if not wanted:
            break
        pieces = reach.chunks(sorted(set(wanted.values())))
        reached = {key: pieces[i] for key, i in wanted.items() if i in pieces}
        reached = {key: piece for key, piece in reached.items() if piece.chunk.parent_id == edges[key].parent_id}
        for (rank, _), piece in reached.items():
            taken[rank].append(piece)
        edges = {key: piece.chunk for key, piece in reached.items()}


def _next_piece(chunk: Chunk, *, back: bool) -> str | None:
    """Return the id of the next piece of the list, where the cut between the two is between items."""
    cut = chunk.boundary.start if back else chunk.boundary.end
    return (chunk.prev_id if back else chunk.next_id) if cut == "item" else None


def _is_piece(chunk: Chunk) -> bool:
    cut = "item" in (chunk.boundary.start, chunk.boundary.end)
    return cut and bool(_ORDERED.search(chunk.body))


def _take_neighbours(reach: _Reach, hits: Sequence[Hit], taken: _Taken) -> None:
    beside = {h.rank: [i for i in (h.chunk.prev_id, h.chunk.next_id) if i] for h in hits}
    wanted = sorted({i for ids in beside.values() for i in ids})
    pieces = reach.chunks(wanted) if wanted else {}
    for rank, ids in beside.items():
        taken[rank] += [pieces[i] for i in ids if i in pieces]


def _take_sections(reach: _Reach, hits: Sequence[Hit], taken: _Taken, *, share: float) -> None:
    """Give each hit its section: with a ``share`` only where two or more cover that of it, and it is not too long."""
    by_section: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.chunk.parent_id:
            by_section.setdefault(hit.chunk.parent_id, []).append(hit)
    for section, members in by_section.items():
        if share and len(members) < 2:
            continue
        for run in reach.runs(section):
            ids = {piece.chunk.id for piece in run}
            inside = [h for h in members if h.chunk.id in ids]
            if not share or (len(inside) > 1 and _mostly(run, [p for h in inside for p in taken[h.rank]], share)):
                for hit in inside:
                    taken[hit.rank] += run


def _mostly(run: Sequence[Piece], pieces: Sequence[Piece], share: float) -> bool:
    """Return whether pieces cover a share of a run that is not too long."""
    length = run[-1].span.end - run[0].span.start
    return length <= _LONGEST_SECTION and sum(len(p.span) for p in in_order(pieces)) >= share * length
