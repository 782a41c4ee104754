"""``get``: a chunk, section or document by its id, in pages."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, break_before, cost, largest
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.outline import Heading, enclosing, headings, parsed
from withgrain.mcp.page import Page
from withgrain.mcp.passage import Passage, passage
from withgrain.mcp.sanitise import label, reveal
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool, offset
from withgrain.model import Chunk, Citation, DocumentRecord, Span

_EXPANSIONS = ("none", "neighbours", "section", "document")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What to deliver: a slice of a document's text, or the text of one chunk as it is shown (``span`` is None)."""

    view: View
    kind: str
    id: str
    record: DocumentRecord
    text: str
    span: Span | None
    citation: Citation
    chunk: Chunk | None = None
    section: str | None = None


def _run(collections: Collections, arguments: Arguments) -> Answer:
    reading = _located(collections, arguments)
    start = arguments.number("offset")
    if start and start >= len(reading.text):
        raise UsageError(f"offset is {start}, but the text has {len(reading.text)} characters. Begin with offset 0.")
    return _paged(reading, start, arguments.number("max_tokens"))


def _located(collections: Collections, arguments: Arguments) -> _Reading:
    id, within = arguments.text("id").strip(), arguments.text("document").strip()
    views = collections.views(arguments.text("collection"))
    for view in views:
        found = view.snapshot.chunks(ids=[id])
        if found:
            return _chunk(view, found[0].chunk, arguments.text("expand"))
        record = view.document(id)
        if record is not None:
            return _document(view, record, id)
    for view in views:
        owner = view.document(within) if within else view.owner_of_section(id)
        if owner is None:
            continue
        for heading in headings(parsed(owner)):
            if heading.id == id:
                return _section(view, owner, heading)
    raise UsageError(
        f'Nothing has the id "{label(id, 80)}". Ids come from search, outline and cite; they change when the text '
        "changes, so search again. A document can also be given by its path."
    )


def _chunk(view: View, chunk: Chunk, expand: str) -> _Reading:
    record = view.snapshot.document(chunk.doc_id)
    if record is None:
        raise UsageError("The document of this chunk is no longer in the collection. Search again.")
    if expand == "document":
        return _document(view, record, record.id)
    if expand == "section" and chunk.span is not None:
        heading = enclosing(headings(parsed(record)), chunk.span.start)
        return _section(view, record, heading) if heading else _document(view, record, record.id)
    content = view.library.get(chunk.id)
    span, text = None, content.text
    if expand == "neighbours" and chunk.span is not None:
        span = _with_neighbours(view, chunk, chunk.span)
        text = span.of(record.text)
    return _Reading(
        view=view,
        kind="chunk",
        id=chunk.id,
        record=record,
        text=text,
        span=span,
        citation=content.citation,
        chunk=chunk,
        section=chunk.parent_id,
    )


def _with_neighbours(view: View, chunk: Chunk, span: Span) -> Span:
    ids = [i for i in (chunk.prev_id, chunk.next_id) if i]
    spans = [r.chunk.span for r in view.snapshot.chunks(ids=ids) if r.chunk.span is not None] if ids else []
    return Span(start=min([span.start, *(s.start for s in spans)]), end=max([span.end, *(s.end for s in spans)]))


def _section(view: View, record: DocumentRecord, heading: Heading) -> _Reading:
    return _Reading(
        view=view,
        kind="section",
        id=heading.id,
        record=record,
        text=heading.span.of(record.text),
        span=heading.span,
        citation=Citation(document=record.path, title=record.title, heading_path=heading.path),
        section=heading.id,
    )


def _document(view: View, record: DocumentRecord, id: str) -> _Reading:
    return _Reading(
        view=view,
        kind="document",
        id=record.id if id in (record.path, record.uri) else id,
        record=record,
        text=record.text,
        span=Span(start=0, end=len(record.text)),
        citation=Citation(document=record.path, title=record.title),
    )


