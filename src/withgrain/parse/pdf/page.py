"""What a page shows, as data: words with their boxes, ruled lines, bookmarks. Nothing here knows PDFium.

Coordinates are points from the top left corner of the page as it is read: ``y`` grows downwards, text is horizontal.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Face:
    """How a word is set.

    Attributes:
        size: Effective font size in points.
        bold: Whether the font is heavy.
        italic: Whether it is slanted.
        mono: Whether all its glyphs have the same width.
        hidden: Whether the text is drawn with no ink at all.
        tag: Role that the structure tree gives it (``H1``, ``P``, ``TD``, ``Artifact``); empty without one.
    """

    size: float
    bold: bool = False
    italic: bool = False
    mono: bool = False
    hidden: bool = False
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Glyphs without a gap between them.

    Attributes:
        text: What it says.
        x0: Left edge.
        x1: Right edge.
        base: ``y`` of the base line.
        face: How it is set.
        raised: Whether it stands higher and smaller than the word before it: a footnote mark.
    """

    text: str
    x0: float
    x1: float
    base: float
    face: Face
    raised: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight horizontal or vertical line, or an edge of a box."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def horizontal(self) -> bool:
        """Whether it is wider than high."""
        return self.x1 - self.x0 >= self.y1 - self.y0


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
        number: 1-based.
        label: What is printed on it ("iv"), where the file says so.
        width: In points.
        height: In points.
        words: In the order of the file.
        rules: Lines and edges of boxes.
        images: Whether it shows pictures.
        comments: What people noted on it.
    """

    number: int
    label: str
    width: float
    height: float
    words: tuple[Word, ...]
    rules: tuple[Rule, ...] = ()
    images: bool = False
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline.

    Attributes:
        title: Its text.
        level: 1 for the outermost.
        page: 1-based page that it points to.
        y: Where on the page; None when it does not say.
    """

    title: str
    level: int
    page: int
    y: float | None
