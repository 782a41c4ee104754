"""Carry out a plan: cut, embed and commit, group by group; one bad document never stops the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import DocumentError, Unavailable, UsageError
from withgrain.ingest.arrived import Arrived
from withgrain.ingest.explaining import explain, is_fatal
from withgrain.ingest.plan import Action, Plan
from withgrain.ingest.prepare import Prepared, Recipe, WordsLost
from withgrain.ingest.preparing import prepare_all
from withgrain.ingest.retiring import retire
from withgrain.ingest.settings import IngestSettings
from withgrain.ingest.tally import Tally
from withgrain.ingest.vectors import SAMPLE, Backlog, Vectors, by_leaves, leaf_records, stored_vectors
from withgrain.model import Bundle, Change, DocumentRecord, Embedded, RetiredRecord, document_id
from withgrain.types import Snapshot, Writer

if TYPE_CHECKING:
    from withgrain.embed import EmbeddingCache

_Make = Callable[[Sequence[str]], dict[str, Embedded]]

#: Documents that are deleted in one step: their old ids are read and retired.
DELETIONS = 100

#: Leaves that get their vectors in one step of catching up.
CATCH_UP = 512


def run(plan: Plan, writer: Writer, recipe: Recipe, settings: IngestSettings, tally: Tally) -> None:
    """Carry out the actions of a plan that write.

    Documents are committed in groups, each group one atomic step. A document that fails keeps its stored version,
    which is marked stale with the reason. An interruption loses the group that is not committed yet, nothing else.

    New documents do not wait for a slow model: their words are committed first, and can be searched; their vectors
    follow when all words are there. A new version of a stored document comes whole.

    Raises:
        Unavailable: The collection cannot be written (no space …); the groups before stay committed.
    """
    work = [a for a in plan.of("add", "update", "rename") if not a.listing]
    leaving = [*work, *plan.of("delete")]
    with opened_cache(settings.cache if settings.embedder else None) as cache, closing(Backlog()) as backlog:
        state = _Run(
            writer=writer,
            recipe=recipe,
            settings=settings,
            tally=tally,
            vectors=Vectors(embedder=settings.embedder, cache=cache),
            backlog=backlog,
            total=len(work),
            looked_at=frozenset((*(a.uri for a in plan.actions if a.file), *(d.uri for d in plan.settled))),
            arrived=Arrived() if plan.of("delete") else None,
            staying=writer.snapshot().count()["chunks"] - sum(a.known.chunks for a in leaving if a.known is not None),
        )
        state.vectors.progress = lambda done, total: state.report("embed", done, total)
        _carry_out(plan, work, state)
        tally.embedded += state.vectors.embedded


def _carry_out(plan: Plan, work: Sequence[Action], state: _Run) -> None:
    for number, (action, outcome) in enumerate(prepare_all(work, state.recipe, state.settings)):
        state.report("chunk", number, len(work), action.uri)
        state.take(action, outcome)
        state.flush_when_full()
    state.report("chunk", len(work), len(work))
    for action in plan.of("fail", "skip"):
        state.leave(action)
        state.flush_when_full()
    for action in plan.of("update"):
        if action.listing:
            state.list_copies(action)
            state.flush_when_full()
    state.flush()
    state.give_up(plan.of("copy"))
    state.delete(plan.of("delete"))
    state.catch_up()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A document that waits for its group: what to do, its rows, and what is stored of it now."""

    action: Action
    prepared: Prepared
    old: Bundle | None = None


