"""Records as rows of Arrow tables: one table a kind, a hash a row, the payload in typed columns.

What rebuilds a record is in few columns (``detail`` is JSON, the long texts stand beside it); the typed columns are
copies that filters, facets and other programs read. Lone surrogates are no UTF-8: the columns hold a replacement, and
``exact`` the original as JSON.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from withgrain.model import FIELDS, ChunkRecord, DocumentRecord, LeafRecord, RetiredRecord, Span
from withgrain.store.checks import float32_bytes
from withgrain.store.codec import chunk_from, chunk_json, document_from, document_json
from withgrain.store.payload import payload
from withgrain.store.sql import storable

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
#: Columns that rebuild a record of each kind.
DOCUMENT_COLUMNS = ("detail", "text", "removed", "exact")
CHUNK_COLUMNS = ("chunk_id", "doc_id", "detail", "body", "terms", "exact")
LEAF_COLUMNS = ("leaf_id", "chunk_id", "doc_id", "start", "end", "tokens", "vector", "token_codes")
RETIRED_COLUMNS = ("old_id", "doc_id", "path", "start", "end", "successor", "reason")
#: Columns of a chunk that ranking reads.
CANDIDATE_COLUMNS = (
    *("doc_id", "title", "heading_path", "kind", "quality", "ordinal", "total", "parent_id", "identifiers", "markers"),
)
#: Column with the id of a row, by table.
IDS = {"documents": "doc_id", "chunks": "chunk_id", "leaves": "leaf_id", "retired": "old_id"}
#: Columns that mean something to this package only.
ENCODED = frozenset({"detail", "exact", "hash", "term_keys", "term_counts", "removed", "pending"})
#: Tables whose rows belong to a document and go with it.
OWNED = ("documents", "chunks", "leaves")


def schemas(dims: int) -> dict[str, pa.Schema]:
    """Return the Arrow schema of each table; without leaves when there are no vectors."""
    import pyarrow as pa

    text, long, digest = pa.string(), pa.int64(), pa.binary(16)
    types = {"text": text, "list": pa.list_(text), "number": long}
    tables = {
        "documents": pa.schema(
            [
                *((name, text) for name in ("doc_id", "uri", "title", "language", "detail", "text", "exact")),
                ("removed", pa.list_(long)),
                ("hash", digest),
            ]
        ),
        "chunks": pa.schema(
            [
                *((name, types[kind]) for name, kind in FIELDS.items()),
                *((name, text) for name in ("detail", "body", "terms", "exact")),
                ("identifiers", pa.list_(text)),
                ("length", pa.int32()),
                ("term_keys", pa.list_(long)),
                ("term_counts", pa.list_(pa.int32())),
                ("hash", digest),
            ]
        ),
        "retired": pa.schema(
            [
                *((name, text) for name in ("old_id", "doc_id", "path", "successor", "reason")),
                ("start", long),
                ("end", long),
                ("hash", digest),
            ]
        ),
    }
    if dims:
        tables["leaves"] = pa.schema(
            [
                *((name, text) for name in ("leaf_id", "chunk_id", "doc_id")),
                ("start", long),
                ("end", long),
                ("tokens", pa.int32()),
                ("pending", pa.bool_()),
                ("vector", pa.list_(pa.float32(), dims)),
                ("token_codes", pa.binary()),
                ("hash", digest),
            ]
        )
    return tables


def subschema(schema: pa.Schema, columns: Sequence[str]) -> pa.Schema:
    """Return some columns of a schema."""
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in columns])


def _hash(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _exact(**texts: str) -> str:
    """Return JSON of the texts that a column cannot hold; empty when there is none."""
    odd = {name: text for name, text in texts.items() if storable(text) is not text}
    return json.dumps(odd) if odd else ""


@lru_cache(maxsize=200_000)
def term_key(term: str) -> int:
    """Return 64 bits of a hash of a term: what the statistics compare instead of the text.

    Two of a million distinct terms share a key with a probability of 3e-8.
    """
    return int.from_bytes(blake2b(_bytes(term), digest_size=8).digest(), "little", signed=True)


def split_terms(terms: str) -> list[str]:
    """Return the terms of a chunk; they are separated by one space."""
    return [t for t in terms.split(" ") if t]


def document_row(record: DocumentRecord) -> Row:
    """Return the row of a document."""
    detail = document_json(record)
    removed = array("q", record.removed)
    return {
        "doc_id": record.id,
        "uri": storable(record.uri),
        "title": storable(record.title),
        "language": storable(record.language),
        "detail": detail,
        "text": storable(record.text),
        "exact": _exact(text=record.text),
        "removed": record.removed,
        "hash": _hash(_bytes(detail), _bytes(record.text), removed.tobytes()),
    }


def chunk_row(record: ChunkRecord) -> Row:
    """Return the row of a chunk, without the columns that `with_columns` adds."""
    detail, body, terms = chunk_json(record), record.chunk.body, record.terms
    return {
        "chunk_id": record.chunk.id,
        "record": record,
        "detail": detail,
        "hash": _hash(_bytes(record.chunk.doc_id), _bytes(detail), _bytes(body), _bytes(terms)),
    }


def with_columns(row: Row) -> Row:
    """Return the whole row of a chunk. Apart from `chunk_row`, because rows that are already stored need no columns."""
    record: ChunkRecord = row["record"]
    terms = split_terms(record.terms)
    counts = Counter(terms)
    values: Row = {name: _storable(value) for name, value in payload(record).items()}
    return values | {
        "detail": row["detail"],
        "hash": row["hash"],
        "body": storable(record.chunk.body),
        "terms": storable(record.terms),
        "exact": _exact(body=record.chunk.body, terms=record.terms),
        "identifiers": _storable(record.chunk.facts.identifiers()),
        "length": len(terms),
        "term_keys": list(map(term_key, counts)),
        "term_counts": list(counts.values()),
    }


def _storable(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else storable(value)
    return [storable(v) for v in value] if isinstance(value, tuple) and value else value


def leaf_row(record: LeafRecord) -> Row:
    """Return the row of a leaf; the vector as the bytes of 32-bit floats, None while there is none."""
    vector = float32_bytes(record.vector) or None
    start, end = _ends(record.span)
    return {
        "leaf_id": record.id,
        "chunk_id": record.chunk_id,
        "doc_id": record.doc_id,
        "start": start,
        "end": end,
        "tokens": record.tokens,
        "pending": vector is None,
        "vector": vector,
        "token_codes": record.token_codes,
        "hash": _hash(
            repr((record.chunk_id, record.doc_id, start, end, record.tokens)).encode(),
            vector or b"",
            record.token_codes,
        ),
    }


def retired_row(record: RetiredRecord) -> Row:
    """Return the row of an id that ended."""
    start, end = _ends(record.span)
    values = (record.doc_id, record.path, start, end, record.successor, record.reason)
    return {
        "old_id": record.id,
        "doc_id": record.doc_id,
        "path": storable(record.path),
        "start": start,
        "end": end,
        "successor": record.successor,
        "reason": record.reason,
        "hash": _hash(ascii(values).encode()),
    }


def _ends(span: Span | None) -> tuple[int | None, int | None]:
    return (span.start, span.end) if span else (None, None)


def arrow_table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Return rows as an Arrow table."""
    import pyarrow as pa

    columns = []
    for column in schema:
        values = [row[column.name] for row in rows]
        if pa.types.is_fixed_size_list(column.type):
            columns.append(_vectors(values, column.type))
        else:
            columns.append(pa.array(values, type=column.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _vectors(values: Sequence[bytes | None], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    empty = bytes(kind.list_size * 4)
    data = pa.py_buffer(b"".join(empty if v is None else v for v in values))
    flat = pa.Array.from_buffers(pa.float32(), len(values) * kind.list_size, [None, data])
    missing = [v is None for v in values]
    mask = pa.array(missing) if any(missing) else None
    return pa.FixedSizeListArray.from_arrays(flat, type=kind, mask=mask)


def document_records(rows: Iterable[Mapping[str, Any]]) -> list[DocumentRecord]:
    """Rebuild documents from rows with `DOCUMENT_COLUMNS`."""
    found = []
    for row in rows:
        exact = json.loads(row["exact"]) if row.get("exact") else {}
        text = exact.get("text", row.get("text", ""))
        found.append(document_from(row["detail"], text=text, removed=tuple(row.get("removed", ()))))
    return found


def bodies(table: pa.Table) -> list[str]:
    """Return the bodies of rows with ``body`` and ``exact``."""
    written, exact = table.column("body").to_pylist(), table.column("exact").to_pylist()
    return [json.loads(other).get("body", body) if other else body for body, other in zip(written, exact, strict=True)]


def chunk_records(rows: Iterable[Mapping[str, Any]]) -> list[ChunkRecord]:
    """Rebuild chunks from rows with `CHUNK_COLUMNS`."""
    found = []
    for row in rows:
        texts = {"body": row["body"], "terms": row["terms"]} | (json.loads(row["exact"]) if row["exact"] else {})
        found.append(chunk_from(row["detail"], chunk_id=row["chunk_id"], doc_id=row["doc_id"], **texts))
    return found


def leaf_records(table: pa.Table) -> list[LeafRecord]:
    """Rebuild leaves from a table with `LEAF_COLUMNS`."""
    vectors = table.column("vector").combine_chunks()
    made = iter(vectors.flatten().to_numpy().reshape(-1, vectors.type.list_size).tolist())  # without the missing ones
    valid = vectors.is_valid().to_pylist()
    return [
        LeafRecord(
            id=row["leaf_id"],
            chunk_id=row["chunk_id"],
            doc_id=row["doc_id"],
            span=span(row),
            vector=tuple(next(made)) if there else (),
            tokens=row.get("tokens", 0),
            token_codes=row.get("token_codes", b""),
        )
        for row, there in zip(table.drop_columns("vector").to_pylist(), valid, strict=True)
    ]


def retired_records(rows: Iterable[Mapping[str, Any]]) -> list[RetiredRecord]:
    """Rebuild retired ids from rows with `RETIRED_COLUMNS`."""
    return [
        RetiredRecord(
            id=row["old_id"],
            doc_id=row["doc_id"],
            path=row["path"],
            span=span(row),
            successor=row["successor"],
            reason=row["reason"],
        )
        for row in rows
    ]


def span(row: Mapping[str, Any]) -> Span | None:
    """Return where a leaf or a retired id stands; None for a generated text."""
    return None if row["start"] is None else Span(start=row["start"], end=row["end"])


def facet_counts(column: pa.Array) -> dict[str, int]:
    """Return how many rows have each value of a column; a list counts each of its values once. Empty is no value."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    values, rows = column, np.arange(len(column))
    if pa.types.is_list(column.type):
        values, rows = column.flatten(), pc.list_parent_indices(column).to_numpy()
    coded = values.cast(pa.string()).dictionary_encode()
    names = coded.dictionary.to_pylist()
    codes = pc.fill_null(coded.indices, len(names)).to_numpy()
    pairs = np.unique(rows.astype(np.int64) * (len(names) + 1) + codes)
    counts = np.bincount(pairs % (len(names) + 1), minlength=len(names))
    return {name: int(counts[n]) for n, name in enumerate(names) if name}
