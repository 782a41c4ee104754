"""Records that lines of signs part, without a blank line between them: tickets, entries of an address book."""

from __future__ import annotations

import re
from itertools import pairwise

from withgrain.parse.text.groups import Group

_SIGNS = re.compile(r"^[ \t]*([-=*~#+])\1{3,}[ \t]*$", re.MULTILINE)
_LEAST_LINES = 2  # of a record: less is a title between two lines, or a drawing


def record_starts(text: str, group: Group) -> list[int]:
    """Return where the records of a group begin, each with the line of signs above it; empty when it has none."""
    lines = [(match.start(), match.group().strip()) for match in _SIGNS.finditer(text, group.start, group.end)]
    if len(lines) < 2 or len({signs for _, signs in lines}) > 1:
        return []
    starts = [group.start, *(at for at, _ in lines if at > group.start)]
    if not text[starts[-1] : group.end].strip().removeprefix(lines[0][1]).strip():
        starts.pop()  # the last line closes the last record
    counts = [text.count("\n", a, b) for a, b in pairwise([*starts, group.end])]
    has_sign = [text.startswith(lines[0][1], at) for at in starts]
    enough = all(count - sign >= _LEAST_LINES for count, sign in zip(counts[:-1], has_sign, strict=False))
    return starts if enough and len(starts) > 1 else []