@dataclass(slots=True, kw_only=True)
class _Run:
    writer: Writer
    recipe: Recipe
    settings: IngestSettings
    tally: Tally
    vectors: Vectors
    backlog: Backlog
    total: int
    looked_at: frozenset[str]
    arrived: Arrived | None
    staying: int
    waiting: list[_Entry] = field(default_factory=list)
    rewritten: list[Bundle] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    leaves: int = 0
    chunks: int = 0
    committed: int = 0

    @property
    def lazy(self) -> bool:
        """Whether the vectors of what is cut now wait until a question needs them."""
        return self.settings.lazy_with(self.staying + self.chunks)

    def report(self, stage: str, done: int, total: int, detail: str = "") -> None:
        if self.settings.progress is not None:
            self.settings.progress.update(stage, done, total, detail)

    def take(self, action: Action, outcome: Prepared | DocumentError) -> None:
        """Let a prepared document wait until its group is full."""
        if isinstance(outcome, DocumentError):
            self.fail(action, outcome)
            return
        document = replace(outcome.document, copies=action.copies)
        self.waiting.append(_Entry(action=action, prepared=replace(outcome, document=document)))
        self.leaves += len(outcome.leaves)
        self.chunks += len(outcome.chunks)
        self.report("made", self.chunks, 0)

    def flush_when_full(self) -> None:
        """Commit the group when it has enough documents or leaves."""
        documents = len(self.waiting) + len(self.rewritten)
        if documents >= self.settings.group_documents or self.leaves >= self.settings.group_leaves:
            self.flush()

    def fail(self, action: Action, error: Exception) -> None:
        """Record a document that failed; its stored version goes on listing the copies that may still be its."""
        if isinstance(error, WordsLost):
            self.tally.words_lost += error.words
        known, copies = action.known, action.copies
        if known is not None and action.file is not None and known.sha256 != action.file.sha256:
            copies = tuple(uri for uri in known.copies if uri not in self.looked_at)
        elif action.name == "rename" and known is not None:
            copies = known.copies
        reason = self.failed[action.uri] = explain(error, action.uri)
        self.leave(replace(action, name="fail", reason=reason, copies=copies))

    def leave(self, action: Action) -> None:
        """Record a failed or skipped file; mark its stored version stale unless it is marked so already."""
        self.tally.left(action)
        known = action.known
        if known is not None and (known.stale, known.copies) != (action.reason, action.copies):
            self._rewrite(known.id, stale=action.reason, copies=action.copies)

    def list_copies(self, action: Action) -> None:
        """Change the list of copies of a document, and nothing else."""
        if action.known is not None:
            self._rewrite(action.known.id, stale=action.known.stale, copies=action.copies)
            self.tally.done(action)

    def _rewrite(self, doc_id: str, *, stale: str, copies: tuple[str, ...]) -> None:
        bundle = stored_bundle(self.writer.snapshot(), doc_id)
        if bundle is not None:
            self.rewritten.append(replace(bundle, document=replace(bundle.document, stale=stale, copies=copies)))

    def flush(self) -> None:
        """Embed and commit what is waiting."""
        entries = self._with_old(self.waiting)
        self.waiting, self.leaves = [], 0
        made = list(self._bundles(entries))
        rewritten, self.rewritten = self.rewritten, []  # with those that failed just now
        if not made and not rewritten:
            return
        try:
            self._commit(_change(made, rewritten))
        except UsageError:
            self._commit_one_by_one(made, rewritten)
            return
        for entry, bundle in made:
            self._done(entry, bundle)

    def give_up(self, actions: Sequence[Action]) -> None:
        """Remove the documents that have become copies of others, if those are really there."""
        asked = any(a.known is not None or a.reason in self.failed for a in actions)
        snapshot = self.writer.snapshot() if asked else None
        for action in actions:
            if snapshot is None or action.file is None or (action.known is None and action.reason not in self.failed):
                self.tally.done(action)
                continue
            canonical = stored_bundle(snapshot, document_id(action.reason))
            if canonical is None or canonical.document.sha256 != action.file.sha256:
                reason = self.failed.get(action.reason, f"{action.reason}, which is the same, is not there")
                self.leave(replace(action, name="fail", reason=reason))
                continue
            old = stored_bundle(snapshot, action.known.id) if action.known is not None else None
            if old is not None:
                retired = retire(old.document, old.chunks, canonical.document, canonical.chunks)
                self._commit(Change(delete=(old.document.id,), retire=retired))
            self.tally.done(action)
        if self.rewritten:
            rewritten, self.rewritten = self.rewritten, []
            self._commit(Change(upsert=tuple(rewritten)))

    def delete(self, actions: Sequence[Action]) -> None:
        """Remove the documents that vanished."""
        for start in range(0, len(actions), DELETIONS):
            some = actions[start : start + DELETIONS]
            snapshot = self.writer.snapshot()
            known = [a.known for a in some if a.known is not None]
            retired = [r for d in known for r in self._retired(d, snapshot)]
            self._commit(Change(delete=tuple(d.id for d in known), retire=tuple(retired)))
            for action in some:
                self.tally.done(action)

    def _retired(self, document: DocumentRecord, snapshot: Snapshot) -> tuple[RetiredRecord, ...]:
        """Return what becomes of the ids of a vanished document: they lead to where its text arrived, or nowhere."""
        chunks = snapshot.chunks(doc_id=document.id)
        heir = self.arrived.heir(document, chunks) if self.arrived is not None else None
        new = stored_bundle(snapshot, heir) if heir is not None else None
        return retire(document, chunks, new.document if new else None, new.chunks if new else ())

    def catch_up(self) -> None:
        """Give the leaves that wait their vectors, some documents at a time."""
        if self.settings.lazy_with(self.writer.snapshot().count()["chunks"]):
            return
        done = 0
        self.vectors.waiting = self.backlog.total
        for some in by_leaves(self.backlog, CATCH_UP):
            snapshot = self.writer.snapshot()
            made = self._made_or_each_alone([t for _, texts in some for t in texts.values()])
            for doc_id, texts in some:
                bundle = stored_bundle(snapshot, doc_id)
                if bundle is None:
                    continue
                vectors = made if made is not None else self._made_alone(bundle, list(texts.values()))
                if vectors is not None:
                    self.rewritten.append(_filled(bundle, texts, vectors))
                done += len(texts)
            rewritten, self.rewritten = self.rewritten, []
            self._commit(Change(upsert=tuple(rewritten)))
            self.vectors.waiting = self.backlog.total - done

    def _made_or_each_alone(self, texts: Sequence[str], make: _Make | None = None) -> dict[str, Embedded] | None:
        """Return the vectors; None when the embedder refuses a text, so that each document must be tried alone."""
        try:
            return (make or self.vectors.make)(texts)
        except Exception as error:
            if is_fatal(error):
                raise
            return None

    def _made_alone(self, bundle: Bundle, texts: Sequence[str]) -> dict[str, Embedded] | None:
        """Return the vectors of one document; None when it fails, and its words stay without them."""
        try:
            return self.vectors.make(texts)
        except Exception as error:
            if is_fatal(error):
                raise
            document = bundle.document
            reason = explain(error, document.uri)
            self.tally.failed_late(document.uri, reason)
            self.rewritten.append(replace(bundle, document=replace(document, stale=reason)))
            return None

    def _with_old(self, entries: Sequence[_Entry]) -> list[_Entry]:
        """Look up what is stored of the documents that are replaced."""
        if not any(e.action.known is not None for e in entries):
            return list(entries)
        snapshot = self.writer.snapshot()
        return [
            replace(e, old=stored_bundle(snapshot, e.action.known.id)) if e.action.known is not None else e
            for e in entries
        ]

    def _bundles(self, entries: Sequence[_Entry]) -> Iterator[tuple[_Entry, Bundle]]:
        """Give the leaves of the group their vectors; a document whose leaves cannot be embedded fails alone."""
        texts = list(dict.fromkeys(leaf.text for e in entries for leaf in e.prepared.leaves))
        have = self.vectors.known(texts)
        for entry in entries:
            if entry.old is not None and any(leaf.text not in have for leaf in entry.prepared.leaves):
                have |= stored_vectors(entry.prepared, entry.old.chunks, entry.old.leaves)
        later = self._later(entries, [t for t in texts if t not in have], have)
        missing = [t for e in entries if e.action.uri not in later for t in _missing(e, have)]
        made = self._made_or_each_alone(list(dict.fromkeys(missing)))
        have |= made or {}
        tokens = self._tokens(texts)
        for entry in entries:
            if made is None and entry.action.uri not in later:
                try:
                    have |= self.vectors.make(_missing(entry, have))
                except Exception as error:
                    if is_fatal(error):
                        raise
                    self.fail(entry.action, error)
                    continue
            leaves = leaf_records(entry.prepared, have, tokens)
            yield entry, Bundle(document=entry.prepared.document, chunks=entry.prepared.chunks, leaves=leaves)

    def _later(self, entries: Sequence[_Entry], missing: Sequence[str], have: dict[str, Embedded]) -> frozenset[str]:
        """Return the uris of the new documents of a group whose vectors would let their words wait too long."""
        if self.lazy:
            return frozenset(e.action.uri for e in entries)
        new = [e for e in entries if e.action.name == "add"]
        if not missing or not new:
            return frozenset()
        if not self.vectors.embedded and self.settings.patience > 0:
            have |= self._made_or_each_alone(missing[:SAMPLE], self.vectors.try_out) or {}
        if self.settings.patience > 0 and self.vectors.would_take(len(missing)) <= self.settings.patience:
            return frozenset()
        return frozenset(e.action.uri for e in new if _missing(e, have))

    def _tokens(self, texts: Sequence[str]) -> dict[str, int]:
        embedder = self.settings.embedder
        return dict(zip(texts, embedder.tokenizer.count_many(texts), strict=True)) if embedder and texts else {}

    def _done(self, entry: _Entry, bundle: Bundle) -> None:
        self.tally.done(entry.action, entry.prepared)
        if self.arrived is not None:
            self.arrived.note(bundle.document, bundle.chunks)
        if not self.lazy and any(not leaf.vector for leaf in bundle.leaves):
            text = {leaf.id: leaf.text for leaf in entry.prepared.leaves}
            self.backlog.add(bundle.document.id, {leaf.id: text[leaf.id] for leaf in bundle.leaves if not leaf.vector})

    def _commit_one_by_one(self, made: Sequence[tuple[_Entry, Bundle]], rewritten: Sequence[Bundle]) -> None:
        """Find the document whose rows the store refuses; the others are committed."""
        for entry, bundle in made:
            try:
                self._commit(_change([(entry, bundle)], ()))
            except UsageError as error:
                self.fail(entry.action, error)
            else:
                self._done(entry, bundle)
        rewritten, self.rewritten = [*rewritten, *self.rewritten], []
        if rewritten:
            self._commit(Change(upsert=tuple(rewritten)))

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
        self.report("commit", min(self.committed, self.total), self.total, f"{self.tally.chunks:,} chunks")


