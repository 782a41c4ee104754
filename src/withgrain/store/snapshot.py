"""One committed state on disk, to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import UsageError
from withgrain.model import ChunkRecord, DocumentRecord, Filter, LeafRecord
from withgrain.store import rows as coding
from withgrain.store.checks import check_vector
from withgrain.store.engine import match_any, open_tables
from withgrain.store.failures import guarded
from withgrain.store.head import Head
from withgrain.store.lexicon import Lexicon
from withgrain.store.lock import Lease
from withgrain.store.matching import check_field
from withgrain.store.sql import is_one_of, storable, where_sql
from withgrain.store.statistics import LexicalStatistics
from withgrain.store.vectors import Block, Vectors, block, nearest
from withgrain.types import Statistics

if TYPE_CHECKING:
    import pyarrow as pa

    from withgrain.store.lexicon import Positions

#: Ids in one question to the engine.
_BATCH = 1000
#: What the text index splits at.
_WHITE_SPACE = frozenset(" \t\n\f\r")
#: Filters whose answer a snapshot remembers.
_FILTERS = 32
#: Up to so many chunks inside a filter, their leaves are fetched by id rather than by reading all vectors.
_FEW = 500


class LanceSnapshot:
    """A state of a collection on disk. Later commits, compaction included, do not change it."""

    def __init__(self, path: Path, head: Head, lease: Lease | None) -> None:
        """Open the tables that ``head`` names; ``lease`` keeps their files there."""
        self.version = head.version
        self.contract = head.contract
        self._path, self._head, self._lease = path, head, lease
        self._tables = open_tables(path, head)
        self._filters: dict[str, Positions] = {}

    def documents(self) -> list[DocumentRecord]:
        """Return all documents sorted by uri, without their text."""
        return list(self._documents)

    def document(self, doc_id: str) -> DocumentRecord | None:
        """Return one document with its text."""
        table = self._select("documents", coding.DOCUMENT_COLUMNS, is_one_of("doc_id", [doc_id]))
        found = coding.document_records(table.to_pylist())
        return found[0] if found else None

    def chunks(self, *, ids: Sequence[str] | None = None, doc_id: str | None = None) -> list[ChunkRecord]:
        """Return chunks by id in the order asked, or of one document in ordinal order."""
        if (ids is None) == (doc_id is None):
            raise UsageError("chunks: give either ids or doc_id.")
        if ids is not None:
            tables = self._by_ids("chunks", coding.CHUNK_COLUMNS, "chunk_id", ids)
            found = (record for table in tables for record in coding.chunk_records(table.to_pylist()))
            by_id = {record.chunk.id: record for record in found}
            return [by_id[i] for i in ids if i in by_id]
        table = self._select("chunks", coding.CHUNK_COLUMNS, is_one_of("doc_id", [doc_id or ""]))
        return sorted(coding.chunk_records(table.to_pylist()), key=lambda r: (r.chunk.ordinal, r.chunk.id))

    def leaves(self, chunk_ids: Sequence[str]) -> list[LeafRecord]:
        """Return the leaves of some chunks, in the order of the chunks, then of their spans."""
        if "leaves" not in self._tables:
            return []
        order = {chunk: n for n, chunk in enumerate(chunk_ids)}
        tables = self._by_ids("leaves", coding.LEAF_COLUMNS, "chunk_id", list(order))
        found = [leaf for table in tables for leaf in coding.leaf_records(table)]
        return sorted(found, key=lambda leaf: (order[leaf.chunk_id], leaf.span.start if leaf.span else -1, leaf.id))

    def lexical(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[tuple[str, float]]:
        """Return chunks that have at least one term, best first by the engine's BM25."""
        condition = where_sql(where)
        asked = [t for t in dict.fromkeys(terms) if t and _WHITE_SPACE.isdisjoint(t)]  # no stored term has any
        if not asked or limit <= 0:
            return []
        with guarded(self._path, "searching the text index"):
            query = self._tables["chunks"].search(match_any(storable(" ".join(asked))))
            if condition is not None:
                query = query.where(condition, prefilter=True)
            table = query.select(["chunk_id", "_score"]).limit(limit).to_arrow()
        pairs = zip(table.column("chunk_id").to_pylist(), table.column("_score").to_pylist(), strict=True)
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    def phrase(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[str]:
        """Return ids of chunks that have the terms side by side, in the order of the ids.

        The exact statistics name the chunks that have all terms; their text decides.
        """
        import numpy as np

        inside = self._inside(where)
        if not terms or limit <= 0:
            return []
        found = inside
        for term in dict.fromkeys(terms):
            having = self._lexicon.having(term)
            found = having if found is None else np.intersect1d(found, having, assume_unique=True)
        wanted = storable(f" {' '.join(terms)} ")
        ids = [self._chunk_ids[int(n)].as_py() for n in found] if found is not None else []
        tables = self._by_ids("chunks", ("chunk_id", "terms"), "chunk_id", ids)
        rows = (row for table in tables for row in table.to_pylist())
        return sorted(row["chunk_id"] for row in rows if wanted in f" {row['terms']} ")[:limit]

    def dense(self, vector: Sequence[float], where: Filter | None, limit: int) -> list[tuple[str, str, float]]:
        """Return the best leaf of each chunk by exact cosine."""
        check_vector(vector, self.contract.dims, "Query")
        inside = self._inside(where)
        if "leaves" not in self._tables or limit <= 0:
            return []
        ids = self._chunk_ids
        found = nearest(self._blocks(inside), vector, len(ids), inside, limit)
        hits = [(ids[position].as_py(), leaf, score) for position, leaf, score in found]
        return sorted(hits, key=lambda hit: (-hit[2], hit[0]))

    def statistics(self, terms: Sequence[str], where: Filter | None) -> Statistics:
        """Return exact statistics over the chunks inside the filter."""
        import numpy as np

        inside = self._inside(where)
        frequencies: dict[str, int] = {}
        for term in terms:
            having = self._lexicon.having(term)
            found = having if inside is None else np.intersect1d(inside, having, assume_unique=True)
            frequencies[term] = len(found)
        return LexicalStatistics(
            chunks=len(self._chunk_ids) if inside is None else len(inside),
            average_length=self._lexicon.average_length(inside),
            frequencies=frequencies,
        )

    def facets(self, field: str, where: Filter | None) -> dict[str, int]:
        """Return how many chunks have each value, the most frequent first."""
        check_field(field)
        counts = coding.facet_counts(self._select("chunks", (field,), where_sql(where)).column(field).combine_chunks())
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def count(self) -> dict[str, int]:
        """Return the number of documents, chunks and leaves."""
        return {"documents": 0, "chunks": 0, "leaves": 0} | dict(self._head.counts)

    @cached_property
    def _documents(self) -> tuple[DocumentRecord, ...]:
        found = coding.document_records(self._select("documents", ("detail",), None).to_pylist())
        return tuple(sorted(found, key=lambda d: (d.uri, d.id)))

    # How a table is read.

    def _select(self, name: str, columns: Sequence[str], condition: str | None, *, row_ids: bool = False) -> pa.Table:
        with guarded(self._path, f"reading {name}"):
            query = self._tables[name].search().select(list(columns)).limit(None)
            if condition is not None:
                query = query.where(condition)
            return (query.with_row_id(True) if row_ids else query).to_arrow()

    def _by_ids(self, name: str, columns: Sequence[str], column: str, ids: Sequence[str]) -> Iterator[pa.Table]:
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), _BATCH):
            condition = is_one_of(column, wanted[start : start + _BATCH])
            yield self._select(name, columns, condition)

    # Row numbers, and what is remembered by them.

    @cached_property
    def _rows(self) -> pa.Table:
        """Id and row id of every chunk by position."""
        return self._ordered(("chunk_id",))

    @cached_property
    def _row_ids(self) -> Positions:
        row_ids: Positions = self._rows.column("_rowid").to_numpy()
        return row_ids

    @cached_property
    def _chunk_ids(self) -> pa.Array:
        return self._rows.column("chunk_id").combine_chunks()

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self._ordered(("length", "term_keys")))

    def _ordered(self, columns: Sequence[str]) -> pa.Table:
        """Return columns of all chunks in the order of their row ids, which is nearly always the order of reading."""
        table = self._select("chunks", columns, None, row_ids=True)
        row_ids = table.column("_rowid").to_numpy()
        return table if (row_ids[1:] > row_ids[:-1]).all() else table.sort_by("_rowid")

    def _inside(self, where: Filter | None) -> Positions | None:
        """Return the positions of the chunks inside a filter, ascending; None for all."""
        import numpy as np

        condition = where_sql(where)
        if condition is None:
            return None
        found = self._filters.get(condition)
        if found is None:
            table = self._select("chunks", ("ordinal",), condition, row_ids=True)
            found = np.searchsorted(self._row_ids, np.sort(table.column("_rowid").to_numpy()))
            if len(self._filters) >= _FILTERS:
                self._filters.clear()
            self._filters[condition] = found
        return found

    @cached_property
    def _vectors(self) -> Vectors:
        return Vectors(self._head.counts.get("leaves", 0), self.contract.dims)

    def _read_leaves(self, condition: str | None = None) -> Iterator[pa.RecordBatch]:
        with guarded(self._path, "reading leaves"):
            query = self._tables["leaves"].search().select(["leaf_id", "chunk_id", "vector"]).limit(None)
            if condition is not None:
                query = query.where(condition)
            yield from query.to_batches(16384)

    def _blocks(self, inside: Positions | None) -> Iterator[Block]:
        ids = self._chunk_ids
        if inside is not None and len(inside) <= _FEW and not self._vectors.loaded:
            few = is_one_of("chunk_id", [ids[int(n)].as_py() for n in inside])
            return (block(batch, ids) for batch in self._read_leaves(few))
        return self._vectors.blocks(self._read_leaves, ids)
