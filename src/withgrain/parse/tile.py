"""Top-level blocks that tile the text: fills the gaps between what a parser found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from withgrain.model import Block, Span
from withgrain.parse.build import make_block

#: Makes blocks of a gap that is not blank; gets its start and end, whole lines.
Fill = Callable[[int, int], list[Block]]

_WORD = re.compile(r"\S")


def content(text: str, blocks: Iterable[Block], start: int, end: int, fill: Fill) -> list[Block]:
    """Return ``blocks`` and what ``fill`` makes of the gaps between them that are not blank; the rest as `tile`."""
    result: list[Block] = []
    at = start
    for block in blocks:
        span = block.span
        first, last = span.start, span.end
        if last <= at or (
            text[first] in " \t\n" and block.kind in ("paragraph", "code") and text[first:last].isspace()
        ):
            continue
        if first > at + 1 and not text[at:first].isspace():
            for low, high in _paragraphs(text, at, first):
                result.extend(fill(low, high))
        result.append(block if first >= at else replace(block, span=Span(start=at, end=last)))
        at = last
    if at < end and not text[at:end].isspace():
        for low, high in _paragraphs(text, at, end):
            result.extend(fill(low, high))
    return result


def with_blanks(text: str, blocks: Iterable[Block], start: int, end: int) -> tuple[Block, ...]:
    """Return blocks with a ``blank`` block in every gap, so that they tile ``[start, end)``."""
    result: list[Block] = []
    at = start
    for block in blocks:
        first = block.span.start
        if first > at:
            result.append(make_block("blank", at, first))
        result.append(block)
        at = block.span.end
    if at < end:
        result.append(make_block("blank", at, end))
    return tuple(result)


def tile(text: str, blocks: Iterable[Block], start: int, end: int, fill: Fill) -> list[Block]:
    """Return ``blocks`` with the gaps in ``[start, end)`` filled, so that they tile it.

    White space becomes one ``blank`` block a run; ``fill`` is asked about everything else. ``blocks`` are in order and
    begin and end at line boundaries. Where two overlap, the later one begins behind the earlier one. A paragraph or
    indented code of white space only counts as a gap.
    """
    result: list[Block] = []
    at = start
    for block in blocks:
        span = block.span
        first, last = span.start, span.end
        if block.kind in ("paragraph", "code") and text[first:last].isspace():
            continue
        if last <= at:
            continue
        if first == at + 1 and text[at] == "\n":
            result.append(make_block("blank", at, first))
        elif first > at:
            _gap(text, at, first, fill, result)
        result.append(block if first >= at else replace(block, span=Span(start=at, end=last)))
        at = last
    if at < end:
        _gap(text, at, end, fill, result)
    return result


def _gap(text: str, start: int, end: int, fill: Fill, result: list[Block]) -> None:
    if text[start:end].isspace():
        result.append(make_block("blank", start, end))
        return
    at = start
    for first, last in _paragraphs(text, start, end):
        if first > at:
            result.append(make_block("blank", at, first))
        result.extend(fill(first, last))
        at = last
    if at < end:
        result.append(make_block("blank", at, end))


def _paragraphs(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the runs of lines between blank lines, whole lines each."""
    runs: list[tuple[int, int]] = []
    at = start
    open_run = -1
    while at < end:
        newline = text.find("\n", at, end)
        stop = end if newline < 0 else newline + 1
        if text[at:stop].isspace():
            if open_run >= 0:
                runs.append((open_run, at))
                open_run = -1
        elif open_run < 0:
            open_run = at
        at = stop
    if open_run >= 0:
        runs.append((open_run, end))
    return runs
