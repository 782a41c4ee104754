"""The payload of a chunk: the values that a filter or a facet may name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from withgrain.model import FIELDS, ChunkRecord
from withgrain.model.filter import ANY_CASE

#: A text, a number, a list of texts, or None where the chunk has no value.
Value = str | int | tuple[str, ...] | None
Payload = Mapping[str, Value]


def payload(record: ChunkRecord) -> dict[str, Value]:
    """Return the value of every field in `withgrain.model.FIELDS`, by name."""
    chunk, facts = record.chunk, record.chunk.facts
    return {
        "document": record.path,
        "root": record.root,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.id,
        "title": chunk.title,
        "class": record.doc_class,
        "domain": record.domain,
        "kind": chunk.kind,
        "modified": record.modified,
        "labels": record.labels,
        "heading_path": chunk.heading_path,
        "block_kinds": chunk.block_kinds,
        "pages": tuple(map(str, chunk.pages)),
        "markers": facts.markers,
        "operations": facts.operations,
        "entities": facts.entities,
        "api_method": facts.api_method,
        "api_endpoint": facts.api_endpoint,
        "codes": facts.codes,
        "keys": facts.keys,
        "roles": facts.roles,
        "auth": facts.auth,
        "flags": facts.flags,
        "environment": facts.environment,
        "versions": facts.versions,
        "quality": chunk.quality,
        "tokens": chunk.tokens,
        "ordinal": chunk.ordinal,
        "total": chunk.total,
        "page": chunk.pages[0] if chunk.pages else None,
        "line": chunk.lines[0] if chunk.lines else None,
        "clause": chunk.clause,
        "url": record.url,
        "anchor": chunk.anchor,
        "parent_id": chunk.parent_id,
        "links": facts.links,
        "inferred_markers": facts.inferred_markers,
        "ingestion_version": record.ingestion_version,
    }


def facet_values(value: Value) -> tuple[str, ...]:
    """Return the distinct values that a facet counts: those of a list, else the one; empty ones are no values."""
    values = value if isinstance(value, tuple) else () if value is None else (str(value),)
    return tuple(dict.fromkeys(v for v in values if v))


def facet(field: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of the values of a field, the most frequent first.

    Spellings that a filter does not tell apart are one value, in the spelling that most chunks have.
    """
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    if field in ANY_CASE and FIELDS[field] == "text":
        spelling: dict[str, str] = {}
        together: Counter[str] = Counter()
        for value, count in ordered:
            together[spelling.setdefault(value.lower(), value)] += count
        ordered = sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ordered)
