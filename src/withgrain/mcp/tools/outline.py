"""``outline``: the documents by folder, or the headings of one document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, tokens
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.outline import Folder, Heading, by_folder, headings, parsed
from withgrain.mcp.sanitise import label
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool, offset
from withgrain.mcp.tools.rows import listed
from withgrain.model import Chunk, Document, DocumentRecord

Row = tuple[Mapping[str, Any], str]


def _run(collections: Collections, arguments: Arguments) -> Answer:
    views = collections.views(arguments.text("collection"))
    asked, depth = arguments.text("document").strip(), arguments.number("depth")
    for view in views if asked else ():
        record = view.document(asked)
        if record is not None:
            return _document(view, record, depth, arguments)
    rows = [row for view in views for row in _folder(view, asked, depth - 1, several=len(views) > 1)]
    if asked and not rows:
        near = list(dict.fromkeys(path for view in views for path in view.nearest_paths(asked)))[:3]
        hint = f" Did you mean: {', '.join(label(path, 160) for path in near)}?" if near else ""
        raise UsageError(f'There is no document or folder "{label(asked, 100)}".{hint} outline() lists what there is.')
    return listed(
        rows,
        views,
        title=f"Documents in {label(asked, 160)}" if asked else "Documents",
        key="rows",
        start=arguments.number("offset"),
        limit=arguments.number("max_tokens"),
        beside={"of": "documents"},
        empty="none.",
    )


def _folder(view: View, folder: str, depth: int, *, several: bool) -> list[Row]:
    rows: list[Row] = []
    front = f"{view.name}: " if several else ""
    for found in by_folder(view.snapshot.documents(), folder, depth):
        if isinstance(found, Folder):
            path = label(found.path, 240)
            shape: dict[str, Any] = {"folder": path, "documents": found.documents, "collection": view.name}
            rows.append((shape, f"{front}{path}/  ({found.documents} documents; outline(document=folder) opens it)"))
            continue
        shape = {
            "document": label(found.path, 240),
            "id": found.id,
            "collection": view.name,
            "title": label(found.title, 120),
            "class": found.doc_class,
            **({"domain": label(found.domain, 80)} if found.domain else {}),
            **shapes.freshness(found.modified, found.stale),
        }
        line = f"{front}{shape['document']}  “{shape['title']}”  {found.doc_class}"
        line += f"  {shape['domain']}" if found.domain else ""
        line += f"  modified {found.modified}" if found.modified else ""
        rows.append((shape, line + (f"  STALE: {shape['stale']}" if found.stale else "")))
    return rows


def _document(view: View, record: DocumentRecord, depth: int, arguments: Arguments) -> Answer:
    place = {
        "document": label(record.path, 240),
        "title": label(record.title, 120),
        **shapes.freshness(record.modified, record.stale),
    }
    if record.text:
        document = parsed(record)
        rows = [_heading(view, document, heading) for heading in headings(document) if heading.level <= depth]
    else:
        rows = _visible_sections(view, record, depth)
    return listed(
        rows,
        (view,),
        title="Sections of the document below; get(id) delivers one",
        key="rows",
        start=arguments.number("offset"),
        limit=arguments.number("max_tokens"),
        beside={
            "of": "sections",
            "id": record.id,
            **place,
        },
        lead=f"{shapes.provenance(place)}  “{place['title']}”",
        empty=f"it has no headings down to this depth; get(id={record.id}) delivers its text.",
    )


def _heading(view: View, document: Document, heading: Heading) -> Row:
    lines = document.lines(heading.span)
    size = tokens(heading.span.of(document.text), view.tokenizer.count)
    title = label(heading.title, 120) or "(before the first heading)"
    shape = {
        "section": heading.id,
        "level": heading.level,
        "heading": title,
        **({"lines": list(lines)} if lines else {}),
        "tokens": size,
    }
    place = f", lines {lines[0]}-{lines[1]}" if lines else ""
    return shape, f"{'  ' * max(0, heading.level - 1)}{title}  ({size} tokens{place})  id {heading.id}"


def _visible_sections(view: View, record: DocumentRecord, depth: int) -> list[Row]:
    """Return the sections of a document of which only a part is inside the scope: those that have a chunk there."""
    found: dict[str, list[Chunk]] = {}
    for one in view.snapshot.chunks(doc_id=record.id):
        if one.chunk.parent_id and len(one.chunk.heading_path) <= depth:
            found.setdefault(one.chunk.parent_id, []).append(one.chunk)
    rows: list[Row] = []
    for id, chunks in found.items():
        path = chunks[0].heading_path
        size = tokens("\n\n".join(c.body for c in chunks), view.tokenizer.count)
        title = label(path[-1] if path else "", 120) or "(before the first heading)"
        shape = {"section": id, "level": len(path), "heading": title, "tokens": size}
        rows.append((shape, f"{'  ' * max(0, len(path) - 1)}{title}  ({size} tokens)  id {id}"))
    return rows


OUTLINE = Tool(
    name="outline",
    title="Outline",
    description=(
        "See what there is before you search or read. Without document: the documents by folder with title, class and "
        "modification date. With a folder: what is in it. With a document (its path or id): its headings with section "
        "ids, lines and sizes in tokens, so that you can get just the section that you need."
    ),
    parameters=(
        COLLECTION,
        Parameter(name="document", type="text", description="Path or id of a document, or a folder.", most=1000),
        Parameter(
            name="depth",
            type="number",
            description="How many levels of folders or headings to open.",
            default=3,
            least=1,
            most=20,
        ),
        offset("rows"),
        MAX_TOKENS,
    ),
    output=shapes.output(
        of={"type": "string", "enum": ["documents", "sections"]},
        rows=shapes.ITEMS,
        total={"type": "integer"},
        next_offset=shapes.NEXT_OFFSET,
    ),
    run=_run,
)
