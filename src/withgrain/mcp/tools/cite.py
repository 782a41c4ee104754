"""``cite``: where a quote stands, or the nearest text and the differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, cost, largest
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.outline import enclosing, headings, parsed
from withgrain.mcp.page import Page
from withgrain.mcp.passage import passage
from withgrain.mcp.sanitise import reveal
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool
from withgrain.model import Citation, DocumentRecord, Span
from withgrain.search.quotes.nearest import Near, nearest
from withgrain.search.quotes.pattern import MOST, find
from withgrain.tokens.terms import terms

_CHUNKS = 50
_TERMS = 64
_PLACES = 10
#: Documents in which the nearest text is looked for, and what it must have in common with the quote.
_COMPARED = 8
_SIMILAR = 0.4
#: Characters of a place and number of differences that are shown: the first pair with which one place fits.
_SIZES = ((1000, 12), (300, 4), (80, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a quote, or the text nearest to it, stands."""

    view: View
    record: DocumentRecord
    span: Span


def _run(collections: Collections, arguments: Arguments) -> Answer:
    quote, limit = arguments.text("quote"), arguments.number("max_tokens")
    if not any(character.isalnum() for character in quote):
        raise UsageError("The quote has no word. Give the words as you read them.")
    views = collections.views(arguments.text("collection"))
    candidates = [(view, record) for view in views for record in _candidates(view, quote)]
    places: dict[str, list[_Place]] = {"exact": [], "normalised": []}
    for view, record in candidates:
        found = find(quote, record.text, _PLACES)
        if found:
            places[found.how] += [_Place(view=view, record=record, span=span) for span in found.spans]
    how = "exact" if places["exact"] else "normalised"
    if places[how]:
        both = places["exact"] + places["normalised"]
        return _fitted(how, both, views, limit)
    near = [(view, record, nearest(quote, record.text)) for view, record in candidates[: _COMPARED * len(views)]]
    best = max(near, key=lambda entry: entry[2].similarity if entry[2] else 0.0, default=None)
    if best is None or best[2] is None or best[2].similarity < _SIMILAR:
        return _fitted("none", [], views, limit)
    return _fitted("nearest", [_Place(view=best[0], record=best[1], span=best[2].span)], views, limit, near=best[2])


def _candidates(view: View, quote: str) -> list[DocumentRecord]:
    """Return documents that have the words of the quote side by side, then those that have most of its words.

    The first and the last word may be parts of words, so the side-by-side look-up goes without them.
    """
    asked = terms(reveal(quote).text)[:_TERMS]
    inner = asked[1:-1] if len(asked) > 3 else asked
    ids = view.snapshot.phrase(inner, None, _CHUNKS)
    ids += [id for id, _ in view.snapshot.lexical(asked, None, _CHUNKS)]
    documents = dict.fromkeys(record.chunk.doc_id for record in view.snapshot.chunks(ids=list(dict.fromkeys(ids))))
    return [record for record in map(view.snapshot.document, documents) if record is not None]


def _fitted(
    how: str, places: Sequence[_Place], views: Sequence[View], limit: int, *, near: Near | None = None
) -> Answer:
    count = views[0].tokenizer.count
    for characters, differences in _SIZES:
        items = [_item(place, characters) for place in places[:_PLACES]]

        def render(n: int, items: Sequence[dict[str, Any]] = items, most: int = differences) -> Answer:
            return _render(how, items[:n], len(places), views, near, most)

        def fits(n: int, render: Callable[[int], Answer] = render) -> bool:
            return cost(render(n), count) <= limit

        n = largest(0, len(items), fits)
        if n or not items:
            return render(n)
    raise UsageError("Not even one place fits into max_tokens. Ask with a larger max_tokens.")


def _item(place: _Place, characters: int) -> dict[str, Any]:
    record, span = place.record, place.span
    document = parsed(record)
    heading = enclosing(headings(document), span.start)
    chunks = place.view.snapshot.chunks(doc_id=record.id)
    chunk = next(
        (c.chunk for c in chunks if c.chunk.span and c.chunk.span.start <= span.start < c.chunk.span.end), None
    )
    path = heading.path if heading else ()
    text = span.of(record.text)
    shown = passage(text[:characters] + ("…" if len(text) > characters else ""), record.path, record.title, *path)
    citation = Citation(document=record.path, title=record.title, heading_path=path, lines=document.lines(span))
    return {
        **({"id": chunk.id} if chunk else {}),
        **({"section": heading.id} if heading else {}),
        "collection": place.view.name,
        **shapes.place(citation),
        "span": [span.start, span.end],
        **shapes.freshness(record.modified, record.stale),
        **shapes.cautions(shown),
        "text": shown.text,
    }


_SAID = {
    "exact": "The quote stands there letter for letter.",
    "normalised": "The quote stands there apart from white space, Markdown and typographic signs.",
    "nearest": "The quote stands nowhere. This is the nearest text; quote it as it stands, or do not quote.",
    "none": "The quote stands nowhere, and nothing like it. Search for what it says; do not quote it.",
}


def _render(
    how: str, items: Sequence[dict[str, Any]], total: int, views: Sequence[View], near: Near | None, most: int
) -> Answer:
    differences = [
        {"quote": reveal(d.quote).text, "document": reveal(d.document).text}
        for d in (near.differences[:most] if near else ())
    ]
    data = {
        **shapes.head(views),
        "found": how,
        "places": list(items),
        "total": total,
        **({"similarity": near.similarity, "differences": differences} if near else {}),
    }
    page = Page()
    page.say(_SAID[how])
    for item in items:
        ids = [f"{name} {item[name]}" for name in ("id", "section", "collection") if name in item]
        page.say(" · ".join(ids))
        for line in shapes.caution_lines(item):
            page.say(line)
        page.quote(f"{shapes.provenance(item)}\n\n{item['text']}")
    if total > len(items):
        page.say(f"It stands in {total} places or more; {len(items)} are shown. A longer quote has fewer.")
    if near and items:
        page.say(f"Similarity {near.similarity:.2f}. Differences (quote → document):")
        page.quote("\n".join(f"{d['quote'] or '(nothing)'} → {d['document'] or '(nothing)'}" for d in differences))
    return Answer(data=data, text=page.render())


CITE = Tool(
    name="cite",
    title="Cite",
    description=(
        "Check a quote before you use it, and get its citation: where exactly it stands (document, headings, lines, "
        "ids), letter for letter or apart from white space and Markdown. If it stands nowhere: the nearest text and "
        "the words that differ. Give one sentence or a few, as you would quote them."
    ),
    parameters=(
        Parameter(
            name="quote",
            type="text",
            description="The words, as you would quote them.",
            required=True,
            least=1,
            most=MOST,
        ),
        COLLECTION,
        MAX_TOKENS,
    ),
    output=shapes.output(
        found={"type": "string", "enum": list(_SAID)},
        places=shapes.ITEMS,
        total={"type": "integer"},
    ),
    run=_run,
)
