"""Every row of a state, decoded, encoded again and compared with what is stored, and the tables with one another."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from withgrain.model import (
    SCHEMA_VERSION,
    ChunkRecord,
    Contract,
    DocumentRecord,
    LeafRecord,
    Problem,
    RetiredRecord,
)
from withgrain.store import rows as coding
from withgrain.store.head import Head
from withgrain.store.reading import Reader
from withgrain.store.sql import is_one_of

#: Documents that are checked together, with all their rows in memory.
_GROUP = 64
#: How far the length of a vector that should be 1 may be from it.
_TOLERANCE = 1e-3
#: Problems of one kind that are listed one by one.
_LISTED = 100

_MIGRATE = "withgrain migrate"
#: What is said of a leaf that waits for its vector: no damage where vectors are lazy.
PENDING = "Its vector is still to be made."
_INGEST = "withgrain ingest PATH (the folder that holds it)"
_COMPACT = "withgrain collection compact"


@dataclass(slots=True)
class Found:
    """What a check has found so far."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, where: str, what: str, mend: str) -> None:
        """Note a problem; of very many of one kind, the first are listed and the rest counted."""
        self.kinds[kind] += 1
        if self.kinds[kind] <= _LISTED:
            self.problems.append(Problem(kind=kind, where=where, what=what, mend=mend))
        elif self.kinds[kind] == _LISTED + 1:
            self.problems.append(Problem(kind=kind, where="…", what="There are more of this kind.", mend=mend))


def check_rows(reader: Reader, head: Head, found: Found) -> None:
    """Check every row of a state.

    Raises:
        IntegrityError: A table cannot be read.
    """
    documents = _ids(reader, "documents", ("doc_id",))
    chunks = _ids(reader, "chunks", ("chunk_id", "doc_id"))
    leaves = _ids(reader, "leaves", ("leaf_id", "chunk_id", "doc_id")) if "leaves" in reader.tables else []
    retired = _ids(reader, "retired", ("old_id",)) if "retired" in reader.tables else []
    for name, ids in (("documents", documents), ("chunks", chunks), ("leaves", leaves), ("retired", retired)):
        _check_unique(name, (row[0] for row in ids), found)
        if head.counts.get(name, 0) != len(ids):
            found.add(
                "count", name, f"There are {len(ids):,} rows, the state has {head.counts.get(name, 0):,}.", _MIGRATE
            )
        found.checked[name] = len(ids)
    owners = {row[0]: row[1] for row in chunks}
    _check_orphans({row[0] for row in documents}, owners, leaves, found)
    compare = head.contract.schema == SCHEMA_VERSION
    doc_ids = sorted({row[0] for row in documents})
    for start in range(0, len(doc_ids), _GROUP):
        _check_group(reader, head.contract, doc_ids[start : start + _GROUP], compare=compare, found=found)
    if "retired" in reader.tables:
        _check_retired(reader, {*owners, *doc_ids}, found)


