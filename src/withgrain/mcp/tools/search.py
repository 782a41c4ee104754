"""``search``: the best sections for a question, packed into a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, cost, largest, tokens
from withgrain.mcp.collections import Collections, View
from withgrain.mcp.page import Page
from withgrain.mcp.passage import Passage, passage
from withgrain.mcp.sanitise import label
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool, offset
from withgrain.mcp.tools.advice import advice
from withgrain.model import Compare, Hit, Results, all_of

if TYPE_CHECKING:
    from withgrain.search import Pack, PackedItem
    from withgrain.types import Tokenizer

_MOST_HITS = 50
_MOST_OFFSET = 500
#: Share of the budget that the names of what was left out may take, and in how many steps the rest is tried.
_NAMES = 0.4
#: Share that the names of sections without a domain may take, and how many there are at most.
_APART = 0.2
_MOST_APART = 3
_STEPS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The hits of one page, by rank, and what is said beside them; ``shown`` keeps what was made visible already.

    ``apart`` are hits that state no domain, where one was asked for: only their names are told, on the first page.
    """

    views: tuple[View, ...]
    hits: dict[int, tuple[View, Hit]]
    notices: tuple[str, ...]
    start: int
    more: bool
    apart: tuple[tuple[View, Hit], ...] = ()
    shown: dict[tuple[int, str], Passage] = field(default_factory=dict)


def _run(collections: Collections, arguments: Arguments) -> Answer:
    from withgrain.search import parse_filter

    views = collections.views(arguments.text("collection"))
    start, k = arguments.number("offset"), arguments.number("k")
    domain = arguments.text("domain")
    conditions = [parse_filter([text]) for text in arguments.texts("filters")]
    conditions += [Compare(field="domain", operator="eq", value=domain)] if domain else []
    where = all_of(*conditions)
    ranked: list[list[tuple[View, Hit]]] = []
    apart: list[list[tuple[View, Hit]]] = []
    notices: dict[str, None] = {}
    for view in views:
        found = view.library.search(arguments.text("query"), k=start + k, filter=where)
        ranked.append([(view, hit) for hit in found.hits])
        apart.append([(view, hit) for hit in found.apart])
        notices.update(dict.fromkeys(label(str(n), 300) for n in found.trace.get("notices", ())))
    merged = _in_turn(ranked)
    if not merged:
        notices.update(dict.fromkeys(advice(collections, views, arguments.text("query"), conditions)))
    elif start >= len(merged):
        raise UsageError(f"offset is {start}, but there are {len(merged)} hits. Begin again with offset 0.")
    page = dict(enumerate(merged[start : start + k], start + 1))
    more = len(merged) > start + k or any(len(r) == start + k for r in ranked)
    beside = () if start else tuple(_in_turn(apart)[:_MOST_APART])
    here = _Found(views=views, hits=page, notices=tuple(notices)[:5], start=start, more=more, apart=beside)
    return _fitting(here, arguments.text("query"), arguments.number("max_tokens"))


def _in_turn(ranked: Sequence[Sequence[tuple[View, Hit]]]) -> list[tuple[View, Hit]]:
    """Return the best of each collection, then the second of each …: scores of two collections cannot be compared."""
    longest = max((len(r) for r in ranked), default=0)
    return [r[n] for n in range(longest) for r in ranked if n < len(r)]


