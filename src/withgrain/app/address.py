"""Addresses of places: ``runbooks/reset.md#L12-L18``, ``handbook.md#rotating-keys``, ``policy.md#4.2``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from withgrain.model import ChunkRecord

_LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_PAGE = re.compile(r"page=(\d{1,7})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A document by its path (or root and path), and a part of it; the fragment is empty for all of it."""

    path: str
    fragment: str = ""


def read_address(text: str) -> Address:
    """Return the address that a text is; deep links of citations are such addresses."""
    path, _, fragment = text.strip().partition("#")
    return Address(path=unquote(path).removeprefix("./"), fragment=unquote(fragment).strip())


def sections_at(records: Sequence[ChunkRecord], fragment: str) -> list[ChunkRecord]:
    """Return the chunks of a document that a fragment names: lines, a page, a heading (anchor or text), a clause."""
    lines = _LINES.match(fragment)
    if lines:
        first, last = int(lines[1]), int(lines[2] or lines[1])
        return [r for r in records if r.chunk.lines and r.chunk.lines[0] <= last and first <= r.chunk.lines[1]]
    page = _PAGE.match(fragment)
    if page:
        return [r for r in records if int(page[1]) in r.chunk.pages]
    wanted = slug(fragment)
    found = [r for r in records if any(slug(h) == wanted for h in _headings(r))] if wanted else []
    return found or [r for r in records if any(_has_number(h, fragment) for h in _headings(r))]


def slug(heading: str) -> str:
    """Return words joined by hyphens, as most renderers make anchors of headings."""
    return "-".join("".join(c if c.isalnum() or c == "_" else " " for c in heading.casefold()).split())


def _headings(record: ChunkRecord) -> tuple[str, ...]:
    inner = tuple(s.path[-1] for s in record.chunk.sections if s.path)
    return (*record.chunk.heading_path, *inner)


def _has_number(heading: str, number: str) -> bool:
    own = heading.lstrip("§ ").split(" ", 1)[0].rstrip(".:)")
    return bool(number) and own == number.rstrip(".:)")
