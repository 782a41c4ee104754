"""What a PDF holds, in reading order: the pieces between layout and the writer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from withgrain.parse.pdf.page import Word
from withgrain.parse.pdf.tables import Table

ElementKind = Literal["heading", "paragraph", "item", "code", "table", "caption", "footnote"]


@dataclass(slots=True)
class Element:
    """A piece of a document while it is put together.

    Attributes:
        kind: What it is.
        page: 1-based page on which it begins.
        last_page: Page on which it ends.
        lines: Its lines of words; for code, see `text`.
        turns: Index of a line with which a new page begins -> that page.
        level: Of a heading.
        marker: Of a list item, as printed ("•", "1.", "(a)"); the label of a footnote.
        indent: Left edge of a list item's marker.
        margin: Left edge of the column that it stands in: indents of two columns compare by it.
        inner: Left edge of its text.
        text: Of code.
        table: Of a table.
        box: (x0, top, x1, bottom) on its first page, in points from the top left corner.
        open: Whether the next line may go on with it.
    """

    kind: ElementKind
    page: int
    last_page: int
    lines: list[tuple[Word, ...]] = field(default_factory=list)
    turns: dict[int, int] = field(default_factory=dict)
    level: int = 0
    marker: str = ""
    indent: float = 0.0
    margin: float = 0.0
    inner: float = 0.0
    text: str = ""
    table: Table | None = None
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    open: bool = True
