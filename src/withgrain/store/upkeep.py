"""What is done to a collection as a whole: go back to a kept state, rewrite it, forget documents."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import IntegrityError, Unavailable, UsageError
from withgrain.model import Bundle, Change, DocumentRecord, State
from withgrain.store import engine
from withgrain.store.checks import check_schema_to_write
from withgrain.store.failures import guarded
from withgrain.store.head import Head, forget_states, kept_heads, kept_versions, publish, read_head
from withgrain.store.lock import WriterLock

if TYPE_CHECKING:
    from withgrain.types import Snapshot

#: How long to wait for readers of states that are to go, in seconds.
PATIENCE = 10.0


def heads(path: Path) -> list[Head]:
    """Return the kept states, oldest first; those of the history alone when the head is damaged.

    Raises:
        SchemaTooNew: Written by a newer version.
        Unavailable: No permission to read.
    """
    try:
        newest = read_head(path)
    except IntegrityError:
        return kept_heads(path, None)
    return kept_heads(path, newest) if newest else []


def state_of(head: Head) -> State:
    """Return what a list of states tells of one."""
    return State(version=head.version, time=head.time, contract=head.contract.fingerprint, counts=head.totals())


def kept(path: Path, newest: Head, version: int) -> Head:
    """Return a kept state.

    Raises:
        UsageError: It is not kept; names those that are.
    """
    return _chosen(path, kept_heads(path, newest), version)


def _chosen(path: Path, known: Sequence[Head], version: int) -> Head:
    for head in known:
        if head.version == version:
            return head
    versions = ", ".join(str(h.version) for h in known) or "none"
    raise UsageError(f"{path}: there is no state {version}. Kept: {versions}.")


def restore(path: Path, version: int) -> State:
    """Make a kept state the newest again, as a new state of its own: nothing is lost, and nothing is copied.

    Raises:
        UsageError: It is not kept.
        CollectionLocked: Another live process writes.
        Unavailable: No permission, no space.
        IntegrityError: The tables of that state are not there.
    """
    if not path.is_dir():
        raise UsageError(f"{path}: there is no collection.")
    lock = WriterLock(path / "lock")
    try:
        known = heads(path)
        chosen = _chosen(path, known, version)
        engine.open_tables(path, chosen)
        number = max((*kept_versions(path), *(h.version for h in known))) + 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        head = replace(chosen, version=number, run=number, time=now)
        with guarded(path, "publishing the new state"):
            publish(path, head)
        return state_of(head)
    finally:
        lock.release()


def compact(path: Path, *, history: bool = True) -> None:
    """Rewrite the live rows and the indexes; without ``history`` the older states and their files go too.

    Raises:
        UsageError: Nothing was ever committed.
        CollectionLocked: Another live process writes.
        ContractMismatch: Written under an older schema.
        Unavailable: No space, or a reader holds a state that is to go.
    """
    from withgrain.store.writer import LanceWriter

    head = _head_to_write(path)
    with LanceWriter(path, head.contract) as writer:
        writer.compact()
        if not history:
            _drop_older(path)


def forget(path: Path, doc_ids: Sequence[str]) -> None:
    """Remove documents with everything that tells of them: rows, copies, retired ids, older states, files.

    It can be repeated: when a reader or a full disk was in the way, the documents are gone from the newest state at
    once, and from the disk with the next call. The error says so.

    Raises:
        UsageError: Nothing was ever committed.
        CollectionLocked: Another live process writes.
        ContractMismatch: Written under an older schema.
        Unavailable: No space, or a reader holds a state that is to go.
    """
    from withgrain.store.writer import LanceWriter

    head = _head_to_write(path)
    with LanceWriter(path, head.contract) as writer:
        names, change = _farewell(writer.snapshot(), doc_ids)
        writer.forget_retired(names)
        writer.commit(change)
        try:
            writer.compact()
            _drop_older(path)
        except Unavailable as error:
            raise Unavailable(
                f"{error} What was to be forgotten is gone from the newest state, but not from the disk: "
                "run the same command again."
            ) from error


def _head_to_write(path: Path) -> Head:
    head = read_head(path)
    if head is None:
        raise UsageError(f"{path}: there is no collection, or nothing was ever committed to it.")
    check_schema_to_write(head.contract, str(path))
    return head


def _farewell(snapshot: Snapshot, doc_ids: Sequence[str]) -> tuple[frozenset[str], Change]:
    """Return the ids of documents and of their chunks, and the change that removes them."""
    names = frozenset(doc_ids) | {c.chunk.id for i in doc_ids for c in snapshot.chunks(doc_id=i)}
    return names, Change(delete=tuple(doc_ids), upsert=_without_copies(snapshot, doc_ids))


def _without_copies(snapshot: Snapshot, doc_ids: Collection[str]) -> tuple[Bundle, ...]:
    """Return the documents that name a forgotten one as their copy, without that name."""
    documents = snapshot.documents()
    gone = {d.uri for d in documents if d.id in doc_ids}
    touched = [d for d in documents if d.id not in doc_ids and gone.intersection(d.copies)]
    return tuple(_bundle(snapshot, d, gone) for d in touched)


def _bundle(snapshot: Snapshot, short: DocumentRecord, gone: Collection[str]) -> Bundle:
    document = snapshot.document(short.id)
    chunks = tuple(snapshot.chunks(doc_id=short.id))
    leaves = tuple(snapshot.leaves([c.chunk.id for c in chunks]))
    assert document is not None
    left = tuple(uri for uri in document.copies if uri not in gone)
    return Bundle(document=replace(document, copies=left), chunks=chunks, leaves=leaves)


def _drop_older(path: Path) -> None:
    """Give up every state but the newest, and wait for the readers of their files.

    Raises:
        Unavailable: A reader stays.
    """
    newest = read_head(path)
    assert newest is not None
    forget_states(path, lambda version: version != newest.version)
    limit = time.monotonic() + PATIENCE
    while left := engine.remove_unused(path, newest):
        if time.monotonic() > limit:
            raise Unavailable(
                f"{path}: another process reads an older state ({', '.join(left)}), so its files are still there. "
                "End that process and run the same command again."
            )
        time.sleep(0.05)
