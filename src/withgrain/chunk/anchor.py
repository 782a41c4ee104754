"""Content-anchored cuts in long sections, so that an edit moves only the chunks around it.

A long run of units is cut, top down, at the boundary whose neighbouring text has the smallest hash among the cheapest
boundaries, until the pieces are short; each piece is then packed on its own. A boundary's hash does not depend on its
position, so text inserted at the top of a section leaves every other piece as it was. This is the idea of
content-defined chunking (Rabin; LBFS, Muthitacharoen et al. 2001) with a hierarchical minimum instead of a rolling
threshold, which gives pieces between a lower and an upper size.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from zlib import crc32

from withgrain.chunk.unit import COST, Unit

#: A run longer than this many targets is cut into pieces.
LONG = 2.0
#: A piece is at least this many targets long.
SHORT = 0.9
#: Rather than that a piece parts what belongs together it is only this long.
SHORTEST = 0.3
#: Characters behind a boundary that make its hash: few, since an edit among them may move the cut.
_HEAD = 20
#: Characters on each side that decide between equal heads.
_CONTEXT = 60


def anchored(units: list[Unit], text: str, target: float) -> list[tuple[int, int]]:
    """Return index ranges ``[first, stop)`` of pieces that are packed independently; they tile ``units``."""
    sums = [0, *accumulate(u.size for u in units)]
    if sums[-1] <= LONG * target:
        return [(0, len(units))]
    costs = [u.cost for u in units]
    known: dict[int, tuple[int, int]] = {}
    pieces: list[tuple[int, int]] = []
    deepest = 2 * len(units).bit_length() + 8
    stack = [(0, len(units), 0)]
    while stack:
        first, stop, depth = stack.pop()
        cut = None
        if sums[stop] - sums[first] > LONG * target:
            candidates = _candidates(costs, sums, first, stop, target)
            middle = (sums[first] + sums[stop]) / 2
            # Hashes that someone sorted on purpose would make the recursion as deep as the text is long; beyond a
            # depth that chance never reaches, the middle alone decides, so that the work stays n log n.
            if depth < deepest and len(candidates) > 1:
                for k in candidates:
                    if k not in known:
                        known[k] = _hashes(units, k, text)
                least = min(map(known.__getitem__, candidates))
                candidates = [k for k in candidates if known[k] == least]
            cut = min(candidates, key=lambda k: abs(sums[k] - middle), default=None)
        if cut is None:
            pieces.append((first, stop))
        else:
            stack.append((cut, stop, depth + 1))
            stack.append((first, cut, depth + 1))
    return pieces


def _candidates(costs: list[int], sums: list[int], first: int, stop: int, target: float) -> list[int]:
    """Return the cheapest boundaries that leave enough on both sides, or less where all of those part what is bound."""
    found = _cheapest(costs, sums, first, stop, SHORT * target)
    least = costs[found[0]] if found else 0
    if least > COST["item"] and least % 10:  # a bond makes it dearer than its joint
        wider = _cheapest(costs, sums, first, stop, SHORTEST * target)
        if costs[wider[0]] < least:
            return wider
    return found


def _cheapest(costs: list[int], sums: list[int], first: int, stop: int, least: float) -> list[int]:
    """Return the cheapest boundaries with ``least`` on both sides."""
    low = bisect_left(sums, sums[first] + least, first + 1, stop)
    high = bisect_right(sums, sums[stop] - least, low, stop)
    cheapest = min(costs[low:high], default=0)
    return [k for k in range(low, high) if costs[k] == cheapest]


def _hashes(units: list[Unit], k: int, text: str) -> tuple[int, int]:
    before, unit = units[k - 1], units[k]
    left = text[max(before.start, before.end - _CONTEXT) : before.end].strip()
    right = text[unit.start : min(unit.end, unit.start + _CONTEXT)].strip()
    return _crc(right[:_HEAD]), _crc(f"{left}\0{right}")


def _crc(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))
