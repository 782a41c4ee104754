"""Footnotes travel with what refers to them: the chunk of a reference carries the note as a part."""

from __future__ import annotations

from bisect import bisect_left
from typing import Protocol

from withgrain.model import Document, Part, Span


class Measure(Protocol):
    """Measures repeated texts."""

    def part(self, text: str) -> int:
        """Return the size of a repeated text."""
        ...


class Notes:
    """The references of one document and the notes that they point to."""

    def __init__(self, document: Document, most: int) -> None:
        """Read the resolved footnote references; the notes of one piece take at most ``most`` together."""
        found = [(k.span.start, k.resolved) for k in document.links if k.kind == "footnote" and k.resolved is not None]
        self._starts = [start for start, _ in found]
        self._notes = [note for _, note in found]
        self._text, self._most = document.text, most

    def __bool__(self) -> bool:
        """Return whether anything refers to a note."""
        return bool(self._starts)

    def of(self, start: int, end: int, measure: Measure) -> tuple[Part, ...]:
        """Return the notes that ``text[start:end]`` refers to, those inside it not counted, while they fit."""
        low = bisect_left(self._starts, start)
        high = bisect_left(self._starts, end, low)
        if low == high:
            return ()
        room, parts = self._most, []
        for note in dict.fromkeys(self._notes[low:high]):
            if note.start < end and start < note.end:
                continue
            part = self._part(note)
            room -= measure.part(part.text)
            if room < 0:
                break
            parts.append(part)
        return tuple(parts)

    def _part(self, note: Span) -> Part:
        text = note.of(self._text).rstrip()
        return Part(
            role="footnote", text=text, span=Span(start=note.start, end=note.start + len(text)), position="after"
        )


def notes_of(document: Document, most: int) -> Notes | None:
    """Return the footnotes of a document; None when nothing refers to any."""
    if "[^" not in document.text:
        return None
    return Notes(document, most) or None
