"""What a text's own layout says about its headings: a kind of line that comes again and again is trusted.

Three kinds: lines at the margin above indented text (man pages, RFCs), lone lines in capitals above text or lists
(policies), and numbers that make an outline ("1 Scope", "2 Roles", "2.1 The keeper").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from withgrain.parse.text.groups import Group
from withgrain.parse.text.labels import find_label

_LEAST = 3  # so many lines of a kind make it a kind
_LONGEST = 80
_DEEP = re.compile(r"^(?: {3}|\t)", re.MULTILINE)
_MARGIN = re.compile(r"^\S", re.MULTILINE)
_SHARE = 0.6  # of the lines are indented where headings stand at the margin
_COLUMNS = re.compile(r"\||\t|[ ]{3,}|[{}=<>;$\\@]")
_CONTENTS = re.compile(r"[ .]{2,}[ivxl\d-]{1,5}$")
_OUTLINE = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})([.)]?)[ \t]+(?=[^\W\d_])")
NO_TITLE = re.compile(
    r"\b(?:INC|CORP|CORPORATION|LLC|LLP|LTD|LIMITED|COMPANY|CO|L\.?P|PAGE|CONFIDENTIAL|WITNESS|WHEREOF|ACCEPTED|AGREED|"
    r"SIGNATURE|SIGNED|ATTN|ATTENTION|IF TO|BETWEEN|HEREBY|DATED|CONTINUED|DRAFT)\b"
)
_WORD = re.compile(r"[^\W\d_][\w'’&-]*")
_MARKER = re.compile(r"[ \t]*(?:[-*+•·‣▪●◦–—]|\(?(?:\d{1,3}|[a-z]{1,4}|[A-Z])[.)])[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where lines stand that the layout makes headings.

    Attributes:
        margin: Starts of groups whose first line is a heading at the margin.
        capitals: Starts of lone lines in capitals.
        outline: Starts of lone numbered lines.
    """

    margin: frozenset[int]
    capitals: frozenset[int]
    outline: frozenset[int]


def layout_of(text: str, groups: list[Group]) -> Layout:
    """Return what the layout of a text says."""
    return Layout(
        frozenset(_enough(_margin(text, groups))),
        frozenset(_capitals(text, groups)),
        frozenset(_outline(text, groups)),
    )


def _enough(found: Iterator[int]) -> list[int]:
    starts = list(found)
    return starts if len(starts) >= _LEAST else []


def _margin(text: str, groups: list[Group]) -> Iterator[int]:
    """Yield groups that begin with a title at the margin, in a text most of whose lines are indented."""
    deep = len(_DEEP.findall(text))
    if deep < 2 * _LEAST or deep < _SHARE * (deep + len(_MARGIN.findall(text))):
        return
    for index, group in enumerate(groups):
        if text[group.start].isspace() or group.first_end - group.start > _LONGEST:
            continue
        line = text[group.start : group.first_end].rstrip()
        after = group.first_end if group.end > group.first_end else _next_start(groups, index)
        if after >= 0 and text[after : after + 3].isspace() and _titled(line) and not _MARKER.match(line):
            yield group.start


def _titled(line: str) -> bool:
    """Return whether a line begins like a title and ends like one, and holds no columns and no code."""
    return (
        (line[0].isupper() or line[0].isdigit())
        and line[-1] not in ".,;:?!"
        and _WORD.search(line) is not None
        and NO_TITLE.search(line) is None
        and _COLUMNS.search(line) is None
        and _CONTENTS.search(line) is None
    )


def _next_start(groups: list[Group], index: int) -> int:
    return groups[index + 1].start if index + 1 < len(groups) else -1


def _capitals(text: str, groups: list[Group]) -> list[int]:
    """Return lines in capitals with text or a list below them.

    One that stands alone below another such line may be of a title page: it does not make the kind.
    """
    found: list[int] = []
    sure, before = 0, False
    for index, group in enumerate(groups):
        line = text[group.start : group.first_end].strip() if group.first_end - group.start <= _LONGEST else ""
        capital = line.isupper()
        named = not capital or line[0].isdigit() or find_label(line) is not None  # a heading by other rules
        if not named and _titled(line.removesuffix(":")):
            words = _WORD.findall(line)
            if len(words) <= 8 and len(max(words, key=len)) > 3 and _stands_above(text, groups, index):
                found.append(group.start)
                sure += not before or group.end > group.first_end
        before = capital and group.end == group.first_end
    return found if sure >= _LEAST else []


def _stands_above(text: str, groups: list[Group], index: int) -> bool:
    """Return whether a title has text or a list below it, in a group of its own or in the rest of its group."""
    group = groups[index]
    if group.end == group.first_end:
        return index + 1 < len(groups) and is_body(text, groups[index + 1])
    rest = text[group.first_end : group.end]
    return len(rest) > _LONGEST // 2 and "__" not in rest and not rest.split("\n", 1)[0].isupper()


def is_body(text: str, group: Group) -> bool:
    """Return whether a group is text or a list, not another title."""
    line = text[group.start : group.first_end].strip()
    if line.isupper() or "__" in text[group.start : group.end]:
        return False
    if group.end - group.start > _LONGEST or _MARKER.match(line):
        return True
    return line[-1] in ".:" and line.count(" ") > 1


def _outline(text: str, groups: list[Group]) -> list[int]:
    """Return lone numbered lines whose numbers go on from each other.

    Numbers of one level with a stop or bracket behind them are as likely steps: they count only beside deeper ones.
    """
    found: list[int] = []
    last: tuple[int, ...] = ()
    deep = bare = False
    for index, group in enumerate(groups):
        match = _OUTLINE.match(text, group.start, group.first_end)
        if match is None or group.end > group.first_end or group.first_end - group.start > _LONGEST:
            continue
        line = text[group.start : group.first_end].strip()
        number = tuple(map(int, match[1].split(".")))
        if not _titled(line) or not text[match.end()].isupper() or not _goes_on(last, number):
            continue
        if index + 1 < len(groups) and not _has_body(text, groups[index + 1], number):
            continue
        deep, bare = deep or len(number) > 1, bare or (len(number) == 1 and not match[2])
        found.append(group.start)
        last = number
    return found if len(found) >= _LEAST and (deep or bare) else []


def _goes_on(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Return whether an outline goes on with a number: the first below, or the next at a level that is open."""
    if number == (*last, 1):
        return True
    depth = len(number)
    return depth <= len(last) and number[:-1] == last[: depth - 1] and number[-1] == last[depth - 1] + 1


def _has_body(text: str, group: Group, number: tuple[int, ...]) -> bool:
    """Return whether text follows a numbered line, or a line one level deeper, not the next item of a list."""
    match = _OUTLINE.match(text, group.start, group.first_end)
    if match is None:
        return True
    following = tuple(map(int, match[1].split(".")))
    return following == (*number, 1) or not _goes_on(number, following)
