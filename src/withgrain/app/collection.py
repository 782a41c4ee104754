"""The care of a collection: look at it, check it, go back, tidy, take out, forget. A few lines each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.app.asof import state_of
from withgrain.app.defaults import CACHE_FILE
from withgrain.errors import IntegrityError, UsageError

if TYPE_CHECKING:
    from withgrain.model import DocumentRecord, State, Verification
    from withgrain.store.lance import LanceStore
    from withgrain.types import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What `forget` did, and how it is known.

    Attributes:
        documents: Uris of the documents that were removed.
        copies: Uris of files with the same bytes, which shared the record and are forgotten with it.
        chunks: Number of their chunks.
        vectors: Vectors that were removed from the cache.
        files: Number of files that were searched afterwards.
        found: Files in which a trace was found: none, or the call fails.
    """

    documents: tuple[str, ...]
    copies: tuple[str, ...]
    chunks: int
    vectors: int
    files: int
    found: tuple[str, ...] = ()


def opened(path: str | Path) -> LanceStore:
    """Return the store at ``path``.

    Raises:
        UsageError: ``path`` is a file, or there is nothing.
    """
    from withgrain.store.lance import LanceStore

    place = Path(path)
    store = LanceStore(place)
    if not place.is_dir():
        raise UsageError(f'There is no collection "{path}". Make one: withgrain ingest PATH -c {path}')
    return store


def history(path: str | Path) -> list[State]:
    """Return the kept states, oldest first: the last one of each of the last runs that wrote."""
    return opened(path).history()


def restore(path: str | Path, asked: str | int) -> State:
    """Make a kept state (a version, or a time) the newest again, as a new state.

    Raises:
        UsageError: It is not kept.
        CollectionLocked: Another process writes.
    """
    store = opened(path)
    return store.restore(state_of(store.history(), asked).version)


def compact(path: str | Path, *, history: bool = True) -> tuple[int, int]:
    """Rewrite the live rows and the indexes; return the bytes on the disk before and after.

    Args:
        path: The collection.
        history: Keep the older states; without it they go, and their space is free.

    Raises:
        CollectionLocked: Another process writes.
        Unavailable: No space, or another process reads a state that is to go.
    """
    before = bytes_of(path)
    opened(path).compact(history=history)
    return before, bytes_of(path)


def verify(path: str | Path, *, lazy: bool | None = False) -> Verification:
    """Check everything that is stored; see `withgrain.store.verify`.

    Args:
        path: The collection.
        lazy: Vectors are made when a question needs them: one that is not there yet is no problem. None: so it is in
            a collection that is large for its embedder.
    """
    from withgrain.store.row_checks import PENDING
    from withgrain.store.verify import verify as check

    opened(path)
    found = check(Path(path))
    real = tuple(p for p in found.problems if p.what != PENDING)
    waiting = len(found.problems) - len(real)
    if not waiting or not (_is_lazy(Path(path)) if lazy is None else lazy):
        return found
    return replace(found, problems=real, notes=(*found.notes, f"{waiting:,} vectors are made when they are needed."))


def _is_lazy(path: Path) -> bool:
    from withgrain.embed import spec_of
    from withgrain.embed.when import EAGER_CHUNKS, SLOW

    snapshot = opened(path).snapshot()
    slow = snapshot is not None and spec_of(snapshot.contract.embedder) in SLOW
    return snapshot is not None and slow and snapshot.count()["chunks"] > EAGER_CHUNKS


def bytes_of(path: str | Path) -> int:
    """Return the bytes of all files of a collection."""
    found = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
    return sum(file.stat().st_size for file in found if file.is_file())


def forget(path: str | Path, asked: Sequence[str]) -> Forgotten:
    """Remove documents from tables, cache, older states and retired ids, then look whether a trace is left.

    Args:
        path: The collection.
        asked: Ids, uris or paths of documents. One that only an older state has is removed from there.

    Raises:
        UsageError: No kept state has such a document.
        CollectionLocked: Another process writes.
        Unavailable: Another process reads an older state.
        IntegrityError: A trace is left.
    """
    store = opened(path)
    documents, chunks = _known(store, asked)  # nothing is held that would keep the older states there
    ids = [d.id for d in documents]
    store.forget(ids)
    newest = store.snapshot()
    vectors = _clean_cache(Path(path), newest) if newest else 0
    files, found = _traces(Path(path), [*ids, *chunks])
    if found:
        raise IntegrityError(f"{path}: the document is still in {', '.join(found)}. Run the same command again.")
    return Forgotten(
        documents=tuple(d.uri for d in documents),
        copies=tuple(uri for d in documents for uri in d.copies),
        chunks=len(chunks),
        vectors=vectors,
        files=files,
    )


def _known(store: LanceStore, asked: Sequence[str]) -> tuple[list[DocumentRecord], set[str]]:
    """Return the documents, and the ids of the chunks that they have or had."""
    kept = (store.snapshot(state.version) for state in store.history()[::-1])
    snapshots = [snapshot for snapshot in kept if snapshot is not None]
    documents = [_document(snapshots, one) for one in dict.fromkeys(asked)]
    return documents, {c.chunk.id for s in snapshots for d in documents for c in s.chunks(doc_id=d.id)}


def _document(snapshots: Sequence[Snapshot], asked: str) -> DocumentRecord:
    from withgrain.model import stored_path

    path = stored_path(asked)
    for snapshot in snapshots:
        documents = snapshot.documents()
        found = [d for d in documents if asked == d.id or path in (d.uri, d.path)]
        exact = [d for d in found if asked == d.id or path == d.uri] or found
        if len(exact) > 1:
            raise UsageError(f'"{asked}" is in several roots: {", ".join(d.uri for d in exact)}. Name one of them.')
        if exact:
            return exact[0]
        listed = next((d for d in documents if path in d.names), None)
        if listed is not None:
            raise UsageError(
                f'"{asked}" has the same bytes as "{listed.uri}", and one text is stored for both. '
                f'Forget that: withgrain forget "{listed.uri}"'
            )
    raise UsageError(f'No kept state of the collection has a document "{asked}".')


def _clean_cache(path: Path, newest: Snapshot) -> int:
    """Keep the cached vectors of what is still there; return how many went."""
    from withgrain.embed import EmbeddingCache

    file = path / CACHE_FILE
    if not file.is_file():
        return 0
    ids = [c.chunk.id for d in newest.documents() for c in newest.chunks(doc_id=d.id)]
    cache = EmbeddingCache(file)
    try:
        return cache.keep_only(leaf.vector for n in range(0, len(ids), 500) for leaf in newest.leaves(ids[n : n + 500]))
    finally:
        cache.close()


def _traces(path: Path, needles: Sequence[str]) -> tuple[int, list[str]]:
    """Search every file of the collection for ids; return how many files, and those that have one."""
    wanted = [needle.encode() for needle in needles]
    count, found = 0, []
    for folder, _, names in os.walk(path):
        for name in names:
            file = Path(folder) / name
            data = file.read_bytes()
            count += 1
            if any(needle in data for needle in wanted):
                found.append(file.relative_to(path).as_posix())
    return count, found
