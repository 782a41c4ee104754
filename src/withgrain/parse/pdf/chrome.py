"""What belongs to the page and not to the text: running headers and footers, page numbers, lines of a contents list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from withgrain.parse.pdf.lines import Line
from withgrain.parse.pdf.page import Page

#: Share of a page's height, at either end, in which running lines stand.
BAND = 0.13
_NUMBERS = re.compile(r"\d+|\b[ivxlc]{1,7}\b")
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.)?\s*[-–—\[(|]*\s*(?:\d{1,5}|[ivxlc]{1,7})\s*[-–—\])|]*(?:\s*(?:/|of|von|sur|de)\s*\d{1,5})?",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*(?:\d{1,5}|[ivxlc]{1,7})?$|(?:…\s?){2,}\s*\d{0,5}$")


def running_lines(pages: Sequence[tuple[Page, Sequence[Line]]]) -> dict[int, set[Line]]:
    """Return the lines of each page (by number) that belong to the page: repeated at one height, or page numbers.

    Numbers do not count: "Page 2 of 3" repeats "Page 1 of 3". A line must stand on a third of the pages, or on every
    fiftieth and three at least (odd and even pages, chapters); nothing is taken away from a document of one page. What
    stands beside such a line at the very edge of the page, where most pages have one, is one as well: the name of a
    short chapter.
    """
    seen: Counter[tuple[str, int]] = Counter()
    keys: list[list[tuple[Line, tuple[str, int]]]] = []
    for page, lines in pages:
        here = [(line, (_normal(line.text), _height(line))) for line in _bands(page, lines)]
        keys.append(here)
        seen.update({key for _, key in here})
    count = len(pages)
    found: dict[int, set[Line]] = {page.number: set() for page, _ in pages}
    if count < 2:
        return found
    least = min(max(2, 0.3 * count), max(3, 0.02 * count))
    heights: Counter[int] = Counter()
    for (page, _), here in zip(pages, keys, strict=True):
        for line, (text, height) in here:
            repeated = sum(seen[text, height + step] for step in (-1, 0, 1)) >= least
            numbered = bool(_PAGE_NUMBER.fullmatch(line.text.strip())) and _outermost(page, line)
            if repeated or numbered:
                found[page.number].add(line)
        heights.update({_height(line) for line in found[page.number]})
    usual = {height for height, times in heights.items() if times >= 0.4 * count and count > 4}
    for (page, _), here in zip(pages, keys, strict=True):
        found[page.number] |= {line for line, (_, height) in here if height in usual and _outermost(page, line)}
    return found


def drop_reason(page: Page, line: Line) -> str:
    """Return the name of the drop of a running line."""
    if _PAGE_NUMBER.fullmatch(line.text.strip()):
        return "page_number"
    return "running_header" if line.base < page.height / 2 else "running_footer"


def is_contents_line(text: str) -> bool:
    """Return whether a line leads with dots to a page number."""
    return bool(_LEADERS.search(text))


def _bands(page: Page, lines: Sequence[Line]) -> list[Line]:
    high = page.height
    return [line for line in lines if line.base < BAND * high or high >= line.base > (1 - BAND) * high]


def _height(line: Line) -> int:
    return round(line.base / 4)


def _outermost(page: Page, line: Line) -> bool:
    return line.base < 0.08 * page.height or line.base > 0.92 * page.height


def _normal(text: str) -> str:
    return _NUMBERS.sub("#", " ".join(text.casefold().split()))
