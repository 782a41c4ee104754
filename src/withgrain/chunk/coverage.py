"""The proof of invariant 1: every word of the text is in a body, under a heading that is in a path, or declared."""

from __future__ import annotations

import re
from collections.abc import Iterable

from withgrain.model import Chunk, Document, Drop, Section, Span

_WORD = re.compile(r"\w+")
_REPORTED = 20


def count_words(text: str) -> int:
    """Return the number of words separated by white space."""
    return len(text.split())


def lost_words(
    document: Document, parts: tuple[Section, ...], chunks: Iterable[Chunk], dropped: Iterable[Drop]
) -> tuple[int, tuple[Span, ...]]:
    """Return how many words are nowhere, and where the first of them stand."""
    covered: list[tuple[int, int]] = [(d.span.start, d.span.end) for d in dropped if d.span is not None]
    paths: set[tuple[str, ...]] = set()
    for chunk in chunks:
        if chunk.span is not None:
            covered.append((chunk.span.start, chunk.span.end))
        for path in (chunk.heading_path, *(ref.path for ref in chunk.sections)):
            paths.update(path[:depth] for depth in range(1, len(path) + 1))
    for section in parts:
        if section.heading is not None and section.path in paths and not section.long_heading:
            covered.append((section.heading.span.start, section.heading.span.end))
    covered.sort()

    lost: list[Span] = []
    count, at = 0, 0
    for start, end in [*covered, (len(document.text), len(document.text))]:
        if start > at:
            for match in _WORD.finditer(document.text, at, start):
                count += 1
                if len(lost) < _REPORTED:
                    lost.append(Span(start=match.start(), end=match.end()))
        at = max(at, end)
    return count, tuple(lost)
