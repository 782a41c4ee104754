"""A collection in memory with an inverted index and one matrix of vectors: the same answers as the store's, faster.

`withgrain.search` ranks, as always; only where candidates come from is replaced. `tests/unit/benchmarks` compares the
answers with those of the reference store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from withgrain.model import And, Bundle, Candidates, Change, Compare, Contract, DocumentRecord, Filter
from withgrain.model.candidates import stated_by
from withgrain.store import memory_store
from withgrain.types import Snapshot, Statistics

K1, B = 1.2, 0.75  # as in the store's own BM25, which only proposes candidates


class Counted:
    """Exact statistics of the chunks inside a filter."""

    def __init__(self, chunks: int, average_length: float, frequencies: Mapping[str, int]) -> None:
        self.chunks, self.average_length, self.frequencies = chunks, average_length, frequencies


class Indexed:
    """A `Snapshot` over another one. Filters by one document are fast, others are the other's work."""

    def __init__(self, inner: Snapshot) -> None:
        self.inner = inner
        self._ids: list[str] = []
        self._ranges: dict[str, tuple[int, int]] = {}
        lengths: list[int] = []
        postings: dict[str, list[tuple[int, int]]] = {}
        self._listed = inner.documents()
        for document in self._listed:
            first = len(self._ids)
            for record in inner.chunks(doc_id=document.id):
                terms = record.terms.split(" ") if record.terms else []
                for term, count in Counter(terms).items():
                    postings.setdefault(term, []).append((len(self._ids), count))
                self._ids.append(record.chunk.id)
                lengths.append(len(terms))
            self._ranges[document.id] = (first, len(self._ids))
        self._lengths = np.asarray(lengths, dtype=np.float64)
        self._postings = {t: np.asarray(p, dtype=np.int64).T for t, p in postings.items()}
        self._count = inner.count()
        self._documents = {d.id: inner.document(d.id) for d in self._listed}
        self._place = {chunk_id: n for n, chunk_id in enumerate(self._ids)}
        self._leaves: tuple[Any, Any, Any, list[str]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def documents(self, ids: Sequence[str] | None = None) -> list[DocumentRecord]:
        wanted = None if ids is None else frozenset(ids)
        return [d for d in self._listed if wanted is None or d.id in wanted]

    def document(self, doc_id: str) -> Any:
        return self._documents.get(doc_id)

    def count(self) -> dict[str, int]:
        return dict(self._count)

    def _range(self, where: Filter | None) -> tuple[int, int] | None:
        if where is None:
            return 0, len(self._ids)
        if isinstance(where, Compare) and where.field == "doc_id" and where.operator == "eq":
            return self._ranges.get(str(where.value), (0, 0))
        return None

    def _inside(self, term: str, low: int, high: int) -> Any:
        found = self._postings.get(term)
        if found is None:
            return np.zeros((2, 0), dtype=np.int64)
        a, b = np.searchsorted(found[0], (low, high))
        return found[:, a:b]

    def statistics(self, terms: Sequence[str], where: Filter | None) -> Statistics:
        inside = self._range(where)
        if inside is None:
            return self.inner.statistics(terms, where)
        low, high = inside
        mean = float(self._lengths[low:high].mean()) if high > low else 0.0
        frequencies = {t: int(self._inside(t, low, high).shape[1]) for t in terms}
        return Counted(high - low, mean, frequencies)  # type: ignore[return-value]

    def lexical(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[tuple[str, float]]:
        inside = self._range(where)
        if inside is None:
            return self.inner.lexical(terms, where, limit)
        low, high = inside
        chunks = high - low
        if not chunks:
            return []
        mean = float(self._lengths[low:high].mean()) or 1.0
        scores = np.zeros(chunks)
        for term in dict.fromkeys(terms):
            places, counts = self._inside(term, low, high)
            if not len(places):
                continue
            idf = np.log1p((chunks - len(places) + 0.5) / (len(places) + 0.5))
            norm = K1 * (1 - B + B * self._lengths[places] / mean)
            scores[places - low] += idf * counts * (K1 + 1) / (counts + norm)
        order = np.argsort(-scores, kind="stable")[: 2 * limit]
        found = [(self._ids[low + int(i)], float(scores[i])) for i in order if scores[i] > 0]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def candidates(self, ids: Sequence[str], terms: Sequence[str] = ()) -> Candidates:
        known = [i for i in ids if i in self._place]
        places = np.asarray([self._place[i] for i in known], dtype=np.int64)
        slots = np.full(len(self._ids), -1, dtype=np.int64)
        slots[places] = np.arange(len(known))
        counts: dict[str, tuple[list[int], list[int]]] = {}
        for term in dict.fromkeys(terms):
            rows, numbers = self._inside(term, 0, len(self._ids))
            numbers, at = numbers[slots[rows] >= 0], slots[rows][slots[rows] >= 0]
            if len(at):
                order = np.argsort(at)
                counts[term] = at[order].tolist(), numbers[order].tolist()
        records = {r.chunk.id: r for r in self.inner.chunks(ids=known)}
        chunks = [records[i].chunk for i in known]
        return Candidates(
            ids=known,
            doc_ids=[c.doc_id for c in chunks],
            lengths=self._lengths[places].astype(int).tolist(),
            totals=[c.total for c in chunks],
            counts=counts,
            stating=stated_by([c.facts.identifiers() for c in chunks]),
            names=lambda places: [(chunks[n].title, *chunks[n].heading_path) for n in places],
            row=lambda place: self.inner.candidates([known[place]], terms)[0],
        )

    def phrase(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[str]:
        inside = self._range(where)
        if inside is None or not terms:
            return self.inner.phrase(terms, where, limit)
        rows: set[int] | None = None
        for term in dict.fromkeys(terms):
            having = set(self._inside(term, *inside)[0].tolist())
            rows = having if rows is None else rows & having
        ids = sorted(self._ids[n] for n in rows or ())
        wanted = f" {' '.join(terms)} "
        return [r.chunk.id for r in self.inner.chunks(ids=ids) if wanted in f" {r.terms} "][:limit]

    def _vectors(self) -> tuple[Any, Any, Any, list[str]]:
        """Return the matrix of the leaves, the chunks that have any, where theirs begin, and the leaves' names."""
        if self._leaves is None:
            leaves = [leaf for leaf in self.inner.leaves(self._ids) if leaf.vector]
            matrix = _normalised(np.asarray([leaf.vector for leaf in leaves], dtype=np.float32))
            places = np.asarray([self._place[leaf.chunk_id] for leaf in leaves], dtype=np.int64)
            owners, starts = np.unique(places, return_index=True)
            self._leaves = matrix, owners, starts, [leaf.id for leaf in leaves]
        return self._leaves

    def dense(
        self, vector: Sequence[float], where: Filter | None, limit: int, beside: Sequence[str] = ()
    ) -> list[tuple[str, str, float]]:
        inside = self._inside_of(where)
        if inside is None:
            return self.inner.dense(vector, where, limit, beside)
        matrix, owners, starts, names = self._vectors()
        if not len(owners):
            return []
        scores = matrix @ _normalised(np.asarray(vector, dtype=np.float32))
        best = np.maximum.reduceat(scores, starts)
        owner = np.repeat(np.arange(len(starts)), np.diff([*starts, len(scores)]))
        nearest = np.flatnonzero(scores == best[owner])
        nearest = nearest[np.unique(owner[nearest], return_index=True)[1]]  # the first of those that are as near
        kept = np.flatnonzero(inside[owners])
        kept = kept[np.argsort(-best[kept], kind="stable")]
        places = np.asarray([self._place[i] for i in beside if i in self._place], dtype=np.int64)
        rest = kept[limit:]
        chosen = [*kept[:limit].tolist(), *rest[np.isin(owners[rest], places)].tolist()]
        found = [(self._ids[owners[n]], names[nearest[n]], float(best[n])) for n in chosen]
        return sorted(found, key=lambda hit: (-hit[2], hit[0]))

    def _inside_of(self, where: Filter | None) -> Any:
        """Return which chunks a filter by document or by chunk lets through; None for other filters."""
        inside = np.ones(len(self._ids), dtype=bool)
        for part in where.parts if isinstance(where, And) else (where,):
            span = self._range(part)
            if span is not None:
                inside[: span[0]] = inside[span[1] :] = False
            elif isinstance(part, Compare) and part.field == "chunk_id" and part.operator == "in":
                named = np.zeros_like(inside)
                named[[self._place[i] for i in part.value if i in self._place]] = True  # type: ignore[union-attr]
                inside &= named
            else:
                return None
        return inside


def _normalised(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def indexed(bundles: Sequence[Bundle], contract: Contract) -> Indexed:
    """Return a collection of the documents."""
    store = memory_store()
    with store.writer(contract) as writer:
        writer.commit(Change(upsert=tuple(bundles)))
        return Indexed(writer.snapshot())
