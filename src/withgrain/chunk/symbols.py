"""Sections that are symbols: a class with its methods, an object with its members. One region, cut by the one packer.

Markdown sections are packed one by one. A method of three lines is no chunk of its own, so a symbol and the symbols
inside it share a region: the packer joins members up to the target and cuts between them, at the outermost joint first.
A chunk's path is that of the innermost symbol that holds all of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from withgrain.chunk.unit import STRONG_BOND, Unit
from withgrain.model import Document, Part, Section, Span

#: A signature longer than this many characters is repeated with its beginning only.
_SIGNATURE = 300
#: Cuts cost more the deeper they are, but never as much as one between two statements.
_DEEPEST_BOND = 4
#: A symbol's opening up to this length stays with what follows.
_OPENING = 400


def is_symbol(section: Section) -> bool:
    """Return whether the section's heading is the name of a symbol, which is no text of its own."""
    return section.heading is not None and section.heading.attrs.get("role") == "symbol"


def roots(parts: tuple[Section, ...]) -> list[int]:
    """Return for each section the one that it is packed with: itself, or the symbol around it."""
    found: list[int] = []
    for index, section in enumerate(parts):
        parent = section.parent
        inside = is_symbol(section) and parent is not None and is_symbol(parts[parent])
        alone = section.heading is not None and "unit" in section.heading.attrs
        found.append(found[parent] if inside and not alone and parent is not None else index)
    return found


def groups(parts: tuple[Section, ...]) -> Iterator[tuple[int, ...]]:
    """Return the runs of sections that are packed together, in order; most have one member."""
    if not any(map(is_symbol, parts)):
        return zip(range(len(parts)))
    of = roots(parts)
    return (tuple(run) for _, run in groupby(range(len(parts)), key=of.__getitem__))


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """The sections of one region, to find the innermost that holds a chunk.

    Attributes:
        parts: All sections of the document.
        starts: Where they begin.
        members: Those of the region: consecutive indices.
    """

    parts: tuple[Section, ...]
    starts: list[int]
    members: tuple[int, ...]

    @property
    def longest(self) -> tuple[str, ...]:
        """The longest path of a member: what a chunk's prefix may be."""
        return max((self.parts[i].path for i in self.members), key=lambda path: sum(map(len, path)))

    def home(self, start: int, end: int) -> tuple[int, tuple[str, ...]]:
        """Return the index of the innermost section that holds ``[start, end)``, and its path."""
        first = max(self.members[0], bisect_right(self.starts, start) - 1)
        last = min(self.members[-1], bisect_left(self.starts, end) - 1)
        home = first
        for index in range(first + 1, last + 1):
            home = self._common(home, index)
        return home, self.parts[home].path

    def _common(self, one: int, other: int) -> int:
        while one != other:
            later = max(one, other)
            parent = self.parts[later].parent
            if parent is None:  # two sections without a common one: the region's first
                return self.members[0]
            one, other = min(one, other), parent
        return one


def symbol_units(document: Document, parts: tuple[Section, ...], members: tuple[int, ...]) -> list[Unit]:
    """Return the units of a region of symbols, each with the signatures that a chunk must repeat in front of it."""
    signatures: dict[int, tuple[Part, ...]] = {}
    units: list[Unit] = []
    top = parts[members[0]].level
    has_child = {parts[i].parent for i in members}
    bound = False
    for index in members:
        section = parts[index]
        outer = signatures.get(section.parent, ()) if section.parent is not None else ()
        signatures[index] = (*outer, *_signature(document, section))
        for block in section.blocks:
            if block.kind == "blank":
                continue
            unit = Unit(start=block.span.start, end=block.span.end, block=block)
            unit.lead, unit.inner_lead = outer, signatures[index]
            unit.bond = STRONG_BOND if bound else min(_DEEPEST_BOND, section.level - top)
            units.append(unit)
            bound = index in has_child and len(block.span) <= _OPENING
    return units


def _signature(document: Document, section: Section) -> tuple[Part, ...]:
    content = section.heading.content if section.heading is not None else None
    if content is None or not is_symbol(section):
        return ()
    text = content.of(document.text)
    if not text.strip():
        return ()
    if len(text) > _SIGNATURE:
        text = text[:_SIGNATURE].rpartition("\n")[0] or text[:_SIGNATURE]
    text = text.rstrip()
    return (Part(role="signature", text=text, span=Span(start=content.start, end=content.start + len(text))),)
