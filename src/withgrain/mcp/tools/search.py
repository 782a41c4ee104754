"""``search``: the best sections for a question, packed into a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, break_before, cost, largest
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.page import Page
from withgrain.mcp.passage import passage
from withgrain.mcp.sanitise import label
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool, offset
from withgrain.model import Compare, Hit, all_of
from withgrain.search import parse_filter

_MOST_HITS = 50
_MOST_OFFSET = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Packing:
    """How much of the hits is shown: the first ``whole`` with their text, up to ``named`` of the others by name.

    ``characters`` cuts the text of the first hit; None shows it whole.
    """

    whole: int
    named: int
    characters: int | None = None


def _run(collections: Collections, arguments: Arguments) -> Answer:
    views = collections.views(arguments.text("collection"))
    start, k = arguments.number("offset"), arguments.number("k")
    where = parse_filter(arguments.texts("filters"))
    if domain := arguments.text("domain"):
        where = all_of(where, Compare(field="domain", operator="eq", value=domain))
    ranked: list[list[tuple[View, Hit]]] = []
    notices: dict[str, None] = {}
    for view in views:
        found = view.library.search(arguments.text("query"), k=start + k, filter=where)
        ranked.append([(view, hit) for hit in found.hits])
        notices.update(dict.fromkeys(label(str(n), 300) for n in found.trace.get("notices", ())))
    if where is not None and not any(ranked):
        notices["Nothing inside the filter matches. Leave out a filter, or ask facets which values there are."] = None
    merged = _in_turn(ranked)
    hits = merged[start : start + k]
    more = len(merged) > start + k or any(len(r) == start + k for r in ranked)
    return _packed(hits, views, notices=list(notices)[:5], start=start, more=more, limit=arguments.number("max_tokens"))


def _in_turn(ranked: Sequence[Sequence[tuple[View, Hit]]]) -> list[tuple[View, Hit]]:
    """Return the best of each collection, then the second of each …: scores of two collections cannot be compared."""
    longest = max((len(r) for r in ranked), default=0)
    return [r[n] for n in range(longest) for r in ranked if n < len(r)]


def _packed(
    hits: Sequence[tuple[View, Hit]],
    views: Sequence[View],
    *,
    notices: Sequence[str],
    start: int,
    more: bool,
    limit: int,
) -> Answer:
    """Return as many whole hits as fit beside the names of the others; else fewer names; else a part of the first."""
    items = [_item(view, hit, start + n) for n, (view, hit) in enumerate(hits, 1)]
    count = views[0].tokenizer.count

    def render(packing: _Packing) -> Answer:
        return _render(items, packing, views, notices, start=start, more=more)

    def fits(packing: _Packing) -> bool:
        return cost(render(packing), count) <= limit

    names = len(items)
    whole = largest(0, len(items), lambda n: fits(_Packing(whole=n, named=names)))
    if whole or not items:
        return render(_Packing(whole=whole, named=names))
    if fits(_Packing(whole=1, named=0)):
        return render(_Packing(whole=1, named=largest(0, names, lambda n: fits(_Packing(whole=1, named=n)))))
    length = min(len(items[0]["text"]), 16 * limit)
    if not fits(_Packing(whole=1, named=0, characters=0)):
        raise UsageError("Not even the name of one hit fits into max_tokens. Ask with a larger max_tokens.")
    cut = largest(0, length, lambda n: fits(_Packing(whole=1, named=0, characters=n)))
    return render(_Packing(whole=1, named=0, characters=break_before(items[0]["text"], cut)))


def _item(view: View, hit: Hit, rank: int) -> dict[str, Any]:
    chunk, cited = hit.chunk, hit.citation
    found = passage(hit.text, cited.document, cited.title, *cited.heading_path)
    return {
        "rank": rank,
        "id": chunk.id,
        "section": chunk.parent_id,
        "collection": view.name,
        **shapes.place(cited),
        **shapes.freshness(hit.modified, hit.stale),
        **({"generated": True} if hit.span is None else {}),
        **shapes.cautions(found),
        "text": found.text,
    }


def _render(
    items: Sequence[dict[str, Any]],
    packing: _Packing,
    views: Sequence[View],
    notices: Sequence[str],
    *,
    start: int,
    more: bool,
) -> Answer:
    shown = list(items[: packing.whole])
    if shown and packing.characters is not None:
        shown[0] = shown[0] | {"text": shown[0]["text"][: packing.characters], "cut": True}
    named = items[packing.whole : packing.whole + packing.named]
    left = [{"rank": i["rank"], "id": i["id"], "collection": i["collection"], "where": _short(i)} for i in named]
    reached = packing.whole + len(named)
    following = start + reached if (reached < len(items) or more) and reached else None
    data = {
        **shapes.head(views),
        "hits": shown,
        "left_out": left,
        "next_offset": following if following is None or following <= _MOST_OFFSET else None,
        "notes": list(notices),
    }
    page = Page()
    for note in notices:
        page.say(f"note: {note}")
    if not items:
        page.say("Nothing found. Try other words, fewer filters, or outline to see which documents there are.")
    for item in shown:
        page.say(f"[{item['rank']}] id {item['id']} · collection {item['collection']}")
        for line in shapes.caution_lines(item):
            page.say(line)
        page.quote(f"{shapes.provenance(item)}\n\n{item['text']}{' …' if item.get('cut') else ''}")
        if item.get("cut"):
            page.say("The text was cut to fit: get(id) delivers it in pages.")
    if left:
        page.say("Left out to fit; get(id) delivers them:")
        page.quote("\n".join(f"[{entry['rank']}] {entry['where']} · id {entry['id']}" for entry in left))
    if data["next_offset"] is not None:
        page.say(f"More: search again with offset={data['next_offset']}.")
    return Answer(data=data, text=page.render())


def _short(item: dict[str, Any]) -> str:
    return label(shapes.where(item), 160)


SEARCH = Tool(
    name="search",
    title="Search",
    description=(
        "Find the sections that answer a question. Use it first for any question of substance. Ask in the words of the "
        'question; identifiers (error codes, endpoints, keys, flags, ROLE_NAMES) and "quoted phrases" are matched '
        "exactly. Answers with the best sections whole, each with document, headings, lines and modification date, "
        "packed into max_tokens; what did not fit is in left_out (get(id) delivers it). Before quoting, check with "
        "cite. If nothing fits, try fewer filters, other words, or outline."
    ),
    parameters=(
        Parameter(
            name="query", type="text", description="The question, or words and identifiers.", required=True, least=1
        ),
        COLLECTION,
        Parameter(
            name="filters",
            type="texts",
            description='Conditions, all must hold: "class = runbook", "document ^= policies/", "codes in (401, 403)".',
            most=10,
        ),
        Parameter(name="domain", type="text", description="Only this domain (facets lists them).", most=200),
        Parameter(name="k", type="number", description="How many hits at most.", default=8, least=1, most=_MOST_HITS),
        offset("hits", _MOST_OFFSET),
        MAX_TOKENS,
    ),
    output=shapes.output(
        hits=shapes.ITEMS,
        left_out=shapes.ITEMS,
        next_offset=shapes.NEXT_OFFSET,
        notes={"type": "array", "items": {"type": "string"}},
    ),
    run=_run,
)
