"""A text with pieces taken out or replaced, and the way back from places in it to the text that it was made of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from withgrain.model import Span


class Edit(NamedTuple):
    """What stands in place of ``text[start:end]``; nothing for an empty ``by``."""

    start: int
    end: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """The edits of one step: where each begins and ends in the new text, and in the old one."""

    new: list[tuple[int, int]]
    old: list[tuple[int, int]]
    begins: list[int]

    def start(self, at: int) -> int:
        n = bisect_right(self.begins, at) - 1
        if n < 0:
            return at
        return self.old[n][0] if at < self.new[n][1] else self.old[n][1] + at - self.new[n][1]

    def end(self, at: int) -> int:
        """Return the end, in the old text, of the character in front of ``at``."""
        n = bisect_right(self.begins, at - 1) - 1
        if n < 0:
            return at
        return self.old[n][1] + max(0, at - self.new[n][1])


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after some steps of editing."""

    text: str
    steps: tuple[_Step, ...] = ()

    def edit(self, edits: Iterable[Edit], text: str | None = None) -> Edited:
        """Return this text after one more step; of edits that overlap the first counts.

        Args:
            edits: Places in this text, in any order.
            text: As long as this text: other characters for the same places.
        """
        text = self.text if text is None else text
        out: list[str] = []
        step = _Step([], [], [])
        done, length = 0, 0
        for start, end, by in sorted(edits):
            if start < done or (start == end and not by):
                continue
            out += (text[done:start], by)
            length += start - done
            step.begins.append(length)
            step.new.append((length, length + len(by)))
            step.old.append((start, end))
            done, length = end, length + len(by)
        out.append(text[done:])
        return Edited("".join(out), (*self.steps, step) if step.new else self.steps)

    def source(self, start: int, end: int) -> Span:
        """Return where a range that is not empty stands in the first text, without what was taken out around it."""
        for step in reversed(self.steps):
            start, end = step.start(start), step.end(end)
        return Span(start=start, end=end)
