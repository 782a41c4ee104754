"""The cascade: a unit that does not fit is replaced by its pieces, again and again, until every piece fits."""

from __future__ import annotations

import re
from dataclasses import replace

from withgrain.chunk.ruler import Ruler
from withgrain.chunk.split_block import as_records, bind_lines, split_block
from withgrain.chunk.split_text import grapheme_starts, line_starts, record_starts, sentence_starts, word_starts
from withgrain.chunk.unit import Unit, tile
from withgrain.model import Block, Part

#: Parts may take this share of a chunk; beyond it the outermost are left out first.
PART_SHARE = 3
#: Times that share: the most for parts with the header of a table, without which its cells mean little.
HEADER_SHARES = 2
_WORD_RUNS = 8  # runs of words a chunk: fine enough to fill it, coarse enough to stay few
_TEXT_LEVELS = ("line", "sentence", "word", "grapheme")
_FENCE = re.compile(r"[ \t]*(?:`+|~+)")


def explode(units: list[Unit], ruler: Ruler, maximum: int, split_kinds: set[tuple[str, int]]) -> list[Unit]:
    """Return units that each fit into ``maximum`` together with their own parts, in the same order.

    Iterative, and every step makes pieces smaller, so hostile nesting and 10 MB lines end. The kind and start of
    every block that had to be split is added to ``split_kinds``.
    """
    ruler.measure(u for u in units if not ruler.surely_longer(u, maximum))
    result: list[Unit] = []
    stack = list(reversed(units))
    while stack:
        unit = stack.pop()
        if (0 <= unit.size <= maximum and not unit.lead and not unit.trail) or fits(unit, ruler, maximum):
            result.append(unit)
            continue
        slim = _slim(unit, ruler, maximum)
        if slim is not None:
            stack.append(slim)
            continue
        if unit.block is not None:
            split_kinds.add((unit.block.kind, unit.start))
        pieces = split(unit, ruler, maximum)
        if ruler.records:
            for piece in pieces:
                as_records(piece, ruler.text)
        if unit.block is not None and unit.block.kind == "table" and _lost_header(unit.block, pieces):
            split_kinds.add(("table_header", unit.start))
        if len(pieces) == 1 and pieces[0].block is unit.block and pieces[0].kind == unit.kind:
            result.append(unit)  # one grapheme cluster: nothing is left to cut
            continue
        ruler.measure(p for p in pieces if not ruler.surely_longer(p, maximum))
        stack.extend(reversed(pieces))
    return result


def fits(unit: Unit, ruler: Ruler, maximum: int) -> bool:
    """Return whether a chunk of this unit alone stays within ``maximum``."""
    if ruler.surely_longer(unit, maximum):
        return False
    if unit.size < 0:
        ruler.measure([unit])
    if not unit.lead and not unit.trail:
        return unit.size <= maximum
    return unit.size + ruler.parts(unit.lead) + ruler.parts(unit.trail) <= maximum


def split(unit: Unit, ruler: Ruler, maximum: int) -> list[Unit]:
    """Return the pieces of ``unit`` one step further down the cascade."""
    text = ruler.text
    if unit.block is not None:
        pieces = split_block(unit, text)
        if len(pieces) > 1 or pieces[0].block is not unit.block:
            return _affordable(pieces, ruler, maximum)
        unit = replace(unit, block=None)
    for level in _TEXT_LEVELS:
        starts = _starts(level, unit, ruler, maximum)
        if len(starts) > 1:
            pieces = tile(unit, starts, level)
            return bind_lines(pieces, text) if level == "line" and unit.kind == "statement" else pieces
    return [unit]


