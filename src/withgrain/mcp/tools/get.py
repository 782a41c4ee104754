"""``get``: a chunk, section or document by its id, in pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, break_before, cost, largest
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.outline import Heading, headings, parsed
from withgrain.mcp.page import Page
from withgrain.mcp.passage import Passage, passage
from withgrain.mcp.sanitise import label, reveal
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool, offset
from withgrain.model import Citation, DocumentRecord, Span

if TYPE_CHECKING:
    from withgrain.app.content import Around, Content

_EXPANSIONS: tuple[Around, ...] = ("none", "neighbours", "section", "document")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What to deliver: verbatim a slice of a document, or the text of a chunk as it is shown (``span`` is None).

    ``retired`` says why another id stands here than the asked one.
    """

    view: View
    kind: str
    id: str
    record: DocumentRecord
    text: str
    span: Span | None
    citation: Citation
    section: str | None = None
    previous: str | None = None
    following: str | None = None
    retired: str = ""


def _run(collections: Collections, arguments: Arguments) -> Answer:
    reading = _located(collections, arguments)
    start = arguments.number("offset")
    if start and start >= len(reading.text):
        raise UsageError(f"offset is {start}, but the text has {len(reading.text)} characters. Begin with offset 0.")
    return _paged(reading, start, arguments.number("max_tokens"))


def _located(collections: Collections, arguments: Arguments) -> _Reading:
    """Return what an id or path names, in the first collection that has it."""
    id, within = arguments.text("id").strip(), arguments.text("document").strip()
    expand = next(e for e in _EXPANSIONS if e == arguments.text("expand"))
    views = collections.views(arguments.text("collection"))
    said: dict[str, None] = {}
    for view in views:
        if within:
            owner = view.document(within)
            found = _whole_section(view, owner, id) if owner else None
            if found:
                return found
        try:
            return _read(view, view.library.get(id, around=expand))
        except UsageError as error:
            said[label(str(error), 400)] = None
    for view in views:
        owner = view.owner_of_section(id)
        found = _whole_section(view, owner, id) if owner else None
        if found:
            return found
    raise UsageError(
        f"{' '.join(list(said)[:2])} Ids come from search, outline and cite, and change with the text: search again."
    )


def _read(view: View, content: Content) -> _Reading:
    doc_id = content.chunks[0].doc_id if content.chunks else content.id
    record = view.snapshot.document(doc_id)
    if record is None:
        raise UsageError("Its document is no longer in the collection. Search again.")
    retired = content.retired.partition(":")[0]
    if content.kind == "section":
        whole = _whole_section(view, record, content.id)
        if whole:
            return replace(whole, retired=retired)
    verbatim = bool(record.text) and content.span is not None and content.span.of(record.text) == content.text
    return _Reading(
        view=view,
        kind=content.kind,
        id=content.id,
        record=record,
        text=content.text,
        span=content.span if verbatim else None,
        citation=content.citation,
        section=content.section,
        previous=content.previous,
        following=content.next,
        retired=retired,
    )


def _whole_section(view: View, record: DocumentRecord, id: str) -> _Reading | None:
    """Return a section as it stands, from its heading to the end of the sections below it.

    None where the document has no such section, or is not whole inside the scope.
    """
    found = next((h for h in headings(parsed(record)) if h.id == id), None) if record.text else None
    return _section(view, record, found) if found else None


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
    record = reading.record
    following = end if end < len(reading.text) else None
    place = shapes.place(reading.citation)
    if reading.span is not None and not record.rendered:
        place["lines"] = list(_lines(record.text, reading.span.start + start, reading.span.start + end))
    item = {
        "id": reading.id,
        "kind": reading.kind,
        "collection": reading.view.name,
        **({"retired": reading.retired} if reading.retired else {}),
        **({"section": reading.section} if reading.section else {}),
        **place,
        **shapes.freshness(record.modified, record.stale),
        **shapes.cautions(shown),
        **({"previous": reading.previous} if reading.previous else {}),
        **({"next": reading.following} if reading.following else {}),
    }
    sizes = {"characters": len(reading.text), "offset": start, "next_offset": following}
    page = Page()
    if reading.retired:
        page.say(f"The id that was asked for is retired ({reading.retired}); this stands in its place. Use its id.")
    page.say(f"{reading.kind} {reading.id} · collection {reading.view.name}")
    for line in shapes.caution_lines(item):
        page.say(line)
    page.quote(f"{shapes.provenance(item)}\n\n{shown.text}")
    if following is not None:
        page.say(f"Characters {start}-{end} of {len(reading.text)}. More: get with offset={following}.")
    beside = [f"{name} {item[name]}" for name in ("previous", "next") if name in item]
    if beside:
        page.say(f"Around it: {', '.join(beside)}")
    return Answer(data={**shapes.head((reading.view,)), **item, **sizes, "text": shown.text}, text=page.render())


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    first = text.count("\n", 0, start) + 1
    return first, first + text.count("\n", start, max(start, end - 1))


GET = Tool(
    name="get",
    title="Get",
    description=(
        "Read one chunk, section or document whole, by an id from search, outline or cite, or by its place: "
        "runbooks/reset.md, runbooks/reset.md#L12-L18, runbooks/reset.md#a-heading. Old ids lead to what took their "
        "place. Use it when a hit was cut or left out, or when you need what stands around it: expand=neighbours adds "
        "the chunks before and after, expand=section the section, expand=document everything. Long texts come in "
        "pages: continue with offset=next_offset."
    ),
    parameters=(
        Parameter(
            name="id",
            type="text",
            description="Id of a chunk, section or document; or a path, with #L12-L18 or #heading for a part.",
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
