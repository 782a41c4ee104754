"""A collection in memory: the reference that every other backend must agree with. Plain Python, no index."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from withgrain.errors import CollectionLocked, UsageError
from withgrain.model import (
    Candidates,
    Change,
    ChunkRecord,
    CommitResult,
    Contract,
    DocumentRecord,
    Filter,
    LeafRecord,
    RetiredRecord,
    Span,
    State,
)
from withgrain.store.candidates import candidate, text_of
from withgrain.store.centroids import mean
from withgrain.store.checks import check_change, check_contract, check_vector, float32_bytes
from withgrain.store.matching import check_field, check_filter, matches
from withgrain.store.payload import Payload, facet, facet_values, payload
from withgrain.store.retired import alive, followed, retiring
from withgrain.store.statistics import LexicalStatistics, bm25
from withgrain.types import Snapshot, Statistics, Writer

_PLACE = "memory"
#: How many states are kept, as on disk.
KEPT_STATES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    record: ChunkRecord
    payload: Payload
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A document with its chunks in ordinal order and its leaves, by id."""

    document: DocumentRecord
    chunks: Mapping[str, _Row] = field(default_factory=dict)
    leaves: Mapping[str, LeafRecord] = field(default_factory=dict)


_State = Mapping[str, _Entry]
_Retired = Mapping[str, RetiredRecord]


