"""Skeletons of questions, drawn from a collection for a person to complete: evidence that nobody has asked for yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from withgrain.evaluate.gold import to_source
from withgrain.evaluate.structure import Structure
from withgrain.model import Block, DocumentRecord, Section, Span, sha256_hex
from withgrain.signals import detect
from withgrain.types import Snapshot

_SHORTEST, _LONGEST = 60, 700
_STEPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A piece of evidence without a question.

    Attributes:
        type: Kind of the evidence.
        document: Where it stands.
        span: The evidence in the canonical text.
        path: Heading path of its section.
        header: Header rows of its table; None outside tables.
        about: What to ask for.
    """

    type: str
    document: DocumentRecord
    span: Span
    path: tuple[str, ...]
    about: str
    header: Span | None = None


def drafts(snapshot: Snapshot, count: int) -> list[Draft]:
    """Draw up to ``count`` drafts, spread over documents and kinds of evidence; the same for the same collection."""
    waiting: dict[str, list[tuple[int, int, Draft]]] = {}
    for place, listed in enumerate(sorted(snapshot.documents(), key=lambda d: sha256_hex(d.path))):
        record = snapshot.document(listed.id)
        kinds: dict[str, list[Draft]] = {}
        for draft in _of_document(record) if record is not None else ():
            kinds.setdefault(draft.type, []).append(draft)
        for kind, some in kinds.items():
            ordered = sorted(some, key=lambda d: sha256_hex(d.span.of(d.document.text)))
            waiting.setdefault(kind, []).extend((turn, place, draft) for turn, draft in enumerate(ordered))
    queues = [_rotated(sorted(waiting[kind], key=lambda w: w[:2]), n) for n, kind in enumerate(sorted(waiting))]
    longest = max(map(len, queues), default=0)
    spread = [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]
    return spread[:count]


def _rotated(queue: Sequence[tuple[int, int, Draft]], by: int) -> list[Draft]:
    """Return the drafts of one kind, begun at another document for each kind: else the first would get them all."""
    first = sum(turn == 0 for turn, _, _ in queue)
    at = (3 * by) % first
    return [draft for _, _, draft in (*queue[at:first], *queue[:at], *queue[first:])]


def to_rows(found: Sequence[Draft]) -> list[dict[str, Any]]:
    """Return drafts as rows of a question file, each marked as a draft."""
    return [
        {
            "question_id": f"draft-{number:03d}",
            "draft": True,
            "question": "",
            "about": draft.about,
            "type": draft.type,
            "doc_id": draft.document.path,
            "references": [_reference(draft.document, draft.span)],
        }
        | ({"table_header": _reference(draft.document, draft.header)} if draft.header else {})
        for number, draft in enumerate(found, 1)
    ]


def _reference(document: DocumentRecord, span: Span) -> Mapping[str, Any]:
    """Return a piece of evidence; a format without offsets into its source is quoted only."""
    source = to_source(document, span)
    place = {"start": source.start, "end": source.end} if source else {}
    return {"text": span.of(document.text), **place}


def _of_document(record: DocumentRecord) -> Iterator[Draft]:
    for section in Structure(record).sections:
        for block in section.blocks:
            yield from _of_block(record, section, block)
        yield from _of_section(record, section)


def _of_block(record: DocumentRecord, section: Section, block: Block) -> Iterator[Draft]:
    where = " › ".join(section.path) or record.title
    span = _trimmed(record, block.span)
    if block.kind == "paragraph" and _SHORTEST <= len(span) <= _LONGEST:
        codes = detect(span.of(record.text)).codes
        kind, about = ("identifier", f'"{codes[0]}"') if codes else ("fact", "what this paragraph says")
        yield Draft(type=kind, document=record, span=span, path=section.path, about=f"{about} ({where})")
    elif block.kind == "list" and block.attrs.get("ordered") and len(block.children) >= _STEPS:
        about = f"how to do this, {len(block.children)} steps ({where})"
        yield Draft(type="procedure", document=record, span=span, path=section.path, about=about)
    elif block.kind == "table":
        rows = [r for r in block.children if r.attrs.get("role", "body") == "body"]
        head = block.children[: len(block.children) - len(rows)]
        if head and rows:
            row = min(rows, key=lambda r: sha256_hex(r.span.of(record.text)))
            header = _trimmed(record, Span(start=head[0].span.start, end=head[-1].span.end))
            about = f"a value of this row ({where})"
            span = _trimmed(record, row.span)
            yield Draft(type="table", document=record, span=span, path=section.path, about=about, header=header)


def _of_section(record: DocumentRecord, section: Section) -> Iterator[Draft]:
    blocks = [b for b in section.blocks if b.kind != "blank"]
    if section.path and len(blocks) >= 2:
        span = _trimmed(record, Span(start=blocks[0].span.start, end=blocks[-1].span.end))
        if 2 * _SHORTEST <= len(span) <= 3 * _LONGEST:
            about = f"all that this section says ({' › '.join(section.path)})"
            yield Draft(type="section", document=record, span=span, path=section.path, about=about)


def _trimmed(record: DocumentRecord, span: Span) -> Span:
    text = span.of(record.text)
    start = span.start + len(text) - len(text.lstrip())
    return Span(start=start, end=max(start, span.start + len(text.rstrip())))
