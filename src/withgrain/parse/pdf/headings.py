"""Which lines are headings, and of which level: by the outline, by tags, else by size, weight and number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from withgrain.parse.pdf.lines import Line
from withgrain.parse.pdf.page import Bookmark

#: A heading has at most so many characters.
LONGEST = 200
_NUMBER = re.compile(
    r"(?:(?:chapter|part|appendix|annex|section|article)\s+)?([0-9A-Z]{1,3}(?:\.\d{1,3})*)[.)]?\s+\S", re.IGNORECASE
)
_CHAPTER_LABEL = re.compile(
    r"(?:(?:chapter|part|appendix|annex|kapitel|teil)\s*)?(?:\d{1,3}|[ivxlc]{1,6}|[a-z]|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)?[.:]?",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)[.)]?\s+\S")
_LEVELS = {"Title": 1, "H": 1, "H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6}
_WORDS = re.compile(r"\w+", re.UNICODE)

#: A style: size in half points, and whether it is bold.
Style = tuple[int, bool]


@dataclass(frozen=True, slots=True)
class Typography:
    """What the document's own text looks like.

    Attributes:
        size: Font size of most characters.
        bold: Whether most of them are bold.
        tagged: Whether the file names its headings.
    """

    size: float
    bold: bool
    tagged: bool = False


def typography(lines: Iterable[Line]) -> Typography:
    """Return the size in which most characters of prose are set."""
    sizes: Counter[float] = Counter()
    heavy: Counter[bool] = Counter()
    tagged = 0
    for line in lines:
        for word in line.words:
            if not word.face.mono:
                sizes[word.face.size] += len(word.text)
            heavy[word.face.bold] += len(word.text)
            tagged += word.face.tag in _LEVELS
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    return Typography(size, heavy[True] > heavy[False], tagged > 0)


def style_of(line: Line) -> Style:
    """Return the style of a line."""
    return round(line.size * 2), line.bold


def outline_levels(bookmarks: Sequence[Bookmark]) -> dict[int, list[tuple[str, int, float | None]]]:
    """Return the bookmarks of each page as (comparable text, level, height)."""
    found: dict[int, list[tuple[str, int, float | None]]] = {}
    for mark in bookmarks:
        key = comparable(mark.title)
        if key:
            found.setdefault(mark.page, []).append((key, min(mark.level, 6), mark.y))
    return found


def comparable(text: str) -> str:
    """Return the letters and digits of a text, for comparing what outline and page say."""
    return "".join(_WORDS.findall(text.casefold()))


def outline_level(lines: Sequence[Line], marks: Sequence[tuple[str, int, float | None]]) -> int | None:
    """Return the level of the bookmark whose title these lines are, with or without their number."""
    text = " ".join(line.text for line in lines)
    whole = comparable(text)
    if not whole:
        return None
    match = _NUMBER.match(text)
    bare = comparable(text[match.end(1) :]) if match else whole
    for key, level, _ in marks:
        if key in (whole, bare):
            return level
    return None


def tag_level(lines: Sequence[Line]) -> int | None:
    """Return the level that the structure tree gives lines."""
    tags = Counter(word.face.tag for line in lines for word in line.words)
    tag = tags.most_common(1)[0][0] if tags else ""
    return _LEVELS.get(tag)


def looks_like_heading(lines: Sequence[Line], body: Typography, *, apart: bool) -> bool:
    """Return whether lines are set like a heading: larger than the text, or bold and apart from it."""
    text = " ".join(line.text for line in lines)
    if len(text) > LONGEST or len(lines) > 4 or sum(c.isalpha() for c in text) < 2:
        return False
    if any(line.mono for line in lines) or (text[-1] in ".,;" and not _DOTTED.match(text)):
        return False
    size = min(line.size for line in lines)
    if size >= 1.12 * body.size:
        return True
    bold = all(line.bold for line in lines) and not body.bold
    if not bold or size < 0.9 * body.size:
        return False
    return apart and text[-1] != ":" and len(text) <= 120


def levels_by_style(found: Mapping[Style, int], known: Mapping[Style, Counter[int]]) -> dict[Style, int]:
    """Return a level for every style: what the outline says of it, else its rank by size and weight.

    Args:
        found: Number of headings of each style that no outline names.
        known: Levels that the outline gave to headings of a style.
    """
    level: dict[Style, int] = {style: counts.most_common(1)[0][0] for style, counts in known.items()}
    ranked = sorted({*found, *known}, reverse=True)
    for index, style in enumerate(ranked):
        if style in level:
            continue
        above = [level[s] for s in ranked[:index] if s in level]
        below = [level[s] for s in ranked[index + 1 :] if s in known]
        wanted = max(above, default=0) + 1
        if below:
            wanted = min(wanted, max(min(below) - (1 if not above else 0), 1))
        level[style] = min(max(wanted, 1), 6)
    return level


def is_chapter_label(text: str) -> bool:
    """Return whether a heading only counts the one under it: "CHAPTER", "THREE", "Part II"."""
    return bool(_CHAPTER_LABEL.fullmatch(text.strip()))


def number_depth(text: str) -> int:
    """Return how deep the printed number of a heading is ("4.2" is 2); 0 without a number."""
    match = _DOTTED.match(text)
    return match.group(1).count(".") + 1 if match else 0
