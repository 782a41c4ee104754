"""Small sections: those without a signal of their own may join their small siblings, headings kept in the body."""

from __future__ import annotations

from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.region import Region
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.unit import STRONG_BOND, Unit
from withgrain.model import Section
from withgrain.signals import detect, has_own_signal


def merge_siblings(
    regions: list[Region], parts: tuple[Section, ...], ruler: Ruler, budget: Budget, policy: Policy
) -> list[Region]:
    """Return the regions with runs of small sibling sections joined up to the target.

    A section joins when it has no subsections, stands under the same parent as its neighbour, is below the minimum,
    states nothing that detectors find (such a section is an atomic fact and is never merged), and has no block of a
    kind that ``policy.merge_never`` names.
    """
    parents = {s.parent for s in parts}
    runs_of = [0] * len(parts)
    for region in regions:
        runs_of[region.section] += 1

    result: list[Region] = []
    group: list[Region] = []
    size = 0
    for region in regions:
        section = parts[region.section]
        own = sum(max(u.size, 0) for u in region.units)
        small = (
            section.heading is not None
            and region.section not in parents
            and runs_of[region.section] == 1
            and all(u.size >= 0 for u in region.units)
            and own < budget.minimum
            and not any(u.block is not None and u.block.kind in policy.merge_never for u in region.units)
            and not has_own_signal(detect(section.span.of(ruler.text), rules=policy.signals))
        )
        heading = ruler.part(section.path[-1]) if small and section.path else 0
        joins = small and group and parts[group[-1].section].parent == section.parent
        if not joins or size + own + heading > budget.target:
            result.extend(_joined(group, parts))
            group, size = [], 0
        if small:
            group.append(region)
            size += own + heading
        else:
            result.append(region)
    result.extend(_joined(group, parts))
    return result


def _joined(group: list[Region], parts: tuple[Section, ...]) -> list[Region]:
    if len(group) < 2:
        return group
    units: list[Unit] = []
    for region in group:
        heading = parts[region.section].heading
        if heading is not None and region.units[0].start > heading.span.start:
            units.append(Unit(start=heading.span.start, end=heading.span.end, kind="section"))
            region.units[0].bond = STRONG_BOND
        units.extend(region.units)
    first = parts[group[0].section]
    members = tuple(region.section for region in group)
    start, end = group[0].start, group[0].end
    return [Region(units=units, path=first.path[:-1], section=group[0].section, members=members, start=start, end=end)]
