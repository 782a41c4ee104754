"""``facets``: the values that a field has, with counts."""

from __future__ import annotations

from collections import Counter

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer
from withgrain.mcp.collections import Collections
from withgrain.mcp.sanitise import label
from withgrain.mcp.tool import COLLECTION, MAX_TOKENS, Arguments, Parameter, Tool, offset
from withgrain.mcp.tools.rows import listed
from withgrain.model import FIELDS

#: Fields whose values are places and numbers of single chunks: counting them says nothing.
_NOT_COUNTED = frozenset(
    {"chunk_id", "doc_id", "ordinal", "total", "tokens", "quality", "page", "line", "parent_id", "ingestion_version"}
)
_COUNTED = tuple(field for field in FIELDS if field not in _NOT_COUNTED)


def _run(collections: Collections, arguments: Arguments) -> Answer:
    from withgrain.search.filters import field_named

    field = field_named(arguments.text("field"))
    if field in _NOT_COUNTED:
        raise UsageError(f'The values of "{field}" are not counted. Use one of: {", ".join(_COUNTED)}.')
    views = collections.views(arguments.text("collection"))
    counts: Counter[str] = Counter()
    for view in views:
        counts.update(view.snapshot.facets(field, None))
    rows = [
        ({"value": label(value, 200), "chunks": n}, f"{n:>6}  {label(value, 200)}")
        for value, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if value
    ]
    return listed(
        rows,
        views,
        title=f"Values of {field}, with the number of chunks that have each",
        key="values",
        start=arguments.number("offset"),
        limit=arguments.number("max_tokens"),
        beside={"field": field},
        empty="no chunk has one.",
    )


FACETS = Tool(
    name="facets",
    title="Facets",
    description=(
        "List the values of a field with counts, to find out what a collection is about and what to filter by: "
        "domain, class, operations, entities, markers, codes, api_endpoint, roles, labels, root … Use it before a "
        'filtered search: a value listed here works as "field = value" in search\'s filters.'
    ),
    parameters=(
        Parameter(
            name="field",
            type="text",
            description=f"One of: {', '.join(_COUNTED)}.",
            required=True,
            least=1,
            most=64,
        ),
        COLLECTION,
        offset("values"),
        MAX_TOKENS,
    ),
    output=shapes.output(
        field={"type": "string"},
        values=shapes.ITEMS,
        total={"type": "integer"},
        next_offset=shapes.NEXT_OFFSET,
    ),
    run=_run,
)
