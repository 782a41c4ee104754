"""Carry out a plan: cut, embed and commit, group by group; one bad document never stops the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import DocumentError, Unavailable, UsageError
from withgrain.ingest.explaining import explain, is_fatal
from withgrain.ingest.plan import Action, Plan
from withgrain.ingest.prepare import Prepared, Recipe, WordsLost
from withgrain.ingest.preparing import prepare_all
from withgrain.ingest.settings import IngestSettings
from withgrain.ingest.tally import Tally
from withgrain.model import Bundle, Change, LeafRecord
from withgrain.types import Snapshot, Writer

if TYPE_CHECKING:
    from withgrain.embed import EmbeddingCache

Vector = tuple[float, ...]


def run(plan: Plan, writer: Writer, recipe: Recipe, settings: IngestSettings, tally: Tally) -> None:
    """Carry out the actions of a plan that write.

    Documents are committed in groups, each group one atomic step. A document that fails keeps its stored version,
    which is marked stale with the reason. An interruption loses the group that is not committed yet, nothing else.

    Raises:
        Unavailable: The collection cannot be written (no space …); the groups before stay committed.
    """
    work = plan.of("add", "update", "rename")
    with opened_cache(settings.cache if settings.embedder else None) as cache:
        state = _Run(writer=writer, recipe=recipe, settings=settings, tally=tally, cache=cache, total=len(work))
        _carry_out(plan, work, state)


def _carry_out(plan: Plan, work: Sequence[Action], state: _Run) -> None:
    for number, (action, outcome) in enumerate(prepare_all(work, state.recipe, state.settings)):
        state.report("chunk", number, len(work), action.uri)
        state.take(action, outcome)
        state.flush_when_full()
    state.report("chunk", len(work), len(work))
    for action in plan.of("fail", "skip"):
        state.leave(action)
        state.flush_when_full()
    state.flush()
    state.delete(plan.of("delete"))


@contextmanager
def opened_cache(place: Path | None) -> Iterator[EmbeddingCache | None]:
    """Open the cache of vectors, and close it in any case; None where there is no place for it."""
    if place is None:
        yield None
        return
    from withgrain.embed import EmbeddingCache

    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f'"{place.parent}" cannot be made: {error.strerror or error}.') from error
    cache = EmbeddingCache(place)
    try:
        yield cache
    finally:
        cache.close()


@dataclass(slots=True, kw_only=True)
class _Run:
    writer: Writer
    recipe: Recipe
    settings: IngestSettings
    tally: Tally
    cache: EmbeddingCache | None
    total: int
    waiting: list[tuple[Action, Prepared]] = field(default_factory=list)
    stale: list[Bundle] = field(default_factory=list)
    leaves: int = 0
    leaves_done: int = 0
    committed: int = 0

    def report(self, stage: str, done: int, total: int, detail: str = "") -> None:
        if self.settings.progress is not None:
            self.settings.progress.update(stage, done, total, detail)

    def take(self, action: Action, outcome: Prepared | DocumentError) -> None:
        """Let a prepared document wait until its group is full."""
        if isinstance(outcome, DocumentError):
            self.fail(action, outcome)
            return
        self.waiting.append((action, outcome))
        self.leaves += len(outcome.leaves)

    def flush_when_full(self) -> None:
        """Commit the group when it has enough documents or leaves."""
        documents = len(self.waiting) + len(self.stale)
        if documents >= self.settings.group_documents or self.leaves >= self.settings.group_leaves:
            self.flush()

    def fail(self, action: Action, error: Exception) -> None:
        if isinstance(error, WordsLost):
            self.tally.words_lost += error.words
        self.leave(replace(action, name="fail", reason=explain(error, action.uri)))

    def leave(self, action: Action) -> None:
        """Record a failed or skipped file; mark its stored version stale unless it is marked so already."""
        self.tally.left(action)
        if action.known is not None and action.known.stale != action.reason:
            bundle = stored_bundle(self.writer.snapshot(), action.known.id, stale=action.reason)
            if bundle is not None:
                self.stale.append(bundle)

    def flush(self) -> None:
        """Embed and commit what is waiting."""
        group = list(self._embedded())
        self.waiting, self.leaves = [], 0
        stale, self.stale = self.stale, []
        if not group and not stale:
            return
        try:
            self._commit(Change(upsert=(*(b for _, b, _ in group), *stale), delete=_moved(group)))
        except UsageError:
            self._commit_one_by_one(group, stale)
            return
        for action, _, prepared in group:
            self.tally.done(action, prepared)

    def delete(self, actions: Sequence[Action]) -> None:
        """Remove the documents that vanished."""
        ids = tuple(action.known.id for action in actions if action.known is not None)
        if ids:
            self._commit(Change(delete=ids))
        for action in actions:
            self.tally.done(action)

    def _commit_one_by_one(self, group: list[tuple[Action, Bundle, Prepared]], stale: Sequence[Bundle]) -> None:
        """Find the document whose rows the store refuses; the others are committed."""
        for action, bundle, prepared in group:
            try:
                self._commit(Change(upsert=(bundle,), delete=_moved([(action, bundle, prepared)])))
            except UsageError as error:
                self.fail(action, error)
            else:
                self.tally.done(action, prepared)
        stale, self.stale = [*stale, *self.stale], []
        if stale:
            self._commit(Change(upsert=tuple(stale)))

    def _commit(self, change: Change) -> None:
        try:
            result = self.writer.commit(change)
        except OSError as error:
            raise Unavailable(
                f"The collection cannot be written: {error.strerror or error}. What was committed before is intact; "
                "run the same command again when the cause is gone."
            ) from error
        self.tally.committed(result)
        self.committed += len(change.upsert)
        self.report("commit", min(self.committed, self.total), self.total)

    def _embedded(self) -> Iterator[tuple[Action, Bundle, Prepared]]:
        """Give the leaves of the group their vectors; a document whose leaves cannot be embedded fails alone."""
        try:
            vectors = self._vectors([leaf.text for _, p in self.waiting for leaf in p.leaves])
        except Exception as error:
            if is_fatal(error):
                raise
            yield from self._embedded_one_by_one()
            return
        at = 0
        for action, prepared in self.waiting:
            count = len(prepared.leaves)
            yield action, _bundle(prepared, vectors[at : at + count]), prepared
            at += count

    def _embedded_one_by_one(self) -> Iterator[tuple[Action, Bundle, Prepared]]:
        for action, prepared in self.waiting:
            try:
                vectors = self._vectors([leaf.text for leaf in prepared.leaves])
            except Exception as error:
                if is_fatal(error):
                    raise
                self.fail(action, error)
            else:
                yield action, _bundle(prepared, vectors), prepared

    def _vectors(self, texts: list[str]) -> list[Vector]:
        embedder = self.settings.embedder
        if embedder is None or not texts:
            return []
        from withgrain.embed import embed_cached

        base = self.leaves_done
        vectors, embedded = embed_cached(
            embedder, self.cache, texts, lambda done, total: self.report("embed", base + done, base + total)
        )
        self.leaves_done += len(texts)
        self.tally.embedded += embedded
        return vectors


def stored_bundle(snapshot: Snapshot, doc_id: str, *, stale: str) -> Bundle | None:
    """Return a stored document with its rows, its record marked stale; None when it is not there."""
    document = snapshot.document(doc_id)
    if document is None:
        return None
    chunks = tuple(snapshot.chunks(doc_id=doc_id))
    leaves = tuple(snapshot.leaves([c.chunk.id for c in chunks]))
    return Bundle(document=replace(document, stale=stale), chunks=chunks, leaves=leaves)


def _bundle(prepared: Prepared, vectors: Sequence[Vector]) -> Bundle:
    leaves = tuple(
        LeafRecord(id=leaf.id, chunk_id=leaf.chunk_id, doc_id=prepared.document.id, span=leaf.span, vector=vector)
        for leaf, vector in zip(prepared.leaves, vectors, strict=True)
    )
    return Bundle(document=prepared.document, chunks=prepared.chunks, leaves=leaves)


def _moved(group: Sequence[tuple[Action, Bundle, Prepared]]) -> tuple[str, ...]:
    """Return the ids of the documents that the renamed ones of a group replace."""
    return tuple(a.known.id for a, _, _ in group if a.name == "rename" and a.known is not None)
