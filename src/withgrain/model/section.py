"""The sections of a document: what stands under one heading."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.model.document import Block, Document
from withgrain.model.identity import section_id
from withgrain.model.span import Span

#: A heading longer than this many characters is no label any more: the path holds its beginning, and the heading is
#: content of its section as well. So a path stays short whatever a document does.
LONGEST_HEADING = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The blocks between one heading and the next (of any level).

    Attributes:
        id: Stable id from document, path and the n-th repetition of that path.
        path: Plain-text headings from the outermost to this one; empty for the text before the first heading. A
            heading over `LONGEST_HEADING` characters stands there with its beginning only.
        heading: The heading block; None for the text before the first heading.
        blocks: The blocks under the heading, without it.
        span: Heading and blocks.
        parent: Index of the enclosing section in the tuple that ``sections`` returns; None at the top.
        level: Heading level; 0 for the text before the first heading.
    """

    id: str
    path: tuple[str, ...]
    heading: Block | None
    blocks: tuple[Block, ...]
    span: Span
    parent: int | None
    level: int

    @property
    def long_heading(self) -> bool:
        """Whether the path holds only the beginning of the heading."""
        return self.heading is not None and len(self.heading.attrs.get("text", "")) > LONGEST_HEADING


def label(text: str) -> str:
    """Return a heading or title as it stands in a path: at most `LONGEST_HEADING` characters of it."""
    if len(text) <= LONGEST_HEADING:
        return text
    return text[:LONGEST_HEADING].rsplit(" ", 1)[0] + " …"


def sections(document: Document) -> tuple[Section, ...]:
    """Cut the top-level blocks of ``document`` at its headings; they tile the text.

    Skipped levels nest under the nearest shallower heading (H1, H3: the H3 is a child of the H1). An empty heading
    keeps its place but adds nothing to the path.
    """
    groups: list[tuple[Block | None, list[Block]]] = [(None, [])]
    for block in document.blocks:
        if block.kind == "heading":
            groups.append((block, []))
        else:
            groups[-1][1].append(block)
    if not groups[0][1]:
        groups.pop(0)

    result: list[Section] = []
    open_sections: list[int] = []
    seen: dict[tuple[str, ...], int] = {}
    for heading, blocks in groups:
        level = (heading.level or 1) if heading else 0
        while open_sections and result[open_sections[-1]].level >= level:
            open_sections.pop()
        parent = open_sections[-1] if open_sections else None
        text = label(heading.attrs.get("text", "")) if heading else ""
        path = (result[parent].path if parent is not None else ()) + ((text,) if text else ())
        nth = seen.get(path, 0)
        seen[path] = nth + 1
        first = heading or blocks[0]
        last = blocks[-1] if blocks else first
        result.append(
            Section(
                id=section_id(document.id, path, nth),
                path=path,
                heading=heading,
                blocks=tuple(blocks),
                span=Span(start=first.span.start, end=last.span.end),
                parent=parent,
                level=level,
            )
        )
        if heading:
            open_sections.append(len(result) - 1)
    return tuple(result)
