"""Overlap: text of the chunk before, repeated where a cut loses meaning; whole sentences or words, never a fragment."""

from __future__ import annotations

from withgrain.chunk.policy import Policy
from withgrain.chunk.ruler import Ruler
from withgrain.chunk.split_text import grapheme_boundary, sentence_starts, word_starts
from withgrain.chunk.unit import Unit
from withgrain.model import Part, Span

#: Characters that hold at most one token of overlap budget: how far back it is worth looking.
_REACH = 12


def overlap_before(units: list[Unit], index: int, ruler: Ruler, policy: Policy, most: int) -> tuple[Part, ...]:
    """Return the overlap part in front of ``units[index]``; empty where the policy repeats nothing."""
    kind = units[index].kind
    if most <= 0 or not ("*" in policy.overlap_at or kind in policy.overlap_at):
        return ()
    text, end = ruler.text, units[index].start
    sizes: list[int] = []
    if kind == "window":
        start = max(units[0].start, end - most + 1)  # one for the line break behind it
        start = grapheme_boundary(text, units[0].start, start, end)
    else:
        start = _start(text, units[0].start, end, ruler, most, sizes, sentences=policy.joint == "block")
    body = text[start:end].strip() if kind != "window" else text[start:end]
    if not body.strip():
        return ()
    if sizes:
        ruler.know(body, sum(sizes))
    at = start + text[start:end].index(body)
    return (Part(role="overlap", text=body, span=Span(start=at, end=at + len(body))),)


def _start(text: str, floor: int, end: int, ruler: Ruler, most: int, sizes: list[int], *, sentences: bool) -> int:
    """Return the earliest start of whole sentences (or words) in front of ``end`` that fit into ``most``.

    Pieces are counted one by one from the end, so that little more than the overlap is encoded; the sizes of those
    that fit are added to ``sizes``.
    """
    reach = max(floor, end - most * _REACH)
    if sentences:
        starts = [s for s in sentence_starts(text, reach, end) if s == floor or s > reach]
    else:
        starts = [s for s in word_starts(text, reach, end, most // 2) if s == floor or s > reach]
    room, best = most, end
    for start in reversed(starts):
        size = ruler.count(text[start:best].strip())
        if size > room:
            break
        sizes.append(size)
        room, best = room - size, start
    return best
