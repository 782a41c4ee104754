"""Short ways to cut a Markdown text in tests."""

from __future__ import annotations

from dataclasses import replace

from withgrain.chunk import STRUCTURE_AWARE, Chunked, Policy, chunk_document
from withgrain.model import Chunk
from withgrain.parse import parse


def cut(text: str, maximum: int = 60, *, policy: Policy = STRUCTURE_AWARE, uri: str = "doc.md") -> Chunked:
    """Cut ``text`` with one size for all document classes."""
    return chunk_document(parse(text.encode(), uri=uri), replace(policy, classes=()).with_maximum(maximum))


def bodies(chunked: Chunked) -> list[str]:
    """Return the bodies."""
    return [c.body for c in chunked.chunks]


def parts(chunk: Chunk, role: str) -> list[str]:
    """Return the texts of the parts with a role."""
    return [p.text for p in chunk.parts if p.role == role]
