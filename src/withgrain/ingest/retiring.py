"""What becomes of ids that a sync ends: the id that took their place, so that old citations still lead somewhere. Pure.

A successor is looked for by words: the chunk of the new version that holds most of the old one's, one under the same
headings first. Rare words lead to the candidates, so that a long document costs its words and not its chunks squared.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from withgrain.model import ChunkRecord, DocumentRecord, RetiredReason, RetiredRecord, Span

#: So much of an old chunk's words must be in its successor, under the same headings and elsewhere.
SAME_HEADINGS_SHARE = 0.25
OTHER_HEADINGS_SHARE = 0.5

#: A text of fewer words ("See above.") that stands in another document as well has not moved there.
FEW_WORDS = 4

#: Words that more new chunks than this have lead to no candidate.
COMMON = 40

_WORD = re.compile(r"\w+")


def retire(
    old: DocumentRecord,
    old_chunks: Sequence[ChunkRecord],
    new: DocumentRecord | None,
    new_chunks: Sequence[ChunkRecord] = (),
    elsewhere: Mapping[str, ChunkRecord] | None = None,
) -> tuple[RetiredRecord, ...]:
    """Return a record for each id of a document's old version that its new one does not have.

    What stood beside an ended chunk already and has not changed did not take its place, however like it is.

    Args:
        old: The document as it was.
        old_chunks: Its chunks.
        new: The document that took its place: its new version, or another one with its text; None when it is gone.
        new_chunks: The chunks of that document.
        elsewhere: Chunks of other documents that arrived with it, by their bodies: sections may have moved there.
    """
    living, former = ({r.chunk.id for r in chunks} for chunks in (new_chunks, old_chunks))
    ended = [r for r in old_chunks if r.chunk.id not in living]
    bodies = {r.chunk.body for r in ended}
    arrived = [r for r in new_chunks if r.chunk.id not in former or r.chunk.body in bodies]
    successors = _by_place(old_chunks, new_chunks) if _same_text(old_chunks, new_chunks) else _by_words(ended, arrived)
    successors = {**successors, **_moved_away(ended, successors, elsewhere or {})}
    records = [_record(r, old, successors.get(r.chunk.id)) for r in ended]
    heirs = {**{r.chunk.id: r for r in new_chunks if r.chunk.id in former}, **successors}
    records += _sections(old, old_chunks, {r.chunk.parent_id for r in new_chunks}, heirs)
    if new is None or new.id != old.id:
        successor = new.id if new is not None else None
        reason: RetiredReason = "moved" if successor else "gone"
        records.append(
            RetiredRecord(id=old.id, doc_id=old.id, path=old.path, span=None, successor=successor, reason=reason)
        )
    return tuple(records)


def _record(record: ChunkRecord, old: DocumentRecord, successor: ChunkRecord | None) -> RetiredRecord:
    reason: RetiredReason = "gone"
    if successor is not None:
        reason = "moved" if successor.chunk.body == record.chunk.body else "changed"
    return RetiredRecord(
        id=record.chunk.id,
        doc_id=old.id,
        path=old.path,
        span=record.chunk.span,
        successor=successor.chunk.id if successor is not None else None,
        reason=reason,
    )


def _sections(
    old: DocumentRecord,
    old_chunks: Sequence[ChunkRecord],
    living: Set[str | None],
    heirs: Mapping[str, ChunkRecord],
) -> Iterator[RetiredRecord]:
    """Yield a record for each section that is no longer there: most of its chunks lead to the one in its place."""
    members: dict[str, list[ChunkRecord]] = defaultdict(list)
    for record in old_chunks:
        if record.chunk.parent_id is not None and record.chunk.parent_id not in living:
            members[record.chunk.parent_id].append(record)
    for section, records in members.items():
        found = [(r, heir) for r in records if (heir := heirs.get(r.chunk.id)) is not None]
        counts = Counter(heir.chunk.parent_id for _, heir in found if heir.chunk.parent_id is not None)
        successor = counts.most_common(1)[0][0] if counts else None
        same = len(found) == len(records) and all(r.chunk.body == heir.chunk.body for r, heir in found)
        spans = [r.chunk.span for r in records if r.chunk.span is not None]
        yield RetiredRecord(
            id=section,
            doc_id=old.id,
            path=old.path,
            span=Span(start=min(s.start for s in spans), end=max(s.end for s in spans)) if spans else None,
            successor=successor,
            reason="gone" if successor is None else "moved" if same else "changed",
        )


def _same_text(old: Sequence[ChunkRecord], new: Sequence[ChunkRecord]) -> bool:
    return len(old) == len(new) and all(a.chunk.body == b.chunk.body for a, b in zip(old, new, strict=True))


def _moved_away(
    ended: Sequence[ChunkRecord], successors: Mapping[str, ChunkRecord], elsewhere: Mapping[str, ChunkRecord]
) -> Mapping[str, ChunkRecord]:
    """Return what stands word for word in another document, and no longer in its own."""
    found = {}
    for record in ended:
        body, own = record.chunk.body, successors.get(record.chunk.id)
        if body in elsewhere and (own is None or own.chunk.body != body) and len(_words(body)) >= FEW_WORDS:
            found[record.chunk.id] = elsewhere[body]
    return found


def _by_place(old: Sequence[ChunkRecord], new: Sequence[ChunkRecord]) -> Mapping[str, ChunkRecord]:
    return {a.chunk.id: b for a, b in zip(old, new, strict=True)}


def _by_words(ended: Sequence[ChunkRecord], new: Sequence[ChunkRecord]) -> Mapping[str, ChunkRecord]:
    """Return the best successor of each ended chunk; none where nothing is like it."""
    if not ended or not new:
        return {}
    words = [_words(r.chunk.body) for r in new]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, some in enumerate(words):
        for word in some:
            holders[word].append(number)
    paths: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, record in enumerate(new):
        paths[record.chunk.heading_path].append(number)
    found: dict[str, ChunkRecord] = {}
    for record in ended:
        best = _best(record, new, words, holders, paths.get(record.chunk.heading_path, ()))
        if best is not None:
            found[record.chunk.id] = new[best]
    return found


def _best(
    record: ChunkRecord,
    new: Sequence[ChunkRecord],
    words: Sequence[frozenset[str]],
    holders: Mapping[str, Sequence[int]],
    siblings: Sequence[int],
) -> int | None:
    own = _words(record.chunk.body)
    votes = Counter(n for w in own for n in holders.get(w, ()) if len(holders[w]) <= COMMON)
    candidates = {number for number, _ in votes.most_common(8)} | {*siblings[:COMMON]}
    best: tuple[float, int] | None = None
    for number in candidates:
        same = new[number].chunk.heading_path == record.chunk.heading_path
        share = len(own & words[number]) / len(own) if own else float(same)
        if share >= (SAME_HEADINGS_SHARE if same else OTHER_HEADINGS_SHARE):
            best = max(best or (0.0, -1), (share + 0.25 * same, -number))
    return -best[1] if best is not None else None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
