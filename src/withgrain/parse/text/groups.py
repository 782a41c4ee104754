"""Runs of lines between blank lines."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.model import Block


@dataclass(slots=True)
class Group:
    """A run of lines that are not blank.

    Attributes:
        start: Beginning of its first line.
        end: Behind the line break of its last line.
        first_end: Behind the line break of its first line; of a heading, behind that of its title.
        heading: The block, once it is known to be a heading.
        title: Where the title of a heading starts that has signs above it or in front of it; -1 of everything else.
    """

    start: int
    end: int
    first_end: int
    heading: Block | None = None
    title: int = -1


def groups_of(text: str) -> list[Group]:
    """Return the groups of a text, in order. A line of white space only is blank; a form feed begins a group."""
    groups: list[Group] = []
    at, length = 0, len(text)
    current: Group | None = None
    while at < length:
        newline = text.find("\n", at)
        stop = length if newline < 0 else newline + 1
        if newline == at or (text[at].isspace() and text[at:stop].isspace()):
            current = None
        elif current is None or text[at] == "\f":
            current = Group(at, stop, stop)
            groups.append(current)
        else:
            current.end = stop
        at = stop
    return groups
