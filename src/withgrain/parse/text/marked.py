"""Headings that wikis mark with signs on both sides: ``== Title ==`` (MediaWiki, Creole)."""

from __future__ import annotations

import re

from withgrain.parse.text.groups import Group

_MARKED = re.compile(
    r" {0,3}(?P<signs>={2,6})[ \t]*(?=[^\n]*[^\W\d_])(?P<title>[^=\s][^\n]{0,99}?)[ \t]*(?P=signs)[ \t]*(?:\n|\Z)"
)


def marked_heading(text: str, group: Group) -> tuple[Group, int] | None:
    """Return the heading that the first line of a group is, its title without the signs in front, and its level."""
    match = _MARKED.match(text, group.start, group.first_end) if text[group.start] in "= " else None
    if match is None:
        return None
    return Group(group.start, group.first_end, group.first_end, title=match.start("title")), len(match["signs"])
