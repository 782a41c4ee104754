"""Documents and sections as resources: what a client can list, and what it reads is what `get` delivers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from withgrain.errors import UsageError
from withgrain.mcp.collections import Collections
from withgrain.mcp.sanitise import label
from withgrain.mcp.tool import MOST_TOKENS

#: Resources of one page of a list.
PAGE = 100
#: (name, template, description) of what can be read without being listed.
TEMPLATES = (
    (
        "document",
        "withgrain://{collection}/document/{+path}",
        "A document by its path, in pages: ?offset=N continues where the page before says.",
    ),
    (
        "section",
        "withgrain://{collection}/section/{id}",
        "A section by the id that outline, search and cite give, with the sections below it.",
    ),
)
_ADDRESS = re.compile(r"withgrain://([A-Za-z0-9._-]{1,64})/(document|section)/([^?#]{1,3000})(?:\?offset=(\d{1,9}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document as a resource."""

    uri: str
    name: str
    title: str
    modified: str | None


def listed(collections: Collections, cursor: str | None) -> tuple[list[Listed], str | None]:
    """Return one page of the documents, and the cursor of the next page.

    Raises:
        UsageError: The cursor is none that was given.
    """
    if cursor is not None and not re.fullmatch(r"\d{1,9}", cursor):
        raise UsageError("This cursor was never given. List again without one.")
    start = int(cursor or 0)
    found = list(_documents(collections))
    following = str(start + PAGE) if start + PAGE < len(found) else None
    return found[start : start + PAGE], following


def _documents(collections: Collections) -> Iterator[Listed]:
    for view in collections.views():
        for record in view.snapshot.documents():
            yield Listed(
                uri=f"withgrain://{view.name}/document/{quote(record.uri)}",
                name=label(record.path, 240),
                title=label(record.title, 120),
                modified=record.modified,
            )


def call_of(uri: str) -> dict[str, object]:
    """Return the arguments of the call of `get` that reads a resource.

    Raises:
        UsageError: It is no address of a resource.
    """
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        forms = " or ".join(template for _, template, _ in TEMPLATES)
        raise UsageError(f'"{label(uri, 120)}" is no resource here. Read {forms}.')
    collection, _, place, offset = found.groups()
    return {
        "id": unquote(place)[:1000],
        "collection": collection,
        "offset": int(offset or 0),
        "max_tokens": MOST_TOKENS,
    }