class MemorySnapshot:
    """One state; later commits make new states and leave this one as it is."""

    def __init__(self, version: int, contract: Contract, state: _State, retired: _Retired | None = None) -> None:
        self.version = version
        self.contract = contract
        self._state = state
        self._gone: _Retired = retired or {}
        self._rows = {i: row for entry in state.values() for i, row in entry.chunks.items()}

    def documents(self, ids: Sequence[str] | None = None) -> list[DocumentRecord]:
        """Return documents sorted by uri, without their text."""
        wanted = self._state if ids is None else {i: self._state[i] for i in ids if i in self._state}
        found = (replace(e.document, text="", removed=()) for e in wanted.values())
        return sorted(found, key=lambda d: (d.uri, d.id))

    def documents_called(self, path: str) -> list[str]:
        """Return the documents whose uri is, or ends with, a path, in the order of their uris."""
        found = (e.document for e in self._state.values() if f"/{e.document.uri}".endswith(f"/{path}"))
        return [d.id for d in sorted(found, key=lambda d: (d.uri, d.id))]

    def document(self, doc_id: str) -> DocumentRecord | None:
        """Return one document with its text."""
        entry = self._state.get(doc_id)
        return entry.document if entry else None

    def chunks(self, *, ids: Sequence[str] | None = None, doc_id: str | None = None) -> list[ChunkRecord]:
        """Return chunks by id in the order asked, or of one document in ordinal order."""
        if (ids is None) == (doc_id is None):
            raise UsageError("chunks: give either ids or doc_id.")
        if ids is not None:
            return [self._rows[i].record for i in ids if i in self._rows]
        entry = self._state.get(doc_id or "")
        return [row.record for row in entry.chunks.values()] if entry else []

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return body, headings, title and markers of chunks."""
        return {i: text_of(self._rows[i].record.chunk) for i in ids if i in self._rows}

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the bodies of chunks."""
        return {i: self._rows[i].record.chunk.body for i in ids if i in self._rows}

    def leaves(self, chunk_ids: Sequence[str]) -> list[LeafRecord]:
        """Return the leaves of some chunks, in the order of the chunks, then of their spans."""
        order = {chunk: n for n, chunk in enumerate(chunk_ids)}
        docs = {self._rows[c].record.chunk.doc_id for c in order if c in self._rows}
        found = [leaf for d in docs for leaf in self._state[d].leaves.values() if leaf.chunk_id in order]
        return sorted(found, key=lambda leaf: (order[leaf.chunk_id], leaf.span.start if leaf.span else -1, leaf.id))

    def token_codes(self, chunk_ids: Sequence[str]) -> dict[str, list[bytes]]:
        """Return the token codes of the leaves of some chunks; a chunk with a leaf that has none is left out."""
        found: dict[str, list[bytes]] = {}
        for leaf in self.leaves(chunk_ids):
            found.setdefault(leaf.chunk_id, []).append(leaf.token_codes)
        return {chunk_id: codes for chunk_id, codes in found.items() if all(codes)}

    def leaf_spans(self, chunk_ids: Sequence[str]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id."""
        return {leaf.id: leaf.span for leaf in self.leaves(chunk_ids)}

    def pending(self) -> list[str]:
        """Return the ids of the documents of which a leaf waits for its vector."""
        return sorted(i for i, e in self._state.items() if any(not leaf.vector for leaf in e.leaves.values()))

    def sections(self, section_id: str) -> list[ChunkRecord]:
        """Return the chunks of a section, in ordinal order."""
        found = (row.record for row in self._rows.values() if row.record.chunk.parent_id == section_id)
        return sorted(found, key=lambda r: (r.chunk.ordinal, r.chunk.id))

    def candidates(self, ids: Sequence[str], terms: Sequence[str] = ()) -> Candidates:
        """Return light rows for ranking, in the order asked."""
        asked = frozenset(terms)
        return Candidates.of([candidate(self._rows[i].record, asked) for i in ids if i in self._rows])

    def retired(self, ids: Sequence[str]) -> list[RetiredRecord]:
        """Return what became of ids that are no longer there."""
        return followed(ids, lambda some: [self._gone[i] for i in some if i in self._gone])

    def all_retired(self) -> list[RetiredRecord]:
        """Return every retired id as it was written."""
        return [self._gone[i] for i in sorted(self._gone)]

    def languages(self) -> tuple[str, ...]:
        """Return the languages of the documents, sorted."""
        return tuple(sorted({e.document.language for e in self._state.values()} - {""}))

    def roots(self) -> tuple[str, ...]:
        """Return the names of the roots, sorted."""
        return tuple(sorted({e.document.root for e in self._state.values()}))

    def document_vectors(self, ids: Sequence[str] | None = None) -> dict[str, tuple[float, ...]]:
        """Return the vector of each document: the weighted mean of its leaves."""
        wanted = self._state if ids is None else [i for i in ids if i in self._state]
        found = {i: mean(self._state[i].leaves.values()) for i in wanted}
        return {i: vector for i, vector in found.items() if vector}

    def similar_documents(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Return the documents whose vectors are nearest."""
        check_vector(vector, self.contract.dims, "Query")
        scored = [(i, cosine(vector, own)) for i, own in self.document_vectors().items()]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[: max(0, limit)]

    def lexical(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[tuple[str, float]]:
        """Return chunks that have at least one term, by BM25."""
        statistics = self.statistics(terms, where)
        wanted = set(terms)
        scored: list[tuple[str, float]] = []
        for chunk_id, row in self._inside(where):
            counts = Counter(t for t in row.terms if t in wanted)
            if counts:
                scored.append((chunk_id, bm25(statistics, counts, len(row.terms))))
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def phrase(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[str]:
        """Return ids of chunks that have the terms side by side, in the order of the ids."""
        wanted = tuple(terms)
        if not wanted:
            return []
        found = [i for i, row in self._inside(where) if has_phrase(row.terms, wanted)]
        return sorted(found)[:limit]

    def dense(
        self, vector: Sequence[float], where: Filter | None, limit: int, beside: Sequence[str] = ()
    ) -> list[tuple[str, str, float]]:
        """Return the best leaf of each chunk by exact cosine."""
        check_vector(vector, self.contract.dims, "Query")
        inside = {i for i, _ in self._inside(where)}
        best: dict[str, tuple[str, str, float]] = {}
        for entry in self._state.values():
            for leaf in entry.leaves.values():
                if leaf.vector and leaf.chunk_id in inside:
                    hit = (leaf.chunk_id, leaf.id, cosine(vector, leaf.vector))
                    old = best.get(leaf.chunk_id)
                    if old is None or (-hit[2], hit[1]) < (-old[2], old[1]):
                        best[leaf.chunk_id] = hit
        ordered, limit = sorted(best.values(), key=lambda hit: (-hit[2], hit[0])), max(0, limit)
        return [*ordered[:limit], *(hit for hit in ordered[limit:] if hit[0] in beside)]

    def statistics(self, terms: Sequence[str], where: Filter | None) -> Statistics:
        """Return exact statistics over the chunks inside the filter."""
        wanted = set(terms)
        frequencies = dict.fromkeys(terms, 0)
        chunks = total = 0
        for _, row in self._inside(where):
            chunks += 1
            total += len(row.terms)
            for term in wanted.intersection(row.terms):
                frequencies[term] += 1
        return LexicalStatistics(
            chunks=chunks, average_length=total / chunks if chunks else 0.0, frequencies=frequencies
        )

    def facets(self, field: str, where: Filter | None) -> dict[str, int]:
        """Return how many chunks have each value, the most frequent first."""
        check_field(field)
        return facet(field, Counter(v for _, row in self._inside(where) for v in facet_values(row.payload[field])))

    def count(self) -> dict[str, int]:
        """Return the number of documents, chunks and leaves."""
        leaves = [leaf for e in self._state.values() for leaf in e.leaves.values()]
        return {
            "documents": len(self._state),
            "chunks": len(self._rows),
            "leaves": len(leaves),
            "vectors": sum(bool(leaf.vector) for leaf in leaves),
        }

    def _inside(self, where: Filter | None) -> Iterator[tuple[str, _Row]]:
        check_filter(where)
        return ((i, row) for i, row in self._rows.items() if matches(where, row.payload))


class MemoryStore:
    """A collection that lives as long as this object."""

    def __init__(self) -> None:
        self._snapshot: MemorySnapshot | None = None
        self._states: list[tuple[MemorySnapshot, str, int]] = []
        self._locked = False

    def contract(self) -> Contract | None:
        """Return the contract; None while nothing was ever committed."""
        return self._snapshot.contract if self._snapshot else None

    def snapshot(self, version: int | None = None) -> Snapshot | None:
        """Return the newest state, or a kept one; None while nothing was ever committed."""
        return self._snapshot if version is None or self._snapshot is None else self._kept(version)

    def history(self) -> list[State]:
        """Return the kept states, oldest first."""
        return [_state(snapshot, time) for snapshot, time, _ in self._states]

    def restore(self, version: int) -> State:
        """Make a kept state the newest again."""
        old = self._kept(version)
        self._check_free()
        newest = self._states[-1][0].version + 1
        self.publish(MemorySnapshot(newest, old.contract, old._state, old._gone), run=newest)
        return self.history()[-1]

    def forget(self, doc_ids: Sequence[str]) -> None:
        """Remove documents, and every state but the newest."""
        self._check_free()
        old = self._snapshot
        if old is None:
            raise UsageError(f"{_PLACE}: nothing was ever committed.")
        gone = set(doc_ids)
        uris = {e.document.uri for i, e in old._state.items() if i in gone}
        names = gone | {c for i, e in old._state.items() if i in gone for c in e.chunks}
        while more := {i for i, r in old._gone.items() if i not in names and names & {r.doc_id, r.successor}}:
            names |= more
        state = {i: _without(e, uris) for i, e in old._state.items() if i not in gone}
        left = {i: r for i, r in old._gone.items() if i not in names}
        newest = old.version + 1
        self._states = []
        self.publish(MemorySnapshot(newest, old.contract, state, left), run=newest)

    def publish(self, snapshot: MemorySnapshot, *, run: int) -> None:
        """Make a state the newest; a run keeps its last state, the store the states of the last `KEPT_STATES` runs."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        others = [kept for kept in self._states if kept[2] != run]
        self._states = [*others, (snapshot, now, run)][-KEPT_STATES:]
        self._snapshot = snapshot

    def _kept(self, version: int) -> MemorySnapshot:
        for snapshot, _, _ in self._states:
            if snapshot.version == version:
                return snapshot
        versions = ", ".join(str(s.version) for s, _, _ in self._states) or "none"
        raise UsageError(f"{_PLACE}: there is no state {version}. Kept: {versions}.")

    def writer(self, contract: Contract) -> Writer:
        """Take the lock.

        Raises:
            CollectionLocked: There is a writer already.
            ContractMismatch: The collection has another contract.
        """
        check_contract(self.contract(), contract, _PLACE)
        self._check_free()
        return MemoryWriter(self, contract)

    def _check_free(self) -> None:
        if self._locked:
            raise CollectionLocked(f"{_PLACE}: another writer of this process is open. Close it first.")


class MemoryWriter:
    """The one writer."""

    def __init__(self, store: MemoryStore, contract: Contract) -> None:
        store._locked = True
        self._store: MemoryStore | None = store
        self._contract = contract
        self._run = self._current().version + 1

    def snapshot(self) -> Snapshot:
        """Return the state after the last commit; an empty one of version 0 before the first."""
        return self._current()

    def commit(self, change: Change) -> CommitResult:
        """Apply a change as one step."""
        store = self._open()
        check_change(change, self._contract)
        old = self._current()
        state = dict(old._state)
        for doc_id in change.delete:
            state.pop(doc_id, None)
        for bundle in change.upsert:
            state[bundle.document.id] = _entry(bundle.document, bundle.chunks, bundle.leaves)
        living = alive(change)
        retired = {i: r for i, r in old._gone.items() if i not in living} | retiring(change)
        result = _difference(old._state, state, old.version)
        if result.version > old.version or old.version == 0 or retired != old._gone:
            result = replace(result, version=old.version + 1)
            store.publish(MemorySnapshot(result.version, self._contract, state, retired), run=self._run)
        return result

    def finish(self) -> None:
        """Nothing to do: there is no index and no old version."""
        self._open()

    def close(self) -> None:
        """Release the lock."""
        if self._store is not None:
            self._store._locked = False
            self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _current(self) -> MemorySnapshot:
        return self._open()._snapshot or MemorySnapshot(0, self._contract, {})

    def _open(self) -> MemoryStore:
        if self._store is None:
            raise UsageError(f"{_PLACE}: this writer is closed. Ask the store for a new one.")
        return self._store


def _state(snapshot: MemorySnapshot, time: str) -> State:
    fingerprint = snapshot.contract.fingerprint
    return State(version=snapshot.version, time=time, contract=fingerprint, counts=snapshot.count())


def _without(entry: _Entry, uris: set[str]) -> _Entry:
    """Return a document that does not name the uris as its copies."""
    left = tuple(uri for uri in entry.document.copies if uri not in uris)
    return replace(entry, document=replace(entry.document, copies=left)) if left != entry.document.copies else entry


def has_phrase(terms: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Return whether ``wanted`` stands in ``terms`` in one piece."""
    size = len(wanted)
    return any(terms[i : i + size] == wanted for i, term in enumerate(terms) if term == wanted[0])


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the cosine of two vectors; 0 when one of them is all zeros."""
    length = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(x * x for x in b))
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / length if length else 0.0


def _entry(document: DocumentRecord, chunks: Sequence[ChunkRecord], leaves: Sequence[LeafRecord]) -> _Entry:
    rows = (
        _Row(record=r, payload=payload(r), terms=tuple(t for t in r.terms.split(" ") if t))
        for r in sorted(chunks, key=lambda r: (r.chunk.ordinal, r.chunk.id))
    )
    kept = (replace(leaf, vector=_rounded(leaf.vector)) for leaf in leaves)
    return _Entry(
        document=document,
        chunks={row.record.chunk.id: row for row in rows},
        leaves={leaf.id: leaf for leaf in kept},
    )


def _rounded(vector: tuple[float, ...]) -> tuple[float, ...]:
    """Return a vector with the precision that a collection on disk keeps."""
    return tuple(memoryview(float32_bytes(vector)).cast("f"))


def _difference(old: _State, new: _State, version: int) -> CommitResult:
    """Count the rows that a step writes and removes; the version grows when there is any."""
    counts: Counter[str] = Counter()
    for doc_id in {**old, **new}:
        before, after = old.get(doc_id), new.get(doc_id)
        if before is after:
            continue
        counts["documents_written"] += after is not None and (before is None or before.document != after.document)
        counts["documents_removed"] += after is None
        for name in ("chunks", "leaves"):
            had: Mapping[str, object] = getattr(before, name) if before else {}
            has: Mapping[str, object] = getattr(after, name) if after else {}
            counts[f"{name}_written"] += sum(had.get(i) != row for i, row in has.items())
            counts[f"{name}_removed"] += sum(i not in has for i in had)
    return CommitResult(version=version + bool(sum(counts.values())), **counts)
