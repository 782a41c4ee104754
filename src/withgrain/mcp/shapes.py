"""Shapes that several answers share: where something stands, the states that answered, their JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from withgrain.mcp.collections import View
from withgrain.mcp.page import NOTICE
from withgrain.mcp.passage import Passage
from withgrain.mcp.sanitise import label
from withgrain.model import Citation

_HEADINGS = 8


def place(citation: Citation) -> dict[str, Any]:
    """Return where something stands, as visible one-line texts of bounded length; what is not known is left out."""
    shape = {
        "document": label(citation.document, 240),
        "title": label(citation.title, 120),
        "heading_path": [label(heading, 80) for heading in citation.heading_path[-_HEADINGS:]],
        "clause": citation.clause and label(citation.clause, 20),
        "lines": list(citation.lines) if citation.lines else None,
        "page": citation.page,
        "pages": list(citation.pages) if citation.pages and citation.pages[0] != citation.pages[1] else None,
        "anchor": None if citation.lines else citation.anchor and label(citation.anchor, 120),
        "url": citation.url and label(citation.url, 240),
    }
    return {key: value for key, value in shape.items() if value}


def where(shape: Mapping[str, Any]) -> str:
    """Return one line for a reader: ``runbooks/reset.md › Reset › Steps, lines 12-18``."""
    line = " › ".join((shape["document"], *shape.get("heading_path", ())))
    if lines := shape.get("lines"):
        line += f", line {lines[0]}" if lines[0] == lines[1] else f", lines {lines[0]}-{lines[1]}"
    elif pages := shape.get("pages"):
        line += f", pages {pages[0]}-{pages[1]}"
    elif page := shape.get("page"):
        line += f", page {page}"
    return line


def freshness(modified: str | None, stale: str) -> dict[str, str]:
    """Return when the document was modified, and why the stored version is older than the file, if it is."""
    return ({"modified": modified} if modified else {}) | ({"stale": label(stale, 200)} if stale else {})


def provenance(item: Mapping[str, Any]) -> str:
    """Return the line above a quoted text: where it stands and how fresh it is."""
    line = where(item)
    if "modified" in item:
        line += f" · modified {item['modified']}"
    if "stale" in item:
        line += f" · STALE: {item['stale']}"
    return line


def cautions(found: Passage) -> dict[str, Any]:
    """Return the warnings of a passage; nothing when there are none."""
    return {"warnings": [w.shape() for w in found.warnings]} if found.warnings else {}


def caution_lines(item: Mapping[str, Any]) -> list[str]:
    """Return the warnings of an item as lines of the text form."""
    return [f"! {w['kind'].replace('_', ' ')} ({w['count']}): {w['detail']}" for w in item.get("warnings", ())]


def head(views: Sequence[View]) -> dict[str, Any]:
    """Return the head of every structured answer: what its texts are, and the states that answered."""
    return {"notice": NOTICE, "collections": {view.name: view.snapshot.version for view in views}}


def output(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an answer with these keys beside the head."""
    shared = {
        "notice": {"type": "string"},
        "collections": {
            "type": "object",
            "description": "Version of each collection that answered",
            "additionalProperties": {"type": "integer"},
        },
    }
    return {"type": "object", "properties": shared | properties, "required": [*shared, *properties]}


#: Where the next page begins; null when this is the last one.
NEXT_OFFSET: Mapping[str, Any] = {
    "type": ["integer", "null"],
    "description": "Pass as offset for more; null: all shown",
}
ITEMS: Mapping[str, Any] = {"type": "array", "items": {"type": "object"}}
