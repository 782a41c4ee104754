"""YAML with the place of everything, from the parser's events: nothing is constructed, no alias is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from withgrain.parse.data.tree import Member

#: A parser of events has no limit of its own on nesting; deeper text is cut at its lines.
_DEEPEST = 500
_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*\Z")
_COMMENT = re.compile(r"[ \t]*#")


class TooDeep(ValueError):
    """The text is nested deeper than any configuration is."""


@dataclass(slots=True)
class _Open:
    member: Member
    key: str | None = None
    begin: int = -1
    count: int = 0
    waiting: bool = field(default=False)  # a mapping that waits for the value of its key


class YamlTree:
    """The documents of one text.

    Attributes:
        documents: One member each, in order; they do not hold the lines ``---``.

    Raises:
        yaml.YAMLError: The text is not YAML.
        TooDeep: See there.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.documents: list[Member] = []
        self._stack: list[_Open] = []
        self._behind = 0  # the end of the last value: no comment in front of it belongs to what follows
        for event in _events(text):
            self._take(type(event).__name__, event)

    def _take(self, kind: str, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if kind == "DocumentStartEvent":
            self._document(start, end, explicit=event.explicit)
        elif kind == "DocumentEndEvent":
            self._stack.pop()
            self.documents[-1].end = start
            _settle(self.documents[-1])
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._opened(start, "map" if kind[0] == "M" else "list")
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._stack.pop()
            if end > start:  # a bracket; the end of a block is where the next thing begins
                self._behind = end
        elif kind in ("ScalarEvent", "AliasEvent"):
            self._scalar(start, end, event.value if kind[0] == "S" else f"*{event.anchor}")

    def _document(self, start: int, end: int, *, explicit: bool) -> None:
        if self.documents and self.documents[-1].end > start:
            self.documents[-1].end = start
        newline = self.text.find("\n", end) if explicit else -1
        behind = newline + 1 if newline >= 0 and not self.text[end:newline].strip() else end
        member = Member("", behind if explicit else self._behind, len(self.text), "scalar")
        self.documents.append(member)
        self._stack = [_Open(member)]
        self._behind = member.start

    def _opened(self, start: int, kind: str) -> None:
        member = self._member(start)
        member.kind = "map" if kind == "map" else "list"
        self._stack.append(_Open(member))
        if len(self._stack) > _DEEPEST:
            raise TooDeep(f"It is nested more than {_DEEPEST} levels deep.")

    def _scalar(self, start: int, end: int, value: str) -> None:
        top = self._stack[-1]
        if top.member.kind == "map" and len(self._stack) > 1 and not top.waiting:
            top.key, top.begin, top.waiting = value, self._start(start), True
        else:
            self._member(start).value = value
        self._behind = max(self._behind, end)

    def _member(self, start: int) -> Member:
        """Return the new member of the innermost container that begins here: the document, an element or a value."""
        top = self._stack[-1]
        if len(self._stack) == 1:
            return top.member
        if top.member.kind == "map" and not top.waiting:  # a key that is itself a collection
            top.key, top.begin, top.waiting = "?", self._start(start), True
            return Member("?", start, start, "scalar")
        name = top.key if top.key is not None else f"[{top.count}]"
        found = Member(name, top.begin if top.waiting else self._start(start), start, "scalar")
        top.member.members.append(found)
        top.count += 1
        top.key, top.waiting = None, False
        return found

    def _start(self, at: int) -> int:
        """Move a start in front of its dashes, its white space and the comment lines right above it."""
        line = self.text.rfind("\n", 0, at) + 1
        if line < self._behind or not _DASHES.match(self.text, line, at):
            return at
        while line > self._behind:
            above = self.text.rfind("\n", 0, line - 1) + 1
            if above < self._behind or not _COMMENT.match(self.text, above, line):
                break
            line = above
        return line


def _settle(document: Member) -> None:
    """Let every member end where the next one begins, the last where its container ends."""
    stack = [document]
    while stack:
        outer = stack.pop()
        for member, following in zip(outer.members, outer.members[1:], strict=False):
            member.end = following.start
        if outer.members:
            outer.members[-1].end = outer.end
        stack.extend(member for member in outer.members if member.members)


def _events(text: str) -> Iterator[Any]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    yield from yaml.parse(text, Loader=loader)
