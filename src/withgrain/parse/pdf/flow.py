"""Lines in reading order to elements: paragraphs, list items, code, captions, footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from withgrain.parse.pdf.elements import Element
from withgrain.parse.pdf.headings import Typography
from withgrain.parse.pdf.lines import Line, make_line
from withgrain.parse.pdf.tables import Table

_BULLETS = "•‣◦▪●○■□➢➤✓–—·⁃∙"
_BULLET = re.compile(rf"[{_BULLETS}*\-]")
_ORDERED = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxlcIVXLC]{1,5})[.)]")
CAPTION = re.compile(
    r"(?:figure|fig\.|table|tab\.|listing|abbildung|tabelle|box)\s+[\dA-Z][\d.A-Z-]*(?:[:.]|\s|$)", re.IGNORECASE
)
#: A column that begins further to the right than this is another one, not the same with an indent.
_DEEPEST_INDENT = 60.0
_TERMINATORS = (".", "!", "?", ":", ";", "。", "！", "？")


class Flow:
    """Takes lines, tables and headings in reading order and gathers elements."""

    def __init__(self, body: Typography) -> None:
        self.elements: list[Element] = []
        self.left_out: list[tuple[int, str]] = []  # page, text: labels of chapters
        self._body = body
        self._before: Line | None = None
        self._left = self._right = self._margin = 0.0
        self._margins: set[float] = set()
        self._leading = body.size * 1.2
        self._code_left = 0.0
        self._code_width = 0.0

    def begin_region(self, lines: Sequence[Line]) -> None:
        """Begin a column: note its edges and the distance between its lines."""
        prose = [line for line in lines if not line.mono] or list(lines)
        if not prose:
            return
        self._left = min(line.x0 for line in prose)
        self._right = max(line.x1 for line in prose)
        self._margin = min(
            (edge for edge in self._margins if 0 <= self._left - edge <= _DEEPEST_INDENT), default=self._left
        )
        self._margins.add(self._margin)
        bases = sorted({round(line.base, 1) for line in prose})
        size = median(line.size for line in prose)
        gaps = [b - a for a, b in pairwise(bases) if 0.8 * size < b - a < 2.0 * size]
        self._leading = min(median(gaps), 1.7 * size) if gaps else 1.25 * size
        self._before = None

    def heading(self, lines: Sequence[Line], level: int) -> None:
        """Add a heading."""
        self._close()
        self.elements.append(self._element("heading", lines[0], lines=[line.words for line in lines], level=level))
        self._before = lines[-1]

    def table(self, table: Table) -> None:
        """Add a table."""
        self._close()
        box = (table.x0, table.top, table.x1, table.bottom)
        self.elements.append(Element("table", table.page, table.page, table=table, box=box, open=False))
        self._before = None

    def footnote(self, lines: Sequence[Line], mark: str) -> None:
        """Add a footnote; ``mark`` is its number and no longer in ``lines``."""
        self.elements.append(
            self._element("footnote", lines[0], lines=[line.words for line in lines if line.words], marker=mark)
        )

    def line(self, line: Line) -> None:
        """Add a line of text."""
        before, self._before = self._before, line
        if line.mono and not self._inside_prose(line):
            self._code(line, before)
            return
        marked = _marker(line)
        last = self.elements[-1] if self.elements else None
        if marked is not None and self._begins_item(line, marked, last):
            self._item(line, marked)
            return
        if CAPTION.match(line.text) and not self._goes_on(last, line, before):
            self._close()
            self.elements.append(self._element("caption", line, lines=[line.words]))
            return
        if last is not None and self._goes_on(last, line, before):
            if line.page > last.last_page:
                last.turns[len(last.lines)] = line.page
                last.last_page = line.page
            last.lines.append(line.words)
            if last.page == line.page:
                x0, top, x1, bottom = last.box
                last.box = (min(x0, line.x0), min(top, line.top), max(x1, line.x1), max(bottom, line.base))
            return
        self._close()
        self.elements.append(self._element("paragraph", line, lines=[line.words], indent=line.x0))

    # -- decisions ---------------------------------------------------------------------------------------------------

    def _inside_prose(self, line: Line) -> bool:
        """A line of a paragraph that happens to hold a typewriter word only: it goes on with the line before."""
        last = self.elements[-1] if self.elements else None
        if last is None or last.kind not in ("paragraph", "item") or not last.open or not last.lines:
            return False
        full = last.lines[-1][-1].x1 >= self._right - 0.3 * (self._right - self._left)
        ended = last.lines[-1][-1].text.endswith(_TERMINATORS)
        near = self._before_base(last) is not None and line.base - (self._before_base(last) or 0) <= 1.3 * self._leading
        return full and not ended and near and len(line.words) <= 2

    @staticmethod
    def _before_base(element: Element) -> float | None:
        return element.lines[-1][0].base if element.lines else None

    def _goes_on(self, last: Element | None, line: Line, before: Line | None) -> bool:
        if last is None or not last.open or last.kind not in ("paragraph", "item", "caption"):
            return False
        if not last.lines:  # a bullet alone on its line
            return before is not None and before.page == line.page and 0 <= line.base - before.base < 2 * line.size
        words = last.lines[-1]
        if before is None or before.page != line.page or line.base < before.base:
            return self._goes_on_elsewhere(last, line)
        size = max(w.face.size for w in words)
        if abs(size - line.size) > 0.12 * size and not line.words[0].raised:
            return False
        gap = line.base - before.base
        if gap > 1.35 * max(self._leading, 1.1 * line.size):
            return False
        if last.kind == "item":
            return line.x0 >= last.inner - 0.6 * line.size or (
                line.x0 >= last.indent - 1 and not before.text.endswith(_TERMINATORS)
            )
        indented = line.x0 - min(before.x0, self._left if before.x0 - self._left < line.size else before.x0)
        ended = before.text.endswith(_TERMINATORS)
        short = before.x1 < self._right - 0.2 * (self._right - self._left)
        if indented > 0.8 * line.size and (ended or short):
            return False
        if len(last.lines) > 1 and before.x0 - line.x0 > 1.2 * line.size and ended:
            return False
        room = before.x1 + 0.3 * line.size + line.words[0].x1 - line.words[0].x0 <= self._right
        return not (ended and short and room and line.text[:1].isupper())

    def _goes_on_elsewhere(self, last: Element, line: Line) -> bool:
        """In the next column or on the next page only a text that was not at its end goes on."""
        text = last.lines[-1][-1].text
        if line.page - last.last_page > 1 or text.endswith(_TERMINATORS):
            return False
        size = last.lines[-1][-1].face.size
        if abs(size - line.size) > 0.12 * size or last.kind == "caption":
            return False
        first = line.text[:1]
        return (
            first.islower()
            or text.endswith(("-", ","))
            or not first.isupper()
            or (last.kind == "paragraph" and (not first.isdigit() and last.lines[-1][-1].x1 > 0.8 * self._right))
        )

    def _begins_item(self, line: Line, marked: tuple[str, int], last: Element | None) -> bool:
        marker, _ = marked
        if _BULLET.fullmatch(marker):
            return len(line.words) > 1 or marker in _BULLETS
        if last is not None and last.kind == "item" and _same_kind(last.marker, marker):
            return True
        if last is not None and last.open and last.kind == "paragraph" and last.lines:
            previous = last.lines[-1][-1].text
            if not previous.endswith(_TERMINATORS) and _first_of_a_list(marker) is False:
                return False
        return _first_of_a_list(marker) or any(
            e.kind == "item" and _same_kind(e.marker, marker) for e in self.elements[-40:]
        )

    def _item(self, line: Line, marked: tuple[str, int]) -> None:
        marker, used = marked
        self._close()
        words = line.words[used:]
        inner = words[0].x0 if words else line.x0 + line.size
        self.elements.append(
            self._element("item", line, lines=[words] if words else [], marker=marker, indent=line.x0, inner=inner)
        )

    def _code(self, line: Line, before: Line | None) -> None:
        last = self.elements[-1] if self.elements else None
        wide = (line.x1 - line.x0) / max(1, sum(len(w.text) for w in line.words) + _spaces(line))
        follows = (
            last is not None and last.kind == "code" and last.open and before is not None
            and (before.page != line.page or 0 < line.base - before.base < 3.2 * line.size)
        )  # fmt: skip
        if not follows or last is None:
            self._close()
            last = self._element("code", line)
            self.elements.append(last)
            self._code_left, self._code_width = line.x0, wide or line.size * 0.6
        elif before is not None and before.page == line.page and line.base - before.base > 1.7 * line.size:
            last.text += "\n"
        text = _typed(line, self._code_width)
        shift = round((line.x0 - self._code_left) / self._code_width)
        if shift < 0 and last.text:
            last.text = "\n".join(" " * -shift + row if row else row for row in last.text.split("\n"))
            self._code_left = line.x0
            shift = 0
        last.text += f"{' ' * max(0, min(shift, 120))}{text}\n"
        last.last_page = line.page

    def _element(self, kind: str, line: Line, **fields: object) -> Element:
        box = (line.x0, line.top, line.x1, line.base)
        return Element(kind, line.page, line.page, box=box, margin=self._margin, **fields)  # type: ignore[arg-type]

    def _close(self) -> None:
        if self.elements and self.elements[-1].kind != "paragraph":
            return
        if self.elements:
            self.elements[-1].open = False


def merged(lines: Sequence[Line]) -> Line:
    """Return the parts of a row as one line."""
    if len(lines) == 1:
        return lines[0]
    words = sorted((w for line in lines for w in line.words), key=lambda w: w.x0)
    return make_line(words, lines[0].page)


def _marker(line: Line) -> tuple[str, int] | None:
    """Return the marker in front of a list item and how many words it takes; None for a line without one."""
    first = line.words[0].text
    if len(line.words) > 1 and (_BULLET.fullmatch(first) or _ORDERED.fullmatch(first)):
        return first, 1
    if first in _BULLETS:
        return first, 1
    return None


def _first_of_a_list(marker: str) -> bool:
    return marker.strip("().").casefold() in ("1", "a", "i", "0")


def _same_kind(left: str, right: str) -> bool:
    return _shape(left) == _shape(right)


def _shape(marker: str) -> str:
    bare = marker.strip("().")
    kind = "1" if bare.isdigit() else "a" if bare.isalpha() else bare
    return marker.replace(bare, kind) if bare else marker


def _spaces(line: Line) -> int:
    return max(0, len(line.words) - 1)


def _typed(line: Line, wide: float) -> str:
    """Return a line of code with as many spaces between its words as there is room for."""
    out = ""
    before = None
    for word in line.words:
        if before is not None:
            gap = word.x0 - before.x1
            out += " " * (max(1, min(round(gap / wide), 120)) if gap > 0.4 * wide else 0)
        out += word.text
        before = word
    return out
