"""Addresses of places: ``runbooks/reset.md#L12-L18``, ``handbook.md#rotating-keys``, ``policy.md#4.2``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import unquote

from withgrain.model import ChunkRecord, Span, stored_path

_LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_PAGE = re.compile(r"page=(\d{1,7})\Z")
#: Signs "#" of a text that are tried as the end of a path.
_MOST_SIGNS = 20
_CLAUSE = re.compile(r"[A-Za-z0-9]{1,4}(?:\.[A-Za-z0-9]{1,4})+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A document by its path (or root and path), and a part of it; the fragment is empty for all of it."""

    path: str
    fragment: str = ""


def read_addresses(text: str) -> tuple[Address, ...]:
    """Return the addresses that a text may be, the longest path first: names of files may hold ``#`` and ``%``.

    They may begin or end with a space, too. Deep links of citations are such addresses.
    """
    return tuple(dict.fromkeys(a for spelled in (text, text.strip()) for a in _spelled(spelled)))


def _spelled(text: str) -> Iterator[Address]:
    ends = [len(text), *(n for n in range(len(text) - 1, -1, -1) if text[n] == "#")][:_MOST_SIGNS]
    for end in ends:
        for path in (text[:end], unquote(text[:end])):
            yield Address(path=stored_path(path), fragment=unquote(text[end + 1 :]).strip())


def sections_at(records: Sequence[ChunkRecord], fragment: str) -> list[ChunkRecord]:
    """Return the chunks of a document that a fragment names: lines, a page, a heading (anchor or text), a clause."""
    lines = _LINES.match(fragment)
    if lines:
        return _at_lines(records, int(lines[1]), int(lines[2] or lines[1]))
    page = page_at(fragment)
    if page is not None:
        return [r for r in records if page in r.chunk.pages]
    wanted = slug(fragment)
    # A heading before an anchor: its chunks are those of all that stands under it.
    tests: tuple[Callable[[ChunkRecord], bool], ...] = (
        lambda r: bool(wanted) and any(slug(h) == wanted for h in _headings(r)),
        lambda r: fragment in _anchors(r),
        lambda r: any(_has_number(h, fragment) for h in _headings(r)),
        lambda r: _begins_clause(r.chunk.body, fragment),
    )
    return next((found for test in tests if (found := [r for r in records if test(r)])), [])


def path_of(records: Sequence[ChunkRecord], fragment: str) -> tuple[str, ...]:
    """Return the headings that chunks have in common, down to the one that a fragment names."""
    paths = [r.chunk.heading_path for r in records]
    common = tuple(a for a, *_ in takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False)))
    wanted = slug(fragment)
    named = (n for n, h in enumerate(common, 1) if (wanted and slug(h) == wanted) or _has_number(h, fragment))
    return common[: next(named, len(common))]


def number_of(path: tuple[str, ...], fragment: str) -> str | None:
    """Return the number that a fragment names the last of some headings by; None where it does not."""
    return fragment.rstrip(".:)") if path and _has_number(path[-1], fragment) else None


def section_at(record: ChunkRecord, fragment: str) -> Span | None:
    """Return where the section stands that a fragment names, inside a chunk of several; None where it names none."""
    wanted = slug(fragment)
    for section in record.chunk.sections:
        heading = section.path[-1] if section.path else ""
        if (wanted and slug(heading) == wanted) or section.anchor == fragment or _has_number(heading, fragment):
            return section.span
    return None


def page_at(fragment: str) -> int | None:
    """Return the page that a fragment names."""
    page = _PAGE.match(fragment)
    return int(page[1]) if page else None


def _at_lines(records: Sequence[ChunkRecord], first: int, last: int) -> list[ChunkRecord]:
    """Return the chunks on these lines; for a heading or blank lines, the chunk that begins behind them."""
    first, last = sorted((first, last))
    placed = [(r, r.chunk.lines) for r in records if r.chunk.lines]
    inside = [r for r, lines in placed if lines[0] <= last and first <= lines[1]]
    return inside or [r for r, lines in placed if first and lines[0] > last][:1]


def slug(heading: str) -> str:
    """Return words joined by hyphens, as most renderers make anchors of headings."""
    return "-".join("".join(c if c.isalnum() or c == "_" else " " for c in heading.casefold()).split())


def _headings(record: ChunkRecord) -> tuple[str, ...]:
    inner = tuple(s.path[-1] for s in record.chunk.sections if s.path)
    return (*record.chunk.heading_path, *inner)


def _has_number(heading: str, number: str) -> bool:
    own = heading.lstrip("§ ").split(" ", 1)[0].rstrip(".:)")
    return bool(number) and own == number.rstrip(".:)")


def _anchors(record: ChunkRecord) -> tuple[str | None, ...]:
    return (record.chunk.anchor, *(s.anchor for s in record.chunk.sections))


def _begins_clause(body: str, number: str) -> bool:
    """Return whether a line begins with the printed number of a clause; "2" alone may be any item of a list."""
    number = number.rstrip(".:)")
    if not _CLAUSE.match(number):
        return False
    return re.search(rf"^[ \t>#*_|§-]*{re.escape(number)}[.:)*_]*(?:\s|$)", body, re.MULTILINE) is not None
