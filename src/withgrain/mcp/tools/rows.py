"""Answers that are a list of rows: as many as fit, and where the next page begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from withgrain.errors import UsageError
from withgrain.mcp import shapes
from withgrain.mcp.budget import Answer, cost, largest
from withgrain.mcp.collections import View
from withgrain.mcp.page import Page


def listed(
    rows: Sequence[tuple[Mapping[str, Any], str]],
    views: Sequence[View],
    *,
    title: str,
    key: str,
    start: int,
    limit: int,
    beside: Mapping[str, Any] | None = None,
    lead: str = "",
    empty: str = "nothing.",
) -> Answer:
    """Return rows from ``start`` on, as many as fit.

    Args:
        rows: All rows: structured form and line.
        views: The states that answered.
        title: What the rows are, in our own words.
        key: Name of the rows in the structured form.
        start: First row.
        limit: Most tokens of the answer.
        beside: More of the structured form.
        lead: Quoted above the rows: what they belong to.
        empty: What to say when there is none.

    Raises:
        UsageError: Not even one row fits; or ``start`` is behind the last row.
    """
    if start and start >= len(rows):
        raise UsageError(f"offset is {start}, but there are {len(rows)} rows. Begin again with offset 0.")
    rest = rows[start:]

    def render(n: int) -> Answer:
        following = start + n if n < len(rest) else None
        data = {
            **shapes.head(views),
            **(beside or {}),
            key: [row for row, _ in rest[:n]],
            "total": len(rows),
            "next_offset": following,
        }
        page = Page()
        page.say(f"{title} ({start + 1}-{start + n} of {len(rows)})" if rest else f"{title}: {empty}")
        if n:
            page.quote("\n".join([*([lead, ""] if lead else []), *(line for _, line in rest[:n])]))
        if following is not None:
            page.say(f"More: the same call with offset={following}.")
        return Answer(data=data, text=page.render())

    count = views[0].tokenizer.count
    n = largest(0, min(len(rest), limit), lambda n: cost(render(n), count) <= limit)
    if rest and n == 0:
        raise UsageError("Not even one row fits into max_tokens. Ask with a larger max_tokens.")
    return render(n)
