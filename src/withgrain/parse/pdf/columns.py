"""Reading order: a page is cut into bands and columns, recursively, until a region holds one column.

The idea of alternating cuts is that of the recursive X-Y cut (Nagy and Seth, 1984); here the vertical cut comes first
and what crosses it (titles, wide tables) parts the bands.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from withgrain.parse.pdf.lines import Line

#: Width of the slots in which crossing lines are counted, in points.
SLOT = 2.0
#: At least so many lines stand on either side of a gutter.
LEAST_LINES = 3
#: At most this share of the lines crosses a gutter.
MOST_CROSSING = 0.3
#: At most this share crosses one between columns of short entries.
MOST_CROSSING_CARDS = 0.03
#: A page is cut at most so deep.
MAX_DEPTH = 6


def regions(lines: Sequence[Line], depth: int = 0) -> list[list[Line]]:
    """Return the lines in reading order, as regions of one column each; inside a region from top to bottom."""
    if not lines:
        return []
    cut = _gutter(lines) if depth < MAX_DEPTH else None
    if cut is None:
        return [sorted(lines, key=lambda line: (line.base, line.x0))]
    left = [line for line in lines if line.x1 <= cut]
    right = [line for line in lines if line.x0 >= cut]
    crossing = sorted((line for line in lines if line.x0 < cut < line.x1), key=lambda line: line.base)
    found: list[list[Line]] = []
    top = float("-inf")
    for group in [*_groups(crossing, [*left, *right]), []]:
        bottom = group[0].base if group else float("inf")
        for side in (left, right):
            found.extend(regions([line for line in side if top < line.base <= bottom], depth + 1))
        if group:
            found.append(group)
            top = group[-1].base
    return found


def _groups(crossing: Sequence[Line], others: Sequence[Line]) -> list[list[Line]]:
    """Return runs of crossing lines with no line of a column between them."""
    bases = sorted(line.base for line in others)
    found: list[list[Line]] = []
    for line in crossing:
        if found:
            above = found[-1][-1].base
            if not any(above < base < line.base for base in bases):
                found[-1].append(line)
                continue
        found.append([line])
    return found


def _gutter(lines: Sequence[Line]) -> float | None:
    """Return where a column ends and the next begins; None when there is one column."""
    if len(lines) < 2 * LEAST_LINES:
        return None
    low, high = min(line.x0 for line in lines), max(line.x1 for line in lines)
    slots = int((high - low) / SLOT) + 1
    if slots < 10 or slots > 100_000:  # narrower than a word, or no page of this world
        return None
    change = [0] * (slots + 1)
    for line in lines:
        change[int((line.x0 - low) / SLOT)] += 1
        change[int((line.x1 - low) / SLOT) + 1 if int((line.x1 - low) / SLOT) + 1 <= slots else slots] -= 1
    crossing, count = [], 0
    for step in change[:slots]:
        count += step
        crossing.append(count)
    most = MOST_CROSSING * len(lines)
    best: tuple[float, float] | None = None
    size = median(line.size for line in lines)
    for start, stop, level in _valleys(crossing):
        wide = (stop - start) * SLOT
        middle = low + (start + stop) / 2 * SLOT
        if level > most or wide < max(0.8 * size, 6.0):
            continue
        cards = level <= MOST_CROSSING_CARDS * len(lines) and wide >= size and _cards(lines, middle)
        if not cards and not _columns(lines, middle):
            continue
        key = (-level, wide)
        if best is None or key > best[0:2]:
            best = (-level, wide)
            place = middle
    return place if best is not None else None


def _valleys(crossing: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return runs of equal height that are lower than both neighbours: (start, stop, height)."""
    found = []
    start = 0
    for index in range(1, len(crossing) + 1):
        if index < len(crossing) and crossing[index] == crossing[start]:
            continue
        inner = start > 0 and index < len(crossing)
        if inner and crossing[start - 1] > crossing[start] < crossing[index]:
            found.append((start, index, crossing[start]))
        start = index
    return found


def _columns(lines: Sequence[Line], cut: float) -> bool:
    """Return whether prose stands on both sides, next to each other: not a table, a margin or a list of numbers."""
    left = [line for line in lines if line.x1 <= cut]
    right = [line for line in lines if line.x0 >= cut]
    if len(left) < LEAST_LINES or len(right) < LEAST_LINES:
        return False
    top = max(min(line.base for line in left), min(line.base for line in right))
    bottom = min(max(line.base for line in left), max(line.base for line in right))
    shorter = min(_height(left), _height(right))
    if shorter <= 0 or (bottom - top) < 0.4 * shorter or _typed_across(left, right):
        return False
    return all(_prose(side) for side in (left, right))


def _typed_across(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Return whether what stands on the right are the ends of lines of code: comments, aligned values."""
    typed = [line for line in right if line.mono]
    if len(typed) < 0.5 * len(right):
        return False
    code = [line.base for line in left if line.mono]
    return sum(any(abs(line.base - base) < 2 for base in code) for line in typed) >= 0.5 * len(typed)


def _cards(lines: Sequence[Line], cut: float) -> bool:
    """Return whether columns of short entries (a reference card) stand on both sides, each under headings of its own.

    The headings of the right side stand at its left edge and on other heights than those of the left side: in a table
    they would be names of columns, and between the two parts of an entry there are none.
    """
    left = [line for line in lines if line.x1 <= cut]
    right = [line for line in lines if line.x0 >= cut]
    if len(left) < LEAST_LINES or len(right) < LEAST_LINES:
        return False
    edge = min(line.x0 for line in right) + 3 * median(line.size for line in right)
    here = _set_apart(left)
    there = [line for line in _set_apart(right) if line.x0 <= edge]
    if len(here) < 2 or len(there) < 2:
        return False
    alike = sum(any(abs(a.base - b.base) < 2 for a in here) for b in there)
    return alike <= 0.5 * len(there)


def _set_apart(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that are set like headings: larger or bolder than most, and few."""
    size = median(line.size for line in lines)
    found = [line for line in lines if line.size >= 1.12 * size or line.bold]
    return found if len(found) <= 0.4 * len(lines) else []


def _height(lines: Sequence[Line]) -> float:
    return max(line.base for line in lines) - min(line.base for line in lines)


def _prose(lines: Sequence[Line]) -> bool:
    """Return whether lines fill their side, as running text does and the cells of a table do not.

    A side may itself hold several columns: what stands on one height counts together. Prose with a table or a list
    among it has most of its letters on full lines.
    """
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    filled: dict[int, float] = {}
    letters: dict[int, int] = {}
    for line in lines:
        height = round(line.base / 2)
        filled[height] = filled.get(height, 0.0) + line.x1 - line.x0
        letters[height] = letters.get(height, 0) + len(line.text)
    wide = width >= 8 * median(line.size for line in lines)
    usual = median(letters.values()) >= 10 and median(filled.values()) >= 0.5 * width
    full = sum(n for height, n in letters.items() if n >= 25 and filled[height] >= 0.7 * width)
    return wide and (usual or full >= 0.6 * sum(letters.values()))
