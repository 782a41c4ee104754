"""Outlines: documents by folder, and the headings of one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from withgrain.errors import DocumentError
from withgrain.model import Document, DocumentRecord, Source, Span
from withgrain.model.section import Section, sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder that is deeper than was asked: its path and how many documents are in it and below."""

    path: str
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A section of a document.

    Attributes:
        id: Its id, for ``get``.
        level: Level of its heading; 0 for the text before the first one.
        title: Text of its heading.
        path: Headings from the outermost to its own.
        span: Where it and the sections below it stand.
    """

    id: str
    level: int
    title: str
    path: tuple[str, ...]
    span: Span


def by_folder(records: Sequence[DocumentRecord], folder: str, depth: int) -> list[Folder | DocumentRecord]:
    """Return documents inside ``folder`` sorted by path; those more than ``depth`` folders below it as folders.

    Args:
        records: Documents.
        folder: Path without a final slash; empty for all.
        depth: 0 shows the documents that stand in the folder itself, and each folder in it as one row.
    """
    prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
    rows: dict[str, Folder | DocumentRecord] = {}
    for record in sorted(records, key=lambda r: (r.path, r.root, r.id)):
        if not record.path.startswith(prefix):
            continue
        below = record.path[len(prefix) :].split("/")
        if len(below) - 1 <= depth:
            rows[f"{record.path}\0{record.id}"] = record
            continue
        path = prefix + "/".join(below[: depth + 1])
        before = rows.get(path)
        rows[path] = Folder(path=path, documents=before.documents + 1 if isinstance(before, Folder) else 1)
    return list(rows.values())


def parsed(record: DocumentRecord) -> Document:
    """Return the blocks of a stored document, parsed anew from its canonical text.

    The text is canonical already, so every offset is the stored one; ids of sections depend on headings only. A format
    that this version cannot read is one block.
    """
    from withgrain.parse import parse

    media_type = "text/markdown" if record.rendered else record.media_type
    data = record.text.encode("utf-8", "surrogatepass")
    try:
        document = parse(data, uri=record.uri, root=record.root, media_type=media_type, modified=record.modified)
    except DocumentError:
        document = None
    if document is not None and document.text == record.text:
        return document
    source = Source(root=record.root, uri=record.uri, media_type=record.media_type, sha256=record.sha256)
    return Document(id=record.id, source=source, title=record.title, text=record.text, blocks=())


def headings(document: Document) -> list[Heading]:
    """Return the sections of a document in order, each with the sections below it in its span."""
    found = sections(document) if document.blocks else ()
    return [
        Heading(
            id=section.id,
            level=section.level,
            title=(section.heading.attrs.get("text", "") if section.heading else ""),
            path=section.path,
            span=Span(start=section.span.start, end=found[_last(found, n)].span.end),
        )
        for n, section in enumerate(found)
    ]


def enclosing(found: Sequence[Heading], place: int) -> Heading | None:
    """Return the innermost section that covers the offset ``place``."""
    inside = [h for h in found if h.span.start <= place < h.span.end]
    return inside[-1] if inside else None


def _last(found: Sequence[Section], n: int) -> int:
    """Return the index of the last section below section ``n``; text before the first heading has none below it."""
    last = n
    while last + 1 < len(found) and 0 < found[n].level < found[last + 1].level:
        last += 1
    return last
