"""Dropping what is below the minimum, as chunkers with a lower bound do: only to measure what that loses."""

from __future__ import annotations

from withgrain.chunk.region import Region
from withgrain.chunk.ruler import Ruler
from withgrain.model import Drop, Section, Span


def drop_small(
    regions: list[Region], parts: tuple[Section, ...], ruler: Ruler, minimum: int
) -> tuple[list[Region], list[Drop], dict[int, int]]:
    """Return the regions of the sections that reach the minimum, and as drops the text and headings of the others.

    Third, the sizes of the sections whose regions are dropped.

    A heading without text has nothing that could reach it; a heading that is in the path of a kept section stays.
    """
    ruler.measure(u for r in regions for u in r.units)
    sizes = [0] * len(parts)
    for region in regions:
        if not _is_heading(region, parts):
            sizes[region.section] += sum(u.size for u in region.units)
    small = [size < minimum or size == 0 for size in sizes]
    named = {ancestor for index, dropped in enumerate(small) if not dropped for ancestor in _upward(index, parts)}
    below = [
        Drop(span=span, reason="below_minimum", text=span.of(ruler.text))
        for span in (
            *(Span(start=r.units[0].start, end=r.units[-1].end) for r in regions if small[r.section]),
            *(s.heading.span for index, s in enumerate(parts) if s.heading is not None and index not in named),
        )
    ]
    kept = [region for region in regions if not small[region.section]]
    drops = sorted(dict.fromkeys(below), key=lambda d: (d.span or Span(start=0, end=0)).start)
    return kept, drops, {r.section: sizes[r.section] for r in regions if small[r.section]}


def _is_heading(region: Region, parts: tuple[Section, ...]) -> bool:
    heading = parts[region.section].heading
    return heading is not None and not parts[region.section].long_heading and region.units[0].start < heading.span.end


def _upward(index: int | None, parts: tuple[Section, ...]) -> list[int]:
    found: list[int] = []
    while index is not None:
        found.append(index)
        index = parts[index].parent
    return found