class _Counting:
    """A tokenizer that counts as answers do: long unbroken runs are not free."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.name, self.version, self.additive = tokenizer.name, tokenizer.version, tokenizer.additive
        self._count = tokenizer.count

    def count(self, text: str) -> int:
        return tokens(text, self._count)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def _fitting(found: _Found, query: str, limit: int) -> Answer:
    """Return the answer with the names of what is apart, as many as have room beside a text.

    Raises:
        UsageError: Not even the beginning of one hit fits.
    """
    from withgrain.search import Pack

    nothing = Pack(text="", items=(), tokens=0, left_out=())

    def least(named: int) -> int:
        bare = replace(found, hits={}, apart=found.apart[:named])
        return cost(_render(bare, nothing, 0), found.views[0].tokenizer.count)

    room = least(0) + (_APART * limit if found.hits else limit)
    named = largest(0, len(found.apart), lambda n: least(n) <= room)
    try:
        return _packed(replace(found, apart=found.apart[:named]), query, limit)
    except UsageError:
        if not named:
            raise
        return _packed(replace(found, apart=()), query, limit)


def _packed(found: _Found, query: str, limit: int) -> Answer:
    """Return the fullest packing of which both forms keep within the limit.

    What stands around the packed texts (ids, places, warnings) is counted by rendering: the budget of the packing is
    the largest with which the answer was found to fit.
    """
    from withgrain.search import pack

    tokenizer = found.views[0].tokenizer
    hits = Results(query=query, hits=tuple(replace(hit, rank=rank) for rank, (_, hit) in found.hits.items()))
    counting = _Counting(tokenizer)

    def packing(budget: int) -> Pack:
        return pack(hits, max_tokens=max(0, budget), tokenizer=counting)

    def costs(pack: Pack, named: int) -> int:
        return cost(_render(found, pack, named), tokenizer.count)

    def fullest(named: int) -> Pack:
        room = max(0, limit - costs(nothing, named))
        most = largest(0, _STEPS, lambda n: costs(packing(n * room // _STEPS), named) <= limit) * room // _STEPS
        return packing(most or largest(0, room // _STEPS, lambda n: costs(packing(n), named) <= limit))

    nothing = packing(0)
    named = len(nothing.left_out)
    if named and costs(nothing, named) > _NAMES * limit:
        named = largest(0, named, lambda n: costs(nothing, n) <= _NAMES * limit)
    chosen = fullest(named)
    if found.hits and not chosen.items:  # a text is worth more than names
        named, chosen = 0, fullest(0)
    if (found.hits and not chosen.items) or costs(chosen, named) > limit:
        raise UsageError("Not even the beginning of one hit fits into max_tokens. Ask with a larger max_tokens.")
    return _render(found, chosen, largest(named, len(chosen.left_out), lambda n: costs(chosen, n) <= limit))


def _item(found: _Found, packed: PackedItem) -> dict[str, Any]:
    view, hit = found.hits[packed.rank]
    cited = packed.citation
    shown = found.shown.get((packed.rank, packed.text))
    if shown is None:
        shown = passage(packed.text, cited.document, cited.title, *cited.heading_path)
        found.shown[packed.rank, packed.text] = shown
    return {
        "rank": packed.rank,
        "id": packed.chunk_id,
        "section": hit.chunk.parent_id,
        "collection": view.name,
        **shapes.place(cited),
        **shapes.freshness(hit.modified, hit.stale),
        **({"generated": True} if hit.span is None else {}),
        **({} if packed.whole else {"part": True}),
        **shapes.cautions(shown),
        "text": shown.text,
    }


def _left_out(found: _Found, pack: Pack, named: int) -> list[dict[str, Any]]:
    """Return what of the hits is not there at all, best first; a part that is there says itself that it is one."""
    return [
        {
            "rank": left.rank,
            "id": left.chunk_id,
            "collection": found.hits[left.rank][0].name,
            "where": label(shapes.where(shapes.place(left.citation)), 160),
            "tokens": left.tokens,
            **({"why": left.why} if left.why != "budget" else {}),
        }
        for left in pack.left_out[:named]
        if left.why != "part"
    ]


def _without_domain(found: _Found) -> list[dict[str, Any]]:
    """Return the names of the sections that state no domain."""
    return [
        {
            "id": hit.chunk.id,
            "collection": view.name,
            "where": label(shapes.where(shapes.place(hit.citation)), 160),
            "tokens": tokens(hit.text, view.tokenizer.count),
        }
        for view, hit in found.apart
    ]


def _following(found: _Found, pack: Pack, named: int) -> int | None:
    """Return where the next page begins: behind the last hit that is shown or named without a gap."""
    told = {item.rank for item in pack.items} | {left.rank for left in pack.left_out[:named]}
    reached = found.start
    while reached + 1 in told:
        reached += 1
    end = found.start + len(found.hits)
    if reached == found.start or (reached == end and not found.more) or reached > _MOST_OFFSET:
        return None
    return reached


def _render(found: _Found, pack: Pack, named: int) -> Answer:
    items = [_item(found, packed) for packed in sorted(pack.items, key=lambda i: i.rank)]
    left = _left_out(found, pack, named)
    apart = _without_domain(found)
    following = _following(found, pack, named)
    data = {
        **shapes.head(found.views),
        "hits": items,
        "left_out": left,
        "without_domain": apart,
        "next_offset": following,
        "notes": list(found.notices),
    }
    page = Page()
    for note in found.notices:
        page.say(f"note: {note}")
    if not found.hits:
        page.say("Nothing found. Try other words, fewer filters, or outline to see which documents there are.")
    for item in items:
        page.say(f"[{item['rank']}] id {item['id']} · collection {item['collection']}")
        for line in shapes.caution_lines(item):
            page.say(line)
        page.quote(f"{shapes.provenance(item)}\n\n{item['text']}")
        if item.get("part"):
            page.say("This is a part of it: get(id) delivers all.")
    if left:
        page.say("Left out to fit; get(id) delivers them:")
        page.quote("\n".join(_left_line(entry) for entry in left))
    if apart:
        page.say("These state no domain, so they are not among the hits; get(id) delivers them:")
        page.quote("\n".join(f"{one['where']} · {one['tokens']} tokens · id {one['id']}" for one in apart))
    if following is not None:
        page.say(f"More: search again with offset={following}.")
    return Answer(data=data, text=page.render())


def _left_line(entry: dict[str, Any]) -> str:
    why = ", the same text as above" if entry.get("why") == "duplicate" else ""
    return f"[{entry['rank']}] {entry['where']} · {entry['tokens']} tokens{why} · id {entry['id']}"


SEARCH = Tool(
    name="search",
    title="Search",
    description=(
        "Find the sections that answer a question. Use it first for any question of substance. Ask in the words of the "
        'question; identifiers (error codes, endpoints, keys, flags, ROLE_NAMES) and "quoted phrases" are matched '
        "exactly. Answers with the best sections, best first, each with document, headings, lines and modification "
        "date, packed into max_tokens; what did not fit is in left_out (get(id) delivers it). Before "
        "quoting, check with cite. If nothing fits, try fewer filters, other words, or outline."
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
        Parameter(
            name="domain",
            type="text",
            description="Only this domain (facets lists them); without_domain names the best sections that state none.",
            most=200,
        ),
        Parameter(name="k", type="number", description="How many hits at most.", default=8, least=1, most=_MOST_HITS),
        offset("hits", _MOST_OFFSET),
        MAX_TOKENS,
    ),
    output=shapes.output(
        hits=shapes.ITEMS,
        left_out=shapes.ITEMS,
        without_domain=shapes.ITEMS,
        next_offset=shapes.NEXT_OFFSET,
        notes={"type": "array", "items": {"type": "string"}},
    ),
    run=_run,
)
