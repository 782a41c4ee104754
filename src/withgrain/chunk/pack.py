"""The one packer: adjacent units into chunks, at the cheapest cuts near the target, never above the maximum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from withgrain.chunk.policy import Budget
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.unit import Unit
from withgrain.model import Part

#: A rest that exceeds the target by less than this share is not cut in two.
TOLERANCE = 1.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Units ``[first, stop)`` that make one chunk.

    Attributes:
        first: Index of the first unit.
        stop: Index behind the last one.
        lead: Parts in front of the body, the overlap included.
        trail: Parts behind it.
        start: Why the chunk begins there.
        end: Why it ends there.
    """

    first: int
    stop: int
    lead: tuple[Part, ...]
    trail: tuple[Part, ...]
    start: str
    end: str


#: Returns what to repeat in front of the unit with this index; nothing where no meaning is lost.
Overlap = Callable[[int], tuple[Part, ...]]


def no_overlap(index: int) -> tuple[Part, ...]:
    """Repeat nothing."""
    return ()


def pack(
    units: list[Unit],
    ruler: Ruler,
    budget: Budget,
    *,
    even: bool,
    overlap: Overlap = no_overlap,
    start: str = "section",
    end: str = "section",
) -> list[Pack]:
    """Pack measured units into chunks.

    Args:
        units: Each fits into ``budget.maximum`` with its own parts.
        ruler: Measures the parts.
        budget: ``maximum`` and ``target`` hold for lead + units + trail (the path is already taken off);
            ``minimum`` is what the last chunk should have, where the cuts allow it.
        even: Cut into parts of even size instead of full ones and a rest.
        overlap: See `Overlap`.
        start: Why the first chunk begins.
        end: Why the last one ends.
    """
    sums = [0, *accumulate(u.size for u in units)]
    packs: list[Pack] = []
    first, total = 0, len(units)
    while first < total:
        lead = (*overlap(first), *units[first].lead) if first else units[first].lead
        base = ruler.parts(lead)
        if base > budget.maximum // 2 and first:
            lead, base = units[first].lead, ruler.parts(units[first].lead)
        stop = _stop(units, sums, first, base, budget, ruler, even=even)
        packs.append(
            Pack(
                first=first,
                stop=stop,
                lead=lead,
                trail=units[stop - 1].trail,
                start=units[first].kind if first else start,
                end=units[stop].kind if stop < total else end,
            )
        )
        first = stop
    return packs


def _stop(
    units: list[Unit], sums: list[int], first: int, base: int, budget: Budget, ruler: Ruler, *, even: bool
) -> int:
    """Return the index behind the last unit of the chunk that begins with ``first``."""
    total = len(units)
    rest = sums[total] - sums[first]
    if base + rest <= (budget.target * TOLERANCE if even else budget.target) and base + rest <= budget.maximum:
        return total
    goal: float = budget.target
    if even:
        room = max(1, budget.target - base)
        goal = base + rest / max(1, -(-rest // room))
    best, best_key = first + 1, None
    floor = goal / 2
    least = min(budget.minimum, floor) if even else 0  # a rest below it would be a chunk of a few words
    for stop in range(first + 1, total + 1):
        trail = units[stop - 1].trail
        size = base + sums[stop] - sums[first] + (ruler.parts(trail) if trail else 0)
        if size > budget.maximum and stop > first + 1:
            break
        cost = units[stop].cost if stop < total else 0
        small = size < floor
        small = small or 0 < sums[total] - sums[stop] < least
        key = (small, cost if not small else cost // 10, abs(size - goal) + (size > budget.target) * (size - goal))
        if best_key is None or key <= best_key:
            best, best_key = stop, key
        if base + sums[stop] - sums[first] > budget.maximum:
            break
    return best
