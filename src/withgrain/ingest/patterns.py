"""Patterns in the syntax of ``.gitignore``, matched in bounded time.

The rules are those of the manual page gitignore(5). Matching is written for patterns that come with the documents and
are therefore untrusted: a segment is matched by the two-pointer algorithm for wildcards (only the last star is ever
tried again), the segments by a row of reachable positions. Both are O(pattern x path); nothing backtracks
exponentially, as a translation into a regular expression would. Names are given in NFC; patterns are brought to it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_STAR = "*"
_MAX_PATTERN = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class _Class:
    """A bracket expression: one character inside (or, negated, outside) some ranges."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def accepts(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True, slots=True, kw_only=True)
class _Any:
    """``?``: any one character."""

    def accepts(self, character: str) -> bool:
        return True


_Token = str | _Class | _Any  # a literal character, the star, or a set of characters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    """One part of a pattern between slashes.

    Attributes:
        literal: The only name that it matches; None when it has wildcards.
        tokens: What it is made of; stars are marked by their positions.
        stars: Positions of the stars in ``tokens``.
        deep: ``**``: any number of segments.
    """

    literal: str | None = None
    tokens: tuple[_Token, ...] = ()
    stars: frozenset[int] = frozenset()
    deep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One line of an ignore file."""

    segments: tuple[_Segment, ...]
    negated: bool
    folders_only: bool

    def matches(self, parts: Sequence[str], folder: bool) -> bool:
        """Return whether the pattern names exactly this file or folder (not what is inside of it)."""
        if self.folders_only and not folder:
            return False
        reachable = {0}
        for part in parts:
            reachable = self._step(reachable, part)
            if not reachable:
                return False
        return len(self.segments) in reachable

    def _step(self, reachable: set[int], part: str) -> set[int]:
        """Return the positions that are reachable behind one more part of the path."""
        last = len(self.segments) - 1
        skipping = {
            at + 1 for at in reachable if at < last and self.segments[at].deep
        }  # a "**" that stands for nothing
        following: set[int] = set()
        for at in reachable | skipping:
            if at > last:
                continue
            if self.segments[at].deep:
                following.add(at)
                if at == last:
                    following.add(at + 1)  # a last "**" stands for everything inside, so for one part at least
            elif _matches_segment(self.segments[at], part):
                following.add(at + 1)
        return following


def parse_pattern(line: str) -> Pattern | None:
    """Read one line of an ignore file; None for a comment, an empty line or a pattern that can match nothing."""
    line = _without_trailing_spaces(unicodedata.normalize("NFC", line.rstrip("\r\n")))
    if not line or line.startswith("#") or len(line) > _MAX_PATTERN:
        return None
    negated = line.startswith("!")
    if negated:
        line = line[1:]
    folders_only = line.endswith("/")
    line = line[:-1] if folders_only else line
    if not line:
        return None
    anchored = "/" in line
    segments: list[_Segment] = [] if anchored else [_Segment(deep=True)]
    for text in line.removeprefix("/").split("/"):
        segment = _Segment(deep=True) if text == "**" else _parse_segment(text)
        if segment is None:
            return None
        if not (segment.deep and segments and segments[-1].deep):
            segments.append(segment)
    return Pattern(segments=tuple(segments), negated=negated, folders_only=folders_only)


def parse_patterns(text: str) -> tuple[Pattern, ...]:
    """Read the lines of an ignore file."""
    return tuple(p for line in text.split("\n") if (p := parse_pattern(line)) is not None)


def decide(patterns: Sequence[Pattern], parts: Sequence[str], folder: bool) -> bool | None:
    """Return what the last matching pattern says: True = ignored, False = kept by ``!``; None when none matches."""
    for pattern in reversed(patterns):
        if pattern.matches(parts, folder):
            return not pattern.negated
    return None


def selects(patterns: Sequence[Pattern], path: str) -> bool:
    """Return whether a file is matched, by itself or because a folder above it is."""
    parts = path.split("/")
    return any(decide(patterns, parts[:depth], folder=depth < len(parts)) for depth in range(1, len(parts) + 1))


def literal(path: str) -> Pattern:
    """Return the pattern of exactly this path, whatever signs it holds."""
    return Pattern(
        segments=tuple(_Segment(literal=part) for part in path.split("/")), negated=False, folders_only=False
    )


def _without_trailing_spaces(line: str) -> str:
    end = len(line)
    while end and line[end - 1] == " ":
        slashes = 0
        while slashes < end - 1 and line[end - 2 - slashes] == "\\":
            slashes += 1
        if slashes % 2:
            break
        end -= 1
    return line[:end]


def _parse_segment(text: str) -> _Segment | None:
    tokens: list[_Token] = []
    stars: set[int] = set()
    position = 0
    while position < len(text):
        character = text[position]
        position += 1
        if character == "\\":
            if position == len(text):
                return None
            tokens.append(text[position])
            position += 1
        elif character == "*":
            if not tokens or len(tokens) - 1 not in stars:
                stars.add(len(tokens))
                tokens.append(_STAR)
        elif character == "?":
            tokens.append(_Any())
        elif character == "[":
            bracket = _parse_class(text, position)
            if bracket is None:
                return None
            token, position = bracket
            tokens.append(token)
        else:
            tokens.append(character)
    if not stars and all(isinstance(t, str) for t in tokens):
        return _Segment(literal="".join(t for t in tokens if isinstance(t, str)))
    return _Segment(tokens=tuple(tokens), stars=frozenset(stars))


def _parse_class(text: str, position: int) -> tuple[_Class, int] | None:
    """Read a bracket expression behind its ``[``; None when it is never closed."""
    negated = position < len(text) and text[position] in "!^"
    position += negated
    ranges: list[tuple[str, str]] = []
    first = True
    while position < len(text):
        low = text[position]
        if low == "]" and not first:
            return _Class(ranges=tuple(ranges), negated=negated), position + 1
        first = False
        low, position = _escaped(text, position)
        high = low
        if text[position : position + 1] == "-" and text[position + 1 : position + 2] not in ("", "]"):
            high, position = _escaped(text, position + 1)
        ranges.append((low, high))
    return None


def _escaped(text: str, position: int) -> tuple[str, int]:
    if text[position] == "\\" and position + 1 < len(text):
        return text[position + 1], position + 2
    return text[position], position + 1


def _matches_segment(segment: _Segment, name: str) -> bool:
    if segment.literal is not None:
        return segment.literal == name
    tokens, stars = segment.tokens, segment.stars
    at = position = 0
    star = mark = -1
    while position < len(name):
        if at < len(tokens) and at in stars:
            star, mark = at, position
            at += 1
        elif at < len(tokens) and _accepts(tokens[at], name[position]):
            at += 1
            position += 1
        elif star >= 0:
            mark += 1
            at, position = star + 1, mark
        else:
            return False
    while at < len(tokens) and at in stars:
        at += 1
    return at == len(tokens)


def _accepts(token: _Token, character: str) -> bool:
    return token == character if isinstance(token, str) else token.accepts(character)
