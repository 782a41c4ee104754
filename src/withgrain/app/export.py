"""A collection as files that other programs read: Parquet tables, or one JSON object a chunk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from withgrain.errors import Unavailable, UsageError

if TYPE_CHECKING:
    from withgrain.model import ChunkRecord, DocumentRecord
    from withgrain.types import Snapshot

#: Documents that are read together.
_GROUP = 64


def records(snapshot: Snapshot, *, vectors: bool = False) -> Iterator[dict[str, Any]]:
    """Yield one JSON-able object a chunk, in the order of documents and chunks.

    Args:
        snapshot: The state.
        vectors: Add the leaves with their vectors.
    """
    for document in snapshot.documents():
        for record in snapshot.chunks(doc_id=document.id):
            row = _record(document, record)
            if vectors:
                row["leaves"] = [
                    {
                        "id": leaf.id,
                        "span": [leaf.span.start, leaf.span.end] if leaf.span else None,
                        "vector": list(leaf.vector),
                    }
                    for leaf in snapshot.leaves([record.chunk.id])
                ]
            yield row


def _record(document: DocumentRecord, record: ChunkRecord) -> dict[str, Any]:
    from withgrain.store.payload import payload

    chunk = record.chunk
    values = {name: list(v) if isinstance(v, tuple) else v for name, v in payload(record).items()}
    return values | {
        "id": chunk.id,
        "uri": document.uri,
        "text": chunk.body,
        "embed_text": chunk.embed_text,
        "span": [chunk.span.start, chunk.span.end] if chunk.span else None,
        "lines": list(chunk.lines) if chunk.lines else None,
        "pages": list(chunk.pages),
        "parent_id": chunk.parent_id,
        "language": document.language,
    }


def write_ndjson(snapshot: Snapshot, out: IO[str], *, vectors: bool = False) -> int:
    """Write one line a chunk and return the number of lines."""
    count = 0
    for row in records(snapshot, vectors=vectors):
        out.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
        count += 1
    return count


def write_parquet(snapshot: Snapshot, folder: Path, *, vectors: bool = False) -> dict[str, int]:
    """Write ``documents.parquet``, ``chunks.parquet`` and, with ``vectors``, ``leaves.parquet``; return rows by file.

    Raises:
        UsageError: The store has no tables to copy, or ``folder`` is a file.
        Unavailable: The files cannot be written.
    """
    from withgrain.store.snapshot import LanceSnapshot

    if not isinstance(snapshot, LanceSnapshot):
        raise UsageError("Only a collection on disk can be written as Parquet.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f'"{folder}" is a file. Give a folder.') from None
    except OSError as error:
        raise Unavailable(f'"{folder}" cannot be made: {error.strerror or error}.') from error
    names = ("documents", "chunks", *(("leaves",) if vectors and snapshot.contract.dims else ()))
    return {f"{name}.parquet": snapshot.copy_table(name, folder / f"{name}.parquet") for name in names}
