"""``cite``: where a quote stands, or the nearest text and the differences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, cost, largest
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.page import Page
from withgrain.mcp.passage import passage
from withgrain.mcp.sanitise import reveal
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool

if TYPE_CHECKING:
    from withgrain.search import Quote

_LONGEST = 2000
#: What answers show in place of invisible characters: a quote that was copied from one has it, the document has not.
_MARKS = re.compile("⟦(?:U\\+|tags )[^⟧]{0,500}⟧")
_PLACES = 10
#: Characters of a place and number of differences that are shown: the first pair with which one place fits.
_SIZES = ((1000, 12), (300, 4), (80, 1))
_BEST_FIRST = ("exact", "normalised", "near")


def _run(collections: Collections, arguments: Arguments) -> Answer:
    from withgrain.search import cite

    views = collections.views(arguments.text("collection"))
    quote = _MARKS.sub("", arguments.text("quote"))
    found = [(view, place) for view in views for place in cite(view.snapshot, quote, limit=_PLACES + 1)]
    found.sort(key=lambda pair: (_BEST_FIRST.index(pair[1].found), -pair[1].similarity))
    standing = [pair for pair in found if pair[1].found != "near"]
    return _fitted(standing or found[:1], views, arguments.number("max_tokens"))


def _fitted(found: Sequence[tuple[View, Quote]], views: Sequence[View], limit: int) -> Answer:
    count = views[0].tokenizer.count
    for characters, differences in _SIZES:
        items = [_item(view, place, characters) for view, place in found[:_PLACES]]

        def render(n: int, items: Sequence[dict[str, Any]] = items, most: int = differences) -> Answer:
            return _render(items[:n], found, views, most)

        def fits(n: int, render: Callable[[int], Answer] = render) -> bool:
            return cost(render(n), count) <= limit

        n = largest(0, len(items), fits)
        if n or not items:
            return render(n)
    raise UsageError("Not even one place fits into max_tokens. Ask with a larger max_tokens.")


def _item(view: View, place: Quote, characters: int) -> dict[str, Any]:
    text = place.text[:characters] + ("…" if len(place.text) > characters else "")
    cited = place.citation
    shown = passage(text, cited.document, cited.title, *cited.heading_path)
    holder = view.snapshot.chunks(ids=[place.chunk_id]) if place.chunk_id else []
    section = holder[0].chunk.parent_id if holder else None
    return {
        **({"id": place.chunk_id} if place.chunk_id else {}),
        **({"section": section} if section else {}),
        "collection": view.name,
        **shapes.place(cited),
        "span": [place.span.start, place.span.end],
        **shapes.freshness(place.modified, place.stale),
        **shapes.cautions(shown),
        "text": shown.text,
    }


_SAID = {
    "exact": "The quote stands there letter for letter.",
    "normalised": "The quote stands there apart from white space, Markdown, typographic signs and omissions.",
    "nearest": "The quote stands nowhere. This is the nearest text; quote it as it stands, or do not quote.",
    "none": "The quote stands nowhere, and nothing like it. Search for what it says; do not quote it.",
}


def _render(
    items: Sequence[dict[str, Any]], found: Sequence[tuple[View, Quote]], views: Sequence[View], most: int
) -> Answer:
    best = found[0][1] if found else None
    near = best if best and best.found == "near" else None
    how = "nearest" if near else best.found if best else "none"
    differences = [
        {"quote": reveal(d.quote).text, "document": reveal(d.document).text}
        for d in (near.differences[:most] if near else ())
    ]
    total = len(found)
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
            most=_LONGEST,
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
