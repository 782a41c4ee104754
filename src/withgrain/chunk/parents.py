"""Parents: what a small chunk is shown inside of. Ids of sections, so that whatever knows sections knows parents."""

from __future__ import annotations

from collections.abc import Sequence

from withgrain.chunk.anchor import anchored
from withgrain.chunk.draft import Draft
from withgrain.chunk.unit import Unit
from withgrain.model import Section, section_id

#: Characters of a part's first line that its id depends on.
_HEAD = 60


def parent_ids(doc_id: str, text: str, parts: tuple[Section, ...], drafts: Sequence[Draft], most: int) -> list[str]:
    """Return the id of the parent of each draft.

    It is the largest section around the draft that has at most ``most`` tokens with its subsections; a section whose
    own text is longer is cut into parts at content anchors, the first of which keeps the section's id. The id of
    another part depends on its first line: an edit elsewhere leaves it.

    Args:
        doc_id: Id of the document.
        text: Its canonical text.
        parts: Its sections.
        drafts: Of whole sections, in order.
        most: Tokens of a parent, as the sum of its chunks' bodies.
    """
    own = [0] * len(parts)
    inside: list[list[int]] = [[] for _ in parts]
    for number, draft in enumerate(drafts):
        own[draft.region.section] += draft.size
        inside[draft.region.section].append(number)
    total = list(own)
    for index in range(len(parts) - 1, -1, -1):
        above = parts[index].parent
        if above is not None:
            total[above] += total[index]
    result = [""] * len(drafts)
    seen: dict[tuple[str, ...], int] = {}
    for index, numbers in enumerate(inside):
        if own[index] > most:
            _cut(doc_id, text, parts[index], [(n, drafts[n]) for n in numbers], most, result, seen)
            continue
        top, above = index, parts[index].parent
        while above is not None and total[above] <= most:
            top, above = above, parts[above].parent
        for number in numbers:
            result[number] = parts[top].id
    return result


def _cut(
    doc_id: str,
    text: str,
    section: Section,
    drafts: list[tuple[int, Draft]],
    most: int,
    result: list[str],
    seen: dict[tuple[str, ...], int],
) -> None:
    """Set the parents of the drafts of a section that is longer than a parent."""
    units = [Unit(start=d.span.start, end=d.span.end, size=d.size) for _, d in drafts]
    for first, stop in anchored(units, text, most / 2):
        identity = section.id
        if first:
            head = text[units[first].start : units[first].start + _HEAD].split("\n", 1)[0]
            path = (*section.path, head)
            nth = seen.get(path, 0)
            seen[path] = nth + 1
            identity = section_id(doc_id, (*path, "part"), nth)
        for number, _ in drafts[first:stop]:
            result[number] = identity
