"""Located questions as rows of a question file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withgrain.evaluate.gold import Evidence, Gold, to_source
from withgrain.model import DocumentRecord, Span


def to_row(gold: Gold, documents: Mapping[str, DocumentRecord | None]) -> dict[str, Any]:
    """Return a question with the text and the source offsets of its evidence."""
    question = gold.question
    row: dict[str, Any] = {
        "question_id": question.id,
        "question": question.text,
        "type": question.type,
        "doc_id": gold.document.path,
    }
    if question.scope == "document":
        row["scope"] = "document"
    if question.level == "document":
        row["level"] = "document"
    return row | {"references": [_reference(e, gold.document, documents) for e in gold.evidence]}


def _reference(
    evidence: Evidence, document: DocumentRecord, documents: Mapping[str, DocumentRecord | None]
) -> dict[str, Any]:
    places = [
        (record.path, record.text, to_source(record, span), span)
        for doc_id, span in evidence.places
        if (record := documents.get(doc_id)) is not None
    ]
    first, *others = places
    row = {"text": first[3].of(first[1]), **_offsets(first[2])}
    if first[0] != document.path:
        row["doc_id"] = first[0]
    alternates = [{"doc_id": path, **_offsets(source)} for path, _, source, _ in others if source]
    return row | ({"alternates": alternates} if alternates else {})


def _offsets(source: Span | None) -> dict[str, int]:
    return {"start": source.start, "end": source.end} if source else {}
