"""What became of ids that are no longer there: one step of a chain a record, followed to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from withgrain.model import Change, RetiredRecord

#: Reads the records of some ids.
Read = Callable[[Sequence[str]], Iterable[RetiredRecord]]


def followed(ids: Sequence[str], read: Read) -> list[RetiredRecord]:
    """Return the record of each id with the newest successor of its chain; ids that have no record are left out.

    A chain that ends in a removed text has no successor, and its reason is ``gone``; one on which the text changed is
    ``changed``, however it moved before and afterwards. One that comes back to itself
    (never written, but perhaps read from a damaged collection) ends where it does.
    """
    known: dict[str, RetiredRecord] = {}
    waiting = list(dict.fromkeys(ids))
    while waiting:
        found = {record.id: record for record in read(waiting)}
        known |= found
        nexts = (r.successor for r in found.values() if r.successor is not None)
        waiting = [i for i in dict.fromkeys(nexts) if i not in known]
    return [_end(known[i], known) for i in ids if i in known]


def _end(record: RetiredRecord, known: Mapping[str, RetiredRecord]) -> RetiredRecord:
    last, seen, reason = record, {record.id}, record.reason
    while last.successor is not None and last.successor in known and last.successor not in seen:
        last = known[last.successor]
        seen.add(last.id)
        reason = "changed" if last.reason == "changed" else reason
    return replace(record, successor=last.successor, reason=reason if last.successor is not None else "gone")


def retiring(change: Change) -> dict[str, RetiredRecord]:
    """Return the records that a change adds: the last one of each id, and none of an id that it brings (back)."""
    living = alive(change)
    return {record.id: record for record in change.retire if record.id not in living}


def alive(change: Change) -> set[str]:
    """Return the ids of documents, sections and chunks that a change brings."""
    chunks = [r.chunk for bundle in change.upsert for r in bundle.chunks]
    sections = {c.parent_id for c in chunks if c.parent_id is not None}
    return {b.document.id for b in change.upsert} | sections | {c.id for c in chunks}