def _paged(reading: _Reading, start: int, limit: int) -> Answer:
    """Return the page that begins at ``start``: as many characters as fit, cut behind a line or word."""
    count = reading.view.tokenizer.count
    rest = reading.text[start : start + 16 * limit]
    beside = (reading.citation.document, reading.citation.title, *reading.citation.heading_path)
    foreseen = passage(rest, *beside).warnings  # of the longest page: a shorter one has no more

    def render(length: int, *, exact: bool = False) -> Answer:
        shown = (
            passage(rest[:length], *beside) if exact else Passage(text=reveal(rest[:length]).text, warnings=foreseen)
        )
        return _render(reading, shown, start, start + length)

    def fits(length: int) -> bool:
        return cost(render(length), count) <= limit

    length = largest(0, len(rest), fits)
    if length == 0 and (rest or not fits(0)):
        raise UsageError("Not even a line fits into max_tokens. Ask with a larger max_tokens.")
    length = break_before(rest, length) if start + length < len(reading.text) else length
    answer = render(length, exact=True)
    return answer if cost(answer, count) <= limit else render(length)


def _render(reading: _Reading, shown: Passage, start: int, end: int) -> Answer:
    record, chunk = reading.record, reading.chunk
    following = end if end < len(reading.text) else None
    place = shapes.place(reading.citation)
    if reading.span is not None and not record.rendered:
        place["lines"] = list(_lines(record.text, reading.span.start + start, reading.span.start + end))
    item = {
        "id": reading.id,
        "kind": reading.kind,
        "collection": reading.view.name,
        **({"section": reading.section} if reading.section else {}),
        **place,
        **shapes.freshness(record.modified, record.stale),
        **shapes.cautions(shown),
        **({"previous": chunk.prev_id} if chunk and chunk.prev_id else {}),
        **({"next": chunk.next_id} if chunk and chunk.next_id else {}),
    }
    sizes = {"characters": len(reading.text), "offset": start, "next_offset": following}
    page = Page()
    page.say(f"{reading.kind} {reading.id} · collection {reading.view.name}")
    for line in shapes.caution_lines(item):
        page.say(line)
    page.quote(f"{shapes.provenance(item)}\n\n{shown.text}")
    if following is not None:
        page.say(f"Characters {start}-{end} of {len(reading.text)}. More: get with offset={following}.")
    if chunk:
        beside = [f"{name} {item[name]}" for name in ("previous", "next") if name in item]
        page.say(f"Around it: {', '.join(beside)}" if beside else "It is the only chunk of its document.")
    return Answer(data={**shapes.head((reading.view,)), **item, **sizes, "text": shown.text}, text=page.render())


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    first = text.count("\n", 0, start) + 1
    return first, first + text.count("\n", start, max(start, end - 1))


GET = Tool(
    name="get",
    title="Get",
    description=(
        "Read one chunk, section or document whole, by an id from search, outline or cite (a document also by its "
        "path). Use it when a hit was cut or left out, or when you need what stands around it: expand=neighbours adds "
        "the chunks before and after, expand=section the section, expand=document everything. Long texts come in "
        "pages: continue with offset=next_offset."
    ),
    parameters=(
        Parameter(
            name="id",
            type="text",
            description="Id of a chunk, section or document; or the path of a document.",
            required=True,
            least=1,
        ),
        Parameter(
            name="expand",
            type="text",
            description="How much around a chunk.",
            default="none",
            choices=_EXPANSIONS,
            most=20,
        ),
        Parameter(
            name="document", type="text", description="Path of the section's document: finds the section faster."
        ),
        COLLECTION,
        offset("characters"),
        MAX_TOKENS,
    ),
    output=shapes.output(
        id={"type": "string"},
        kind={"type": "string", "enum": ["chunk", "section", "document"]},
        collection={"type": "string"},
        document={"type": "string"},
        text={"type": "string"},
        characters={"type": "integer"},
        offset={"type": "integer"},
        next_offset=shapes.NEXT_OFFSET,
    ),
    run=_run,
)
