"""A small schema language for JSON: what the architecture page promises about the shapes, made checkable.

A shape is a type (``int`` takes no bool, ``float`` takes int too), a tuple of alternatives (None among them), a list
with the shape of its items, a dict with the shape of each required key (more keys may be there), `Map`, or a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Map:
    """An object with any keys, all values of one shape."""

    values: Any


def problems(value: Any, shape: Any, where: str = "$") -> list[str]:
    """Return what is wrong, each with its place; empty when the value has the shape."""
    if isinstance(shape, tuple):
        return [] if any(not problems(value, s, where) for s in shape) else [f"{where}: {value!r} is none of {shape}"]
    if shape is None or isinstance(shape, str):
        return [] if value == shape else [f"{where}: {value!r} is not {shape!r}"]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [p for i, v in enumerate(value) for p in problems(v, shape[0], f"{where}[{i}]")]
    if isinstance(shape, Map):
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no object"]
        return [p for k, v in value.items() for p in problems(v, shape.values, f"{where}.{k}")]
    if isinstance(shape, dict):
        return _object(value, shape, where)
    if shape is float and isinstance(value, int) and not isinstance(value, bool):
        return []
    good = isinstance(value, shape) and (shape is bool or not isinstance(value, bool))
    return [] if good else [f"{where}: {value!r} is no {shape.__name__}"]


def _object(value: Any, shape: dict[str, Any], where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no object"]
    missing = [f"{where}: no key {key}" for key in shape if key not in value]
    return missing + [p for k, s in shape.items() if k in value for p in problems(value[k], s, f"{where}.{k}")]


SPAN = [int]
REASON = {"uri": str, "reason": str}

INGEST = {
    "schema": int,
    "documents": dict.fromkeys(("added", "updated", "kept", "renamed", "deleted", "failed", "skipped"), int),
    "chunks": int,
    "embedded": int,
    "words_lost": int,
    "failures": [REASON],
    "skipped": [REASON],
    "seconds": float,
}

HIT = {
    "rank": int,
    "chunk_id": str,
    "document": str,
    "title": str,
    "heading_path": [str],
    "span": (SPAN, None),
    "source_span": (SPAN, None),
    "lines": (SPAN, None),
    "page": (int, None),
    "text": str,
    "body": str,
    "citation": {"document": str, "title": str, "heading_path": [str], "lines": (SPAN, None), "link": str, "text": str},
}

SEARCH = {"schema": int, "query": str, "hits": [HIT]}

CHUNK = {
    "id": str,
    "text": str,
    "context": str,
    "suffix": str,
    "embed_text": str,
    "heading_path": [str],
    "start": (int, None),
    "end": (int, None),
    "tokens": (int, None),
    "kind": str,
    "facts": Map([str]),
    "quality": int,
    "boundary": {"start": str, "end": str, "oversize": (str, None)},
    "parts": [{"role": str, "text": str, "span": (SPAN, None), "position": str}],
}

CUT = {
    "schema": int,
    "uri": str,
    "chunks": [CHUNK],
    "canonical_text": str,
    "doc_metadata": dict,
    "warnings": [{"kind": str, "message": str}],
    "error": ({"kind": str, "message": str}, None),
}

RECORD = {"id": str, "content": str, "metadata": {"document": str, "heading_path": [str]}}

AUDIT = {
    "schema": int,
    "documents": [
        {
            "uri": str,
            "doc_class": str,
            "before": Map(int),
            "after": Map(int),
            "rescued": int,
            "transformations": [str],
            "dropped": [{"reason": str, "span": (SPAN, None)}],
            "words_lost": int,
        }
    ],
}
