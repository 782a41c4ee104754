"""Regions by page, for documents whose blocks know their page: headings stay in the body."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from withgrain.chunk.bonds import bond
from withgrain.chunk.policy import Policy
from withgrain.chunk.region import Region, runs
from withgrain.chunk.symbols import Nest
from withgrain.chunk.unit import STRONG_BOND, Unit
from withgrain.model import Block, Document, Section


def by_page(document: Document, parts: tuple[Section, ...], policy: Policy) -> Iterator[Region]:
    """Yield a region a page, two where something is dropped in the middle.

    A block belongs to the page that it begins on; one without a page to the page of the block before. What stands in
    front of a body is the heading path of the section that it begins in, less a heading that it begins with.
    """
    starts = [section.span.start for section in parts]
    for blocks in _pages(parts):
        members = tuple(dict.fromkeys(index for _, index in blocks))
        section_of = {id(block): index for block, index in blocks}
        for number, run in enumerate(runs(block for block, _ in blocks)):
            units = [Unit(start=b.span.start, end=b.span.end, block=b) for b in run]
            if policy.bonds:
                bond(units, document.text, policy.bonds)
            for before, unit in pairwise(units):
                if before.block is not None and before.block.kind == "heading":
                    unit.bond = STRONG_BOND
            yield Region(
                units=units,
                path=parts[section_of[id(run[0])]].path,
                section=section_of[id(run[0])],
                members=members,
                nest=_PageNest(parts=parts, starts=starts, members=members),
                start="block" if number else "page",
                end="page",
            )


def _pages(parts: tuple[Section, ...]) -> Iterator[list[tuple[Block, int]]]:
    """Yield the blocks of each page, each with the index of its section."""
    page: int | None = None
    current: list[tuple[Block, int]] = []
    for index, section in enumerate(parts):
        for block in (section.heading, *section.blocks):
            if block is None:
                continue
            if current and block.page is not None and block.page != page:
                yield current
                current = []
            page = block.page if block.page is not None else page
            current.append((block, index))
    if current:
        yield current


class _PageNest(Nest):
    """Finds the section that a chunk begins in."""

    def home(self, start: int, end: int) -> tuple[int, tuple[str, ...]]:
        """Return the index of the section at ``start``, and its path less the heading that stands there."""
        index = max(self.members[0], bisect_right(self.starts, start) - 1)
        section = self.parts[index]
        heading = section.heading
        begins = heading is not None and start < heading.span.end and bool(heading.attrs.get("text"))
        return index, section.path[:-1] if begins else section.path
