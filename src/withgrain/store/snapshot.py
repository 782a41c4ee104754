"""One committed state on disk, to read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import UsageError
from withgrain.model import (
    Candidates,
    ChunkRecord,
    DocumentRecord,
    Filter,
    LeafRecord,
    RetiredRecord,
    Span,
)
from withgrain.store import centroids
from withgrain.store import rows as coding
from withgrain.store.block import COLUMNS, block
from withgrain.store.candidates import LightRows
from withgrain.store.checks import check_vector
from withgrain.store.codec import documents_from
from withgrain.store.engine import match_any
from withgrain.store.failures import guarded
from withgrain.store.head import Head
from withgrain.store.inside import Filtered
from withgrain.store.lock import Lease
from withgrain.store.matching import check_filter
from withgrain.store.reading import BATCH, VECTOR_ROWS, Reader, np_positions
from withgrain.store.remembered import Remembered
from withgrain.store.retired import followed
from withgrain.store.sql import is_one_of, quote, storable
from withgrain.store.token_codes import COLUMNS as CODES
from withgrain.store.token_codes import TokenCodes
from withgrain.store.values import FieldValues
from withgrain.store.vectors import Vectors, nearest, scored
from withgrain.types import Statistics

if TYPE_CHECKING:
    from withgrain.store.lexicon import Positions

#: What the text index splits at.
_WHITE_SPACE = frozenset(" \t\n\f\r")
#: Up to so many chunks inside a filter, their leaves are fetched by id rather than by reading all vectors.
_FEW = 500
#: Whole chunks that are remembered (some 10 kB each); who reads more at once reads through, and is not remembered.
_RECORDS = 3000
_READ_TOGETHER = 200
#: Of more documents than this, who asks for the details of some gets these alone, up to so many times; then, and of
#: fewer, out of those of all (35 microseconds each).
MANY_DOCUMENTS = 1000
_LISTED_BEFORE = 12
#: Documents are remembered with their texts, up to so many characters.
_CHARACTERS = 16_000_000


class LanceSnapshot:
    """A state of a collection on disk. Later commits, compaction included, do not change it."""

    def __init__(self, path: Path, head: Head, lease: Lease | None) -> None:
        """Open the tables that ``head`` names; ``lease`` keeps their files there."""
        self.version = head.version
        self.contract = head.contract
        self._path, self._head, self._lease = path, head, lease
        self._reader = Reader(path, head)
        self._light = LightRows(self._reader)
        self._values = FieldValues(self._reader)
        self._filtered = Filtered(self._reader, self._light)
        self._listed = 0
        self._records: Remembered[int, ChunkRecord] = Remembered(_RECORDS)
        self._texts: Remembered[str, DocumentRecord] = Remembered(_CHARACTERS, lambda d: len(d.text) + 1000)

    def documents(self, ids: Sequence[str] | None = None) -> list[DocumentRecord]:
        """Return documents sorted by uri, without their text."""
        if ids is None:
            return list(self._documents)
        self._listed += 1
        if self._many and self._listed <= _LISTED_BEFORE and len(ids) <= BATCH:
            return self._details(is_one_of("doc_id", list(dict.fromkeys(ids))))
        known = self._by_id
        return sorted((known[i] for i in set(ids) if i in known), key=lambda d: (d.uri, d.id))

    def documents_called(self, path: str) -> list[str]:
        """Return the documents whose uri is, or ends with, a path, in the order of their uris."""
        return self._values.documents_called(path)

    def document(self, doc_id: str) -> DocumentRecord | None:
        """Return one document with its text."""
        return self._texts.all([doc_id], self._read_documents).get(doc_id)

    def chunks(self, *, ids: Sequence[str] | None = None, doc_id: str | None = None) -> list[ChunkRecord]:
        """Return chunks by id in the order asked, or of one document in ordinal order."""
        if (ids is None) == (doc_id is None):
            raise UsageError("chunks: give either ids or doc_id.")
        if ids is not None:
            wanted = [p for p in self._reader.positions(ids).tolist() if p >= 0]
            known = self._records.all(wanted, self._read_chunks) if len(ids) <= _READ_TOGETHER else None
            return [known[p] for p in wanted] if known is not None else [r for _, r in self._read_chunks(wanted)]
        return self._chunks_where(is_one_of("doc_id", [doc_id or ""]))

    def pending(self) -> list[str]:
        """Return the ids of the documents of which a leaf waits for its vector."""
        counts = self.count()
        if counts["vectors"] == counts["leaves"]:
            return []
        found = self._reader.select("leaves", ("doc_id",), "pending").column("doc_id")
        return sorted(set(found.to_pylist()))

    def sections(self, section_id: str) -> list[ChunkRecord]:
        """Return the chunks of a section, in ordinal order."""
        if self._reader.existing("chunks", ("parent_id",)):
            return self._chunks_where(is_one_of("parent_id", [section_id]))
        written = quote(f'"parent_id":{json.dumps(section_id)}')  # an old schema has it in the detail only
        return [r for r in self._chunks_where(f"contains(detail, {written})") if r.chunk.parent_id == section_id]

    def candidates(self, ids: Sequence[str], terms: Sequence[str] = ()) -> Candidates:
        """Return light rows for ranking, in the order asked."""
        return self._light.of(ids, terms)

    def retired(self, ids: Sequence[str]) -> list[RetiredRecord]:
        """Return what became of ids that are no longer there."""
        return followed(ids, self._retired) if "retired" in self._reader.tables else []

    def all_retired(self) -> list[RetiredRecord]:
        """Return every retired id as it was written."""
        if "retired" not in self._reader.tables:
            return []
        table = self._reader.select("retired", coding.RETIRED_COLUMNS, None)
        return sorted(coding.retired_records(table.to_pylist()), key=lambda r: r.id)

    def languages(self) -> tuple[str, ...]:
        """Return the languages of the documents, sorted."""
        if not self._reader.existing("documents", ("language",)):
            return ()
        return self._languages

    def roots(self) -> tuple[str, ...]:
        """Return the names of the roots, sorted."""
        return self._roots

    def document_vectors(self, ids: Sequence[str] | None = None) -> dict[str, tuple[float, ...]]:
        """Return the vector of each document: the weighted mean of its leaves."""
        found, matrix = self._means if ids is None else self._means_of(ids)
        return dict(zip(found, map(tuple, matrix.tolist()), strict=True))

    def similar_documents(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Return the documents whose vectors are nearest."""
        check_vector(vector, self.contract.dims, "Query")
        return centroids.most_similar(*self._means, vector, limit)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return body, headings, title and markers of chunks."""
        return self._light.texts(ids)

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the bodies of chunks."""
        return self._light.bodies(ids)

    def leaves(self, chunk_ids: Sequence[str]) -> list[LeafRecord]:
        """Return the leaves of some chunks, in the order of the chunks, then of their spans."""
        if "leaves" not in self._reader.tables:
            return []
        order = {chunk: n for n, chunk in enumerate(chunk_ids)}
        tables = self._reader.by_ids("leaves", coding.LEAF_COLUMNS, "chunk_id", list(order))
        found = [leaf for table in tables for leaf in coding.leaf_records(table)]
        return sorted(found, key=lambda leaf: (order[leaf.chunk_id], leaf.span.start if leaf.span else -1, leaf.id))

    def token_codes(self, chunk_ids: Sequence[str]) -> dict[str, list[bytes]]:
        """Return the token codes of the leaves of some chunks; a chunk with a leaf that has none is left out."""
        return self._token_codes.of(chunk_ids) if self._token_codes is not None else {}

    def leaf_spans(self, chunk_ids: Sequence[str]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id."""
        if "leaves" not in self._reader.tables:
            return {}
        counts = self.count()
        if self._vectors.loaded and counts["vectors"] == counts["leaves"]:
            positions = self._reader.positions(chunk_ids)
            return self._vectors.spans(positions[positions >= 0].tolist())
        tables = self._reader.by_ids("leaves", ("leaf_id", "start", "end"), "chunk_id", chunk_ids)
        rows = (row for table in tables for row in table.to_pylist())
        return {r["leaf_id"]: coding.span(r) for r in rows}

    def lexical(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[tuple[str, float]]:
        """Return chunks that have at least one term, best first by BM25 over all chunks.

        A collection of an old schema has no exact counts: there the engine's text index answers.
        """
        check_filter(where)
        asked = [t for t in dict.fromkeys(terms) if t and _WHITE_SPACE.isdisjoint(t)]  # no stored term has any
        if not asked or limit <= 0:
            return []
        lexicon, inside = self._reader.lexicon, self._filtered.by(where)
        if lexicon.counted:
            rows, scores = lexicon.best(asked, inside.inside, limit, again=inside.asked > 0)
            inside.asked += 1
            ids = self._reader.names(rows)
            return [(i, -negative) for negative, i in sorted(zip((-scores).tolist(), ids, strict=True))[:limit]]
        condition = self._reader.condition(where)
        with guarded(self._path, "searching the text index"):
            query = self._reader.tables["chunks"].search(match_any(storable(" ".join(asked))))
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

        inside = self._filtered.by(where)
        if not terms or limit <= 0:
            return []
        having = sorted((self._reader.lexicon.having(term) for term in dict.fromkeys(terms)), key=len)
        found = having[0]  # the rarest term: few places to look for in the others
        found = found if inside.flags is None else found[inside.flags[found]]
        for other in having[1:]:
            found = found[other[np.minimum(np.searchsorted(other, found), len(other) - 1)] == found]
        wanted = storable(f" {' '.join(terms)} ")
        position = dict(zip(self._reader.names(found), found.tolist(), strict=True))
        names, there = sorted(position), list[str]()
        for start in range(0, len(names), _READ_TOGETHER):
            some = names[start : start + _READ_TOGETHER]
            texts = self._reader.chunks(np_positions([position[i] for i in some]), ("terms",)).column("terms")
            there += [i for i, text in zip(some, texts.to_pylist(), strict=True) if wanted in f" {text} "]
            if len(there) >= limit:
                break
        return there[:limit]

    def dense(
        self, vector: Sequence[float], where: Filter | None, limit: int, beside: Sequence[str] = ()
    ) -> list[tuple[str, str, float]]:
        """Return the best leaf of each chunk by cosine; see `withgrain.types.Snapshot.dense`."""
        check_vector(vector, self.contract.dims, "Query")
        inside = self._filtered.by(where)
        if "leaves" not in self._reader.tables or limit <= 0:
            return []
        others = inside.among(self._reader.positions(beside)) if beside else None
        found = self._nearest(vector, inside.positions, limit, others)
        names = self._reader.names(np_positions([position for position, _, _ in found]))
        hits = [(-score, name, leaf) for name, (_, leaf, score) in zip(names, found, strict=True)]
        return [
            (name, leaf, -negative) for some in (hits[:limit], hits[limit:]) for negative, name, leaf in sorted(some)
        ]

    def statistics(self, terms: Sequence[str], where: Filter | None) -> Statistics:
        """Return exact statistics over the chunks inside the filter."""
        return self._filtered.by(where).statistics(self._reader.lexicon, terms)

    def facets(self, field: str, where: Filter | None) -> dict[str, int]:
        """Return how many chunks have each value, the most frequent first."""
        named = self._filtered.listed(where) if field == "chunk_id" and where is not None else None
        if named is not None:
            return dict.fromkeys(sorted(self._reader.names(named)), 1)
        return self._values.counted(field, where)

    def count(self) -> dict[str, int]:
        """Return the number of documents, chunks and leaves."""
        return self._head.totals()

    def copy_table(self, name: str, file: Path) -> int:
        """Write the typed columns of a table (not our own encodings) as a Parquet file; return the number of rows.

        Raises:
            Unavailable: The file cannot be written.
            IntegrityError: The table cannot be read.
        """
        from pyarrow import parquet

        if name not in self._reader.tables:
            return 0
        columns = [c for c in self._reader.tables[name].schema.names if c not in coding.ENCODED]
        schema = self._reader.tables[name].schema
        rows = 0
        with (
            guarded(file, "writing"),
            parquet.ParquetWriter(file, coding.subschema(schema, columns), compression="zstd") as out,
        ):
            for batch in self._reader.batches(name, columns):
                out.write_batch(batch.select(columns))
                rows += batch.num_rows
        return rows

    @property
    def _many(self) -> bool:
        """Whether all documents are too many to be decoded for a question or two, and are not yet."""
        return self._head.counts.get("documents", 0) > MANY_DOCUMENTS and "_documents" not in vars(self)

    @cached_property
    def _documents(self) -> tuple[DocumentRecord, ...]:
        return tuple(self._details(None))

    def _details(self, condition: str | None) -> list[DocumentRecord]:
        """Return documents without their text, sorted."""
        details = self._reader.select("documents", ("detail",), condition).column("detail")
        return sorted(documents_from(details.to_pylist()), key=attrgetter("uri", "id"))

    @cached_property
    def _by_id(self) -> dict[str, DocumentRecord]:
        return {d.id: d for d in self._documents}

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        """The chunks name the roots of their documents, and hardly a document has none: so few are decoded."""
        import pyarrow.compute as pc

        if self._many and self._reader.existing("chunks", ("root",)):
            chunks = self._reader.select("chunks", ("root", "doc_id"), None)
            if pc.count_distinct(chunks.column("doc_id")).as_py() == self.count()["documents"]:
                return tuple(sorted(pc.unique(chunks.column("root")).to_pylist()))
        return tuple(sorted({d.root for d in self._documents}))

    @cached_property
    def _languages(self) -> tuple[str, ...]:
        found = self._reader.select("documents", ("language",), None).column("language")
        return tuple(sorted(set(found.to_pylist()) - {""}))

    @cached_property
    def _means(self) -> tuple[list[str], centroids.Matrix]:
        return self._means_of(None)

    def _means_of(self, ids: Sequence[str] | None) -> tuple[list[str], centroids.Matrix]:
        leaves = "leaves" in self._reader.tables
        condition = None if ids is None else is_one_of("doc_id", ids)
        batches = self._reader.batches("leaves", centroids.COLUMNS, condition) if leaves else iter(())
        return centroids.means(batches, self.contract.dims)

    def _read_documents(self, ids: Sequence[str]) -> list[tuple[str, DocumentRecord]]:
        return [(d.id, d) for d in coding.document_records(self._reader.documents(ids).to_pylist())]

    def _read_chunks(self, positions: Sequence[int]) -> list[tuple[int, ChunkRecord]]:
        records = coding.chunk_records(self._reader.chunks(np_positions(positions)).to_pylist())
        return list(zip(positions, records, strict=True))

    def _chunks_where(self, condition: str) -> list[ChunkRecord]:
        table = self._reader.select("chunks", coding.CHUNK_COLUMNS, condition)
        return sorted(coding.chunk_records(table.to_pylist()), key=lambda r: (r.chunk.ordinal, r.chunk.id))

    def _retired(self, ids: Sequence[str]) -> Iterator[RetiredRecord]:
        for table in self._reader.by_ids("retired", coding.RETIRED_COLUMNS, "old_id", ids):
            yield from coding.retired_records(table.to_pylist())

    def warm(self) -> None:
        """Have at hand what every question needs: for a process that will be asked often.

        Else it is read when it is first needed; what only pays for who asks often, from the second or third question.
        """
        self._reader.lexicon.warm()
        self._light.warm()
        self._reader.warm()
        self._by_id  # noqa: B018  # made on first use
        if "leaves" in self._reader.tables:
            self._vectors.warm(self._reader.chunk_ids)

    @cached_property
    def _vectors(self) -> Vectors:
        read = partial(self._reader.batches, "leaves", COLUMNS, rows=VECTOR_ROWS)
        return Vectors(read, self._head.counts.get("leaves", 0), self.contract.dims, self._path)

    @cached_property
    def _token_codes(self) -> TokenCodes | None:
        """The token codes; None for a collection without vectors, and for one of an older schema."""
        reader, columns = self._reader, CODES
        if "leaves" not in reader.tables or reader.existing("leaves", columns) != list(columns):
            return None
        return TokenCodes(
            partial(reader.batches, "leaves", columns),
            partial(reader.by_ids, "leaves", columns, "chunk_id"),
            self._head.counts.get("leaves", 0),
        )

    def _nearest(
        self, vector: Sequence[float], inside: Positions | None, limit: int, beside: Positions | None
    ) -> list[tuple[int, str, float]]:
        ids = self._reader.chunk_ids
        if inside is None or len(inside) > _FEW or self._vectors.loaded:
            return self._vectors.nearest(vector, ids, inside, limit, beside)
        few = is_one_of("chunk_id", [ids[int(n)].as_py() for n in inside])
        parts = (scored(block(batch, ids), vector) for batch in self._reader.batches("leaves", COLUMNS, few))
        return nearest(parts, len(ids), inside, limit, beside)
