"""A scope: a filter bound to a state, so that nothing outside it can be seen by any call, whatever the caller asks.

Hard isolation is one collection a tenant. A scope is for the cases where one collection must serve several readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from withgrain.model import (
    Candidates,
    ChunkRecord,
    Compare,
    DocumentRecord,
    Filter,
    LeafRecord,
    RetiredRecord,
    Span,
    all_of,
)
from withgrain.search.filters.scope import checked_scope
from withgrain.types import Snapshot, Statistics


def scoped(snapshot: Snapshot, scope: Filter | None) -> Snapshot:
    """Return the state as it is inside ``scope``; the state itself without one.

    Every call of the result adds ``scope`` to what it is asked: candidates, statistics, facets, counts, documents,
    sections, retired ids. A document of which only a part is inside shows that part: its chunks, but neither its text
    nor its front matter. Chunks without the label that a scope asks for are outside.

    Raises:
        UsageError: A group of the scope has no conditions; or it names an unknown field, or a value does not fit
            (raised by the store, on first use).
    """
    return snapshot if scope is None else ScopedSnapshot(snapshot, checked_scope(scope))


class ScopedSnapshot:
    """A `withgrain.types.Snapshot` of what is inside a filter."""

    def __init__(self, snapshot: Snapshot, scope: Filter) -> None:
        self.version = snapshot.version
        self.contract = snapshot.contract
        self._snapshot = snapshot
        self._scope = scope
        self._inside: set[str] = set()  # ids of chunks that a call inside the scope has delivered

    def documents(self, ids: Sequence[str] | None = None) -> list[DocumentRecord]:
        """Return the documents that have a chunk inside, sorted by uri, without their text."""
        if ids is None:
            return list(self._documents.values())
        found = (self._documents[i] for i in set(ids) if i in self._documents)
        return sorted(found, key=lambda d: (d.uri, d.id))

    def documents_called(self, path: str) -> list[str]:
        """Return the documents of this name that have a chunk inside."""
        return [i for i in self._snapshot.documents_called(path) if i in self._documents]

    def document(self, doc_id: str) -> DocumentRecord | None:
        """Return one document; with its text only when all of it is inside."""
        known = self._documents.get(doc_id)
        if known is None or doc_id in self._partial:
            return known
        record = self._snapshot.document(doc_id)
        return replace(record, copies=()) if record else None

    def chunks(self, *, ids: Sequence[str] | None = None, doc_id: str | None = None) -> list[ChunkRecord]:
        """Return chunks by id or of one document, those outside left out."""
        return self._visible_records(self._snapshot.chunks(ids=ids, doc_id=doc_id))

    def sections(self, section_id: str) -> list[ChunkRecord]:
        """Return the chunks of a section that are inside."""
        return self._visible_records(self._snapshot.sections(section_id))

    def candidates(self, ids: Sequence[str], terms: Sequence[str] = ()) -> Candidates:
        """Return light rows of the chunks that are inside."""
        found = self._snapshot.candidates(self._visible(ids), terms)
        if self._partial.isdisjoint(found.doc_ids):
            return found
        return Candidates.of([replace(c, total=self._sizes[c.doc_id]) for c in found])

    def retired(self, ids: Sequence[str]) -> list[RetiredRecord]:
        """Return what became of ids, as far as their successor, or all of their document, is inside."""
        found = self._snapshot.retired(ids)
        living = set(self._visible(r.successor for r in found if r.successor)) | self._documents.keys()
        living |= {
            r.successor for r in found if r.successor and r.successor not in living and self.sections(r.successor)
        }
        return [r for r in found if (r.successor in living if r.successor else r.doc_id in self._whole)]

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the texts of chunks that are inside."""
        return self._snapshot.texts(self._visible(ids))

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the bodies of chunks that are inside."""
        return self._snapshot.bodies(self._visible(ids))

    def token_codes(self, chunk_ids: Sequence[str]) -> dict[str, list[bytes]]:
        """Return the token codes of visible chunks."""
        return self._snapshot.token_codes(self._visible(chunk_ids))

    def leaves(self, chunk_ids: Sequence[str]) -> list[LeafRecord]:
        """Return the leaves of chunks that are inside."""
        return self._snapshot.leaves(self._visible(chunk_ids))

    def leaf_spans(self, chunk_ids: Sequence[str]) -> dict[str, Span | None]:
        """Return where the leaves of chunks that are inside stand."""
        return self._snapshot.leaf_spans(self._visible(chunk_ids))

    def pending(self) -> list[str]:
        """Return the ids of documents inside of which a leaf, perhaps outside, waits for its vector."""
        return [i for i in self._snapshot.pending() if i in self._documents]

    def all_retired(self) -> list[RetiredRecord]:
        """Return the retired ids of documents that are inside as a whole."""
        return [r for r in self._snapshot.all_retired() if r.doc_id in self._whole]

    def languages(self) -> tuple[str, ...]:
        """Return the languages of the documents that have a chunk inside."""
        return tuple(sorted({d.language for d in self._documents.values()} - {""}))

    def roots(self) -> tuple[str, ...]:
        """Return the roots of the documents that have a chunk inside."""
        return tuple(sorted({d.root for d in self._documents.values()}))

    def document_vectors(self, ids: Sequence[str] | None = None) -> dict[str, tuple[float, ...]]:
        """Return the vectors of the documents that are inside as a whole: a mean tells of all its parts."""
        wanted = [i for i in self._whole if ids is None or i in set(ids)]
        return self._snapshot.document_vectors(wanted)

    def similar_documents(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Return the nearest of the documents that are inside as a whole."""
        found = self._snapshot.similar_documents(vector, self._snapshot.count()["documents"])
        return [pair for pair in found if pair[0] in self._whole][: max(0, limit)]

    def lexical(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[tuple[str, float]]:
        """Return chunks inside that have at least one of the terms."""
        found = self._snapshot.lexical(terms, self._with(where), limit)
        self._inside.update(i for i, _ in found)
        return found

    def phrase(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[str]:
        """Return chunks inside that have the terms side by side."""
        found = self._snapshot.phrase(terms, self._with(where), limit)
        self._inside.update(found)
        return found

    def dense(
        self, vector: Sequence[float], where: Filter | None, limit: int, beside: Sequence[str] = ()
    ) -> list[tuple[str, str, float]]:
        """Return the chunks inside that are nearest, and those of ``beside`` that are inside."""
        found = self._snapshot.dense(vector, self._with(where), limit, beside)
        self._inside.update(i for i, _, _ in found)
        return found

    def statistics(self, terms: Sequence[str], where: Filter | None) -> Statistics:
        """Return statistics of what is inside: an idf tells nothing about the rest."""
        return self._snapshot.statistics(terms, self._with(where))

    def facets(self, field: str, where: Filter | None) -> dict[str, int]:
        """Return the values that chunks inside have."""
        return self._snapshot.facets(field, self._with(where))

    def count(self) -> dict[str, int]:
        """Return the number of documents, chunks, leaves and vectors inside."""
        leaves = len(self._snapshot.leaf_spans(self._chunk_ids(None))) if self.contract.dims else 0
        waiting = tuple(self.pending())  # only there leaves must be read to see which have a vector
        unmade = self._snapshot.leaves(self._chunk_ids(waiting)) if waiting else []
        return {
            "documents": len(self._documents),
            "chunks": sum(self._sizes.values()),
            "leaves": leaves,
            "vectors": leaves - sum(not leaf.vector for leaf in unmade),
        }

    def _chunk_ids(self, doc_ids: tuple[str, ...] | None) -> list[str]:
        """Return the ids of the chunks inside, of some documents only or of all."""
        only = Compare(field="doc_id", operator="in", value=doc_ids) if doc_ids is not None else None
        return list(self._snapshot.facets("chunk_id", self._with(only)))

    def _with(self, where: Filter | None) -> Filter | None:
        return all_of(self._scope, where)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """Number of chunks inside, for each document that has one."""
        return self._snapshot.facets("doc_id", self._scope)

    @cached_property
    def _partial(self) -> frozenset[str]:
        """Documents of which a part is outside."""
        return frozenset(d.id for d in self._snapshot.documents() if self._sizes.get(d.id, 0) < d.chunks)

    @cached_property
    def _whole(self) -> frozenset[str]:
        """Documents that are inside as a whole."""
        return frozenset(self._documents.keys() - self._partial)

    @cached_property
    def _documents(self) -> dict[str, DocumentRecord]:
        found = (d for d in self._snapshot.documents() if d.id in self._sizes)
        return {d.id: self._part(d) if d.id in self._partial else replace(d, copies=()) for d in found}

    def _part(self, document: DocumentRecord) -> DocumentRecord:
        return replace(document, chunks=self._sizes[document.id], text="", removed=(), meta={}, copies=())

    def _visible(self, ids: Iterable[str]) -> list[str]:
        """Return the ids that are inside, in the order asked."""
        asked = list(dict.fromkeys(ids))
        unknown = tuple(i for i in asked if i not in self._inside)
        if unknown:
            only = Compare(field="chunk_id", operator="in", value=unknown)
            self._inside.update(self._snapshot.facets("chunk_id", self._with(only)))
        return [i for i in asked if i in self._inside]

    def _visible_records(self, records: Sequence[ChunkRecord]) -> list[ChunkRecord]:
        inside = set(self._visible(r.chunk.id for r in records))
        return [self._told(r) for r in records if r.chunk.id in inside]

    def _told(self, record: ChunkRecord) -> ChunkRecord:
        """Return a chunk as it may be told: neighbours and count of a document are hidden where a part is outside."""
        chunk = record.chunk
        if chunk.doc_id not in self._partial:
            return record
        beside = self._visible(i for i in (chunk.prev_id, chunk.next_id) if i)
        return replace(
            record,
            chunk=replace(
                chunk,
                total=self._sizes[chunk.doc_id],
                prev_id=chunk.prev_id if chunk.prev_id in beside else None,
                next_id=chunk.next_id if chunk.next_id in beside else None,
            ),
        )
