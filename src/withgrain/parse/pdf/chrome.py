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
    r"(?:page|seite|p\.)?\s*[-–—\[(|]*\s*(?:\d{1,5}|[ivxlc]{1,7})\s*[-–—\])|]*(?:\s*(?:/|of|von|sur|de)\s*\d{1,5})?", re.IGNORECASE
)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*(?:\d{1,5}|[ivxlc]{1,7})?$|(?:…\s?){2,}\s*\d{0,5}$")


def running_lines(pages: Sequence[tuple[Page, Sequence[Line]]]) -> dict[int, set[Line]]:
    """Return the lines of each page (by number) that are repeated at the same height of other pages.

    Numbers do not count: "Page 2 of 3" repeats "Page 1 of 3". A line must stand on a third of the pages, or alternate
    on odd and even ones, and on two pages at least; nothing is taken away from a document of one page.
    """
    seen: Counter[tuple[str, int]] = Counter()
    keys: list[list[tuple[Line, tuple[str, int]]]] = []
    for page, lines in pages:
        here = [(line, (_normal(line.text), round(line.base / 4))) for line in _bands(page, lines)]
        keys.append(here)
        seen.update({key for _, key in here})
    found: dict[int, set[Line]] = {}
    count = len(pages)
    for (page, _), here in zip(pages, keys, strict=True):
        taken = set()
        for line, (text, height) in here:
            near = sum(seen[text, height + step] for step in (-1, 0, 1))
            numbered = bool(_PAGE_NUMBER.fullmatch(line.text.strip()))
            if count > 1 and (near >= max(2, 0.3 * count) or (near >= 3 and near >= 0.02 * count)):  # noqa: PLR2004
                taken.add(line)
            elif count > 1 and numbered and _outermost(page, line):
                taken.add(line)
        found[page.number] = taken
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


def _outermost(page: Page, line: Line) -> bool:
    return line.base < 0.08 * page.height or line.base > 0.92 * page.height


def _normal(text: str) -> str:
    return _NUMBERS.sub("#", " ".join(text.casefold().split()))