def _ids(reader: Reader, name: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
    table = reader.select(name, columns, None)
    return list(zip(*(table.column(c).to_pylist() for c in columns), strict=True))


def _check_unique(name: str, ids: Iterable[str], found: Found) -> None:
    for i, n in Counter(ids).items():
        if n > 1:
            found.add("duplicate", f"{name} {i}", f"The id is there {n} times.", _MIGRATE)


def _check_orphans(
    documents: set[str], owners: Mapping[str, str], leaves: Iterable[tuple[str, ...]], found: Found
) -> None:
    for chunk, doc in owners.items():
        if doc not in documents:
            found.add("orphan", f"chunks {chunk}", f"Its document {doc} is not there.", _MIGRATE)
    for leaf, chunk, doc in leaves:
        if owners.get(chunk) != doc:
            found.add("orphan", f"leaves {leaf}", f"Its chunk {chunk} is not in document {doc}.", _MIGRATE)


def _check_group(reader: Reader, contract: Contract, doc_ids: Sequence[str], *, compare: bool, found: Found) -> None:
    condition = is_one_of("doc_id", doc_ids)
    documents = list(_decoded(reader, "documents", condition, compare=compare, found=found))
    chunks: defaultdict[str, list[ChunkRecord]] = defaultdict(list)
    for record in _decoded(reader, "chunks", condition, compare=compare, found=found):
        chunks[record.chunk.doc_id].append(record)
    leaves: defaultdict[str, list[LeafRecord]] = defaultdict(list)
    if "leaves" in reader.tables:
        for leaf in _decoded(reader, "leaves", condition, compare=compare, found=found):
            leaves[leaf.doc_id].append(leaf)
    for document in documents:
        _check_document(document, contract, chunks[document.id], found)
        _check_vectors(document, contract, chunks[document.id], leaves[document.id], found)


def _decoded(reader: Reader, name: str, condition: str, *, compare: bool, found: Found) -> Iterator[Any]:
    """Yield the records of a table; rows that are not what they are made of are noted."""
    table = reader.select(name, reader.tables[name].schema.names, condition)
    records = _records(name, table)
    if compare:
        made = coding.arrow_table([_row(record) for record in records], table.schema)
        for have, want in zip(table.to_pylist(), made.to_pylist(), strict=True):
            wrong = [column for column, value in have.items() if not _same(value, want[column])]
            if wrong:
                where = f"{name} {have[coding.IDS[name]]}"
                found.add("row", where, f"What is stored in {', '.join(wrong)} is not what was written.", _MIGRATE)
    yield from records


def _records(name: str, table: Any) -> Sequence[Any]:
    if name == "leaves":
        return coding.leaf_records(table)
    rows = table.to_pylist()
    if name == "documents":
        return coding.document_records(rows)
    return coding.chunk_records(rows) if name == "chunks" else coding.retired_records(rows)


def _row(record: DocumentRecord | ChunkRecord | LeafRecord | RetiredRecord) -> coding.Row:
    if isinstance(record, DocumentRecord):
        return coding.document_row(record)
    if isinstance(record, ChunkRecord):
        return coding.with_columns(coding.chunk_row(record))
    return coding.leaf_row(record) if isinstance(record, LeafRecord) else coding.retired_row(record)


def _same(have: Any, want: Any) -> bool:
    if isinstance(have, list) and isinstance(want, list) and len(have) == len(want):
        return all(map(_same, have, want))
    if isinstance(have, float) and isinstance(want, float):
        return have == want or (math.isnan(have) and math.isnan(want))
    return bool(have == want)


def _check_document(document: DocumentRecord, contract: Contract, chunks: Sequence[ChunkRecord], found: Found) -> None:
    where = document.uri
    if document.chunks != len(chunks):
        found.add("count", where, f"It has {len(chunks)} chunks, its record says {document.chunks}.", _MIGRATE)
    if document.contract != contract.fingerprint:
        found.add("stale_contract", where, "It was written under another contract.", _INGEST)
    if document.stale:
        found.notes.append(f"{where} is older than its file: {document.stale}")
    ordered = sorted(chunks, key=lambda r: r.chunk.ordinal)
    if [r.chunk.ordinal for r in ordered] != list(range(len(ordered))):
        found.add("count", where, "Its chunks are not numbered in one row.", _MIGRATE)
    end = 0
    for record in ordered:
        span = record.chunk.span
        if span is None:
            continue
        if document.text[span.start : span.end] != record.chunk.body or span.end > len(document.text):
            found.add("span", f"{where} chunk {record.chunk.id}", "Its body is not at its span in the text.", _MIGRATE)
        elif span.start < end:
            found.add("span", f"{where} chunk {record.chunk.id}", "It overlaps the chunk before.", _MIGRATE)
        end = max(end, span.end)


def _check_vectors(
    document: DocumentRecord,
    contract: Contract,
    chunks: Sequence[ChunkRecord],
    leaves: Sequence[LeafRecord],
    found: Found,
) -> None:
    if not contract.dims:
        return
    have = {leaf.chunk_id for leaf in leaves}
    for record in chunks:
        if record.chunk.id not in have and record.chunk.body.strip():
            found.add("vector_missing", f"{document.uri} chunk {record.chunk.id}", "It has no vector.", _INGEST)
    for leaf in leaves:
        where = f"{document.uri} leaf {leaf.id}"
        if leaf.span is not None and leaf.span.end > len(document.text):
            found.add("span", where, "Its span ends behind the text.", _MIGRATE)
        if not leaf.vector:
            found.add("vector_missing", where, PENDING, _INGEST)
            continue
        length = math.sqrt(math.fsum(x * x for x in leaf.vector))
        if not math.isfinite(length) or (contract.normalised and abs(length - 1) > _TOLERANCE):
            found.add("vector_wrong", where, f"Its vector has the length {length:.4g}.", _MIGRATE)


def _check_retired(reader: Reader, alive: set[str], found: Found) -> None:
    for record in _decoded(reader, "retired", "true", compare=True, found=found):
        if record.id in alive:
            found.add("retired", f"retired {record.id}", "The id is retired, and there.", _COMPACT)
