"""Link reference definitions: pulldown-cmark emits no event for them, they are the gaps between its blocks."""

from __future__ import annotations

import re

from withgrain.model import Block
from withgrain.parse.build import make_block

_DEFINITION = re.compile(r"^[ ]{0,3}\[((?:[^\\\[\]]|\\.){1,999})\]:[ \t]*\n?[ \t]*(<[^<>\n]*>|\S+)", re.MULTILINE)


def fill_definitions(text: str, start: int, end: int) -> list[Block]:
    """Make a ``link_definition`` of every definition in a gap; anything else becomes a paragraph."""
    blocks: list[Block] = []
    matches = list(_DEFINITION.finditer(text, start, end))
    if not matches or matches[0].start() > start:
        blocks.append(make_block("paragraph", start, matches[0].start() if matches else end))
    for index, match in enumerate(matches):
        stop = matches[index + 1].start() if index + 1 < len(matches) else end
        label, target = match.group(1), match.group(2).strip("<>")
        blocks.append(
            make_block(
                "link_definition", match.start(), stop, attrs={"label": " ".join(label.split()), "target": target}
            )
        )
    return blocks