def stored_bundle(snapshot: Snapshot, doc_id: str) -> Bundle | None:
    """Return a stored document with its rows; None when it is not there."""
    document = snapshot.document(doc_id)
    if document is None:
        return None
    chunks = tuple(snapshot.chunks(doc_id=doc_id))
    return Bundle(document=document, chunks=chunks, leaves=tuple(snapshot.leaves([c.chunk.id for c in chunks])))


def _change(made: Sequence[tuple[_Entry, Bundle]], rewritten: Sequence[Bundle]) -> Change:
    """Return the step that commits a group: with the documents that renamed ones replace, and the ids that end."""
    moved = (e.action.known.id for e, _ in made if e.action.name == "rename" and e.action.known is not None)
    ended: list[RetiredRecord] = []
    arrived = {r.chunk.body: r for _, bundle in reversed(made) for r in bundle.chunks}
    for entry, bundle in made:
        if entry.old is not None:
            ended += retire(entry.old.document, entry.old.chunks, bundle.document, bundle.chunks, arrived)
    return Change(upsert=(*(b for _, b in made), *rewritten), delete=tuple(moved), retire=tuple(ended))


def _missing(entry: _Entry, have: dict[str, Embedded]) -> list[str]:
    return [text for text in dict.fromkeys(leaf.text for leaf in entry.prepared.leaves) if text not in have]


def _filled(bundle: Bundle, texts: dict[str, str], vectors: dict[str, Embedded]) -> Bundle:
    made = {leaf_id: vectors[text] for leaf_id, text in texts.items()}
    leaves = (
        replace(x, vector=made[x.id].vector, token_codes=made[x.id].token_codes) if x.id in made else x
        for x in bundle.leaves
    )
    return replace(bundle, leaves=tuple(leaves))
