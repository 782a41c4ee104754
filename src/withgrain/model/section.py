"""The sections of a document: what stands under one heading."""

from __future__ import annotations

from itertools import pairwise

from withgrain.model.document import Block, Document
from withgrain.model.identity import section_id
from withgrain.model.span import Span

#: A heading longer than this many characters is no label any more: the path holds its beginning, and the heading is
#: content of its section as well. So a path stays short whatever a document does.
LONGEST_HEADING = 1000


class Section:
    """The blocks between one heading and the next (of any level). Immutable.

    Attributes:
        path: Plain-text headings from the outermost to this one; empty for the text before the first heading. A
            heading over `LONGEST_HEADING` characters stands there with its beginning only.
        heading: The heading block; None for the text before the first heading.
        blocks: The blocks under the heading that are not blank, without it.
        span: Everything from the heading to the next one.
        parent: Index of the enclosing section in the tuple that ``sections`` returns; None at the top.
        level: Heading level; 0 for the text before the first heading.
    """

    __slots__ = ("_doc_id", "_id", "_nth", "blocks", "heading", "level", "parent", "path", "span")

    def __init__(
        self,
        doc_id: str,
        nth: int,
        path: tuple[str, ...],
        heading: Block | None,
        blocks: tuple[Block, ...],
        span: Span,
        parent: int | None,
        level: int,
    ) -> None:
        """Make a section; ``nth`` counts the sections with this path in the document ``doc_id``."""
        self._doc_id, self._nth = doc_id, nth
        self._id = ""
        self.path = path
        self.heading = heading
        self.blocks = blocks
        self.span = span
        self.parent = parent
        self.level = level

    @property
    def id(self) -> str:
        """Stable id from document, path and the n-th repetition of that path."""
        if not self._id:
            self._id = section_id(self._doc_id, self.path, self._nth)
        return self._id

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
    content = document.content
    starts = [k for k, block in enumerate(content) if block.kind == "heading"]
    first = content[starts[0]].span.start if starts else len(document.text)
    edges = [*starts, len(content)]
    result: list[Section] = []
    if first > 0:
        result.append(Section(document.id, 0, (), None, content[: edges[0]], Span(start=0, end=first), None, 0))
    seen: dict[tuple[str, ...], int] = {(): len(result)}
    open_sections: list[int] = []
    for at, stop in pairwise(edges):
        heading = content[at]
        level = heading.level or 1
        while open_sections and result[open_sections[-1]].level >= level:
            open_sections.pop()
        parent = open_sections[-1] if open_sections else None
        path = result[parent].path if parent is not None else ()
        text = heading.attrs.get("text", "")
        if text:
            path = (*path, text if len(text) <= LONGEST_HEADING else label(text))
        nth = seen.get(path, 0)
        seen[path] = nth + 1
        end = content[stop].span.start if stop < len(content) else len(document.text)
        span = Span(start=heading.span.start, end=end)
        open_sections.append(len(result))
        result.append(Section(document.id, nth, path, heading, content[at + 1 : stop], span, parent, level))
    return tuple(result)
