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
    "page": "number",  # each one that the chunk touches: a comparison holds where it holds for one of them
    "line": "number",  # the first source line
    "clause": "text",  # printed number of the clause, section or step
    "url": "text",
    "anchor": "text",  # the nearest anchor at or before its beginning
    "parent_id": "text",
    "links": "list",
    "inferred_markers": "list",
    "ingestion_version": "text",
}

#: What each type of field can be asked.
OPERATORS: dict[str, frozenset[Operator]] = {
    "text": frozenset({"eq", "ne", "in", "contains", "prefix", "lt", "le", "gt", "ge"}),
    "list": frozenset({"eq", "ne", "in", "contains", "prefix"}),
    "number": frozenset({"eq", "ne", "in", "lt", "le", "gt", "ge"}),
}
#: Fields that name a kind of thing from a small vocabulary, or hold prose: "okta" is "OKTA". All others are exact.
ANY_CASE = frozenset(
    {
        *("class", "domain", "kind", "block_kinds", "operations", "entities", "api_method", "auth"),
        *("title", "heading_path"),
    }
)
#: List fields of prose: ``contains`` asks for a part of one of the strings, on other lists for a whole one.
PROSE_LISTS = frozenset({"heading_path"})
#: Filters come from outside: nested deeper they are refused.
MAX_DEPTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """``field operator value``. On a list field it holds when it holds for one of its strings.

    ``in`` takes a tuple: equal to any of them. ``contains`` is a literal substring; on a list, but for `PROSE_LISTS`,
    it means that one of the strings is the value. Letters count as they are written, but for the fields `ANY_CASE`.
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