def _starts(level: str, unit: Unit, ruler: Ruler, maximum: int) -> list[int]:
    text, start, end = ruler.text, unit.start, unit.end
    if level == "line":
        # Hard-wrapped prose is no list of lines: lines count as joints only where they look like records.
        if unit.kind in ("statement", "line", "row"):
            return line_starts(text, start, end)
        return record_starts(text, start, end) if unit.kind not in _TEXT_LEVELS else [start]
    if level == "sentence":
        return sentence_starts(text, start, end) if unit.kind not in ("sentence", "word", "grapheme") else [start]
    width = max(1, (end - start if unit.size < 0 else _width(unit, maximum)) // _WORD_RUNS)
    width = min(width, max(1, maximum // _WORD_RUNS * 4))
    if level == "word" and unit.kind != "grapheme":
        # Verses and the like, without a sentence end: lines before words.
        lines = line_starts(text, start, end) if unit.kind not in _TEXT_LEVELS else []
        if len(lines) > 1:
            return lines
        starts = word_starts(text, start, end, width)
        if len(starts) > 1:
            return starts
    while width >= 1:
        starts = grapheme_starts(text, start, end, width)
        if len(starts) > 1 or width == 1:
            return starts
        width //= 2
    return [start]


def _width(unit: Unit, maximum: int) -> int:
    """Characters that make about ``maximum`` tokens in this unit."""
    return max(1, (unit.end - unit.start) * maximum // max(1, unit.size))


def _affordable(units: list[Unit], ruler: Ruler, maximum: int) -> list[Unit]:
    """Leave out the outermost stems and the name of a column, so that parts take at most their share of the chunk."""
    most = maximum // PART_SHARE
    known: dict[int, tuple[Part, ...]] = {}  # by identity: the pieces of a block share their parts

    def trimmed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        found = known.get(id(parts))
        if found is None:
            found = known[id(parts)] = _trimmed(parts, ruler, most)
        return found

    result = []
    for unit in units:
        named = replace(unit, label="") if unit.label and ruler.label(unit.label) > most else unit
        result.append(_with_parts(named, trimmed(unit.lead), trimmed(unit.inner_lead)))
    return result


def _with_parts(unit: Unit, lead: tuple[Part, ...], inner: tuple[Part, ...]) -> Unit:
    if (lead, inner) == (unit.lead, unit.inner_lead):
        return unit
    trimmed = replace(unit, lead=lead, inner_lead=inner)
    if any(p.role == "fence_open" for p in (*lead, *inner)):
        return trimmed
    return replace(trimmed, trail=_unfenced(unit.trail), inner_trail=_unfenced(unit.inner_trail))


def _lost_header(table: Block, pieces: list[Unit]) -> bool:
    """Return whether the parts of a table go without its header, since it is over the share of parts."""
    has = any(row.attrs.get("role") == "header" for row in table.children)
    return has and not any(part.role == "table_header" for part in pieces[-1].inner_lead)


def _unfenced(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(p for p in parts if p.role != "fence_close")


def _trimmed(parts: tuple[Part, ...], ruler: Ruler, most: int) -> tuple[Part, ...]:
    """Return the parts that ``most`` allows: stems go first (the outermost first), then headers, then fences."""
    if not parts:
        return parts
    kept = list(parts)
    while kept and ruler.parts(tuple(kept)) > most * (HEADER_SHARES if _has_header(kept) else 1):
        for roles in (("stem", "marker"), ("table_header", "signature"), ("fence_open",)):
            least = next((p for p in kept if p.role in roles), None)
            if least is not None:
                break
        if least is None:
            break
        kept.remove(least)
        bare = _FENCE.match(least.text) if least.role == "fence_open" else None
        if bare is not None and len(bare.group()) < len(least.text):  # shorter each time, so this ends
            kept.append(replace(least, text=bare.group()))
    return tuple(kept)


def _has_header(parts: list[Part]) -> bool:
    return any(part.role == "table_header" for part in parts)


def _slim(unit: Unit, ruler: Ruler, maximum: int) -> Unit | None:
    """Parts shrink before an atom splits: return ``unit`` less its footnotes, stems, or header, when that makes it fit.

    Footnotes that do not fit beside it are left to its pieces.
    """
    if unit.notes:
        return replace(unit, notes=(), size=unit.size - ruler.parts(unit.notes))
    if not unit.lead or unit.block is None:
        return None
    for roles in (("fence_open", "table_header"), ("fence_open",)):
        kept = tuple(p for p in unit.lead if p.role in roles)
        slim = replace(unit, lead=kept)
        if kept != unit.lead and fits(slim, ruler, maximum):
            return slim
    return None
