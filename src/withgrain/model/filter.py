"""Filters over the payload of chunks: a small tree, never a pasted string."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Operator = Literal["eq", "ne", "in", "contains", "prefix", "lt", "le", "gt", "ge"]

#: Payload fields of a chunk that a filter may name, with their type. ``list`` fields hold several strings.
FIELDS: dict[str, Literal["text", "list", "number"]] = {
    "document": "text",  # path relative to the ingested root
    "root": "text",
    "doc_id": "text",
    "chunk_id": "text",
    "title": "text",
    "class": "text",
    "domain": "text",
    "kind": "text",
    "modified": "text",
    "labels": "list",
    "heading_path": "list",
    "block_kinds": "list",
    "pages": "list",
    "markers": "list",
    "operations": "list",
    "entities": "list",
    "api_method": "list",
    "api_endpoint": "list",
    "codes": "list",
    "keys": "list",
    "roles": "list",
    "auth": "list",
    "flags": "list",
    "environment": "list",
    "versions": "list",
    "quality": "number",
    "tokens": "number",
    "ordinal": "number",
    "total": "number",
    "page": "number",  # the first one that the chunk touches
    "line": "number",  # the first source line
    "clause": "text",  # printed number of the clause, section or step
    "url": "text",
    "anchor": "text",  # the nearest anchor at or before its beginning
    "parent_id": "text",
    "links": "list",
    "inferred_markers": "list",
    "ingestion_version": "text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """``field operator value``. On a list field, ``eq`` and ``contains`` mean "one of its strings is".

    ``in`` takes a tuple: equal to (for lists: has) any of them. ``prefix`` is for text fields. On text, ``contains``
    is a literal substring. Comparisons are case-sensitive.
    """

    field: str
    operator: Operator
    value: str | float | tuple[str, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All of the parts hold; true when there are none."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """At least one of the parts holds; false when there are none."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The part does not hold."""

    part: Filter


Filter = Compare | And | Or | Not


def all_of(*filters: Filter | None) -> Filter | None:
    """Return one filter that asks for all given ones; None when none is given."""
    given = tuple(f for f in filters if f is not None)
    if not given:
        return None
    return given[0] if len(given) == 1 else And(parts=given)
