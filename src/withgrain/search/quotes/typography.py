"""Differences of typography that are none: white space, dashes, quotation marks, invisible signs, forms of Unicode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from withgrain.search.quotes.edited import Edit, Edited
from withgrain.tokens.invisible import INVISIBLE
from withgrain.tokens.terms import UNSPACED

_HIDDEN = "\x00"
_APART = re.compile(
    rf"(?=[\s{_HIDDEN}⟦.-])(?:(?P<gap>[^\S ][\s{_HIDDEN}]*+| [\s{_HIDDEN}]++)"
    rf"|(?P<hidden>{_HIDDEN}++|⟦(?:U\+|tags )[^⟦⟧]{{0,500}}⟧)"
    r"|(?P<dash>(?<=\w)-{2,3}(?=\w)|(?<=\s)-{2,3}(?=\s))"
    r"|(?P<dots>\.\.\.))"
)
_BY = {"gap": " ", "hidden": "", "dash": "-", "dots": "…"}
_COMPOSABLE = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
#: Most characters that are composed to one.
_LONGEST = 32
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
#: What in front of a hyphen turns a word into its contrary.
_CONTRARY = ("non-", "anti-", "un-")
#: What may stand before a sign or a point that begins a number: "(-5", "=-5", "$.5".
_BEFORE_A_NUMBER = "(=:<>|[+$€£¥"
#: Between two groups of a number: apostrophes, and spaces that hold together what is beside them.
_GROUP = re.compile(r"\d['’\u00a0\u2009\u202f]\d{3}(?!\d)")
_IS_HIDDEN = re.compile(f"[{INVISIBLE}]")


def alike(text: Edited) -> Edited:
    """Return a text with one form for all that differs by typography alone."""
    if not unicodedata.is_normalized("NFC", text.text):
        text = text.edit(_composed(text.text))
    same = text.text.translate(_one_form())
    return text.edit((Edit(m.start(), m.end(), _BY[m.lastgroup or ""]) for m in _APART.finditer(same)), same)


@lru_cache(maxsize=1)
def _one_form() -> dict[int, str]:
    """Return one sign for all that look alike, and one for all that have no visible form."""
    alike = {**dict.fromkeys("‘’‛", "'"), **dict.fromkeys("“”„", '"'), **dict.fromkeys("‐‑–—−", "-")}
    ranges = re.findall(r"(.)(?:-(.))?", INVISIBLE, re.DOTALL)
    hidden = (chr(c) for first, last in ranges for c in range(ord(first), ord(last or first) + 1))
    return str.maketrans(alike | {c: _HIDDEN for c in hidden if not c.isspace()})


def _composed(text: str) -> Iterator[Edit]:
    """Yield the composed form of each character that is written as several."""
    for run in _COMPOSABLE.finditer(text):
        start, composed = run.start(), _nfc(text[run.start()])
        for at in range(start + 1, run.end() + 1):
            grown = _nfc(text[start : at + 1]) if at < run.end() and at - start < _LONGEST else ""
            if grown and grown != composed + _nfc(text[at]):  # it belongs to what stands before
                composed = grown
                continue
            if composed != text[start:at]:
                yield Edit(start, at, composed)
            start, composed = at, _nfc(text[at : at + 1])


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def whole(text: str, start: int, end: int) -> bool:
    """Return whether a range begins and ends with whole words and numbers: "5 hours" is no part of "1.5 hours"."""
    before, behind = _beside(text, start - 1, -1), _beside(text, end, 1)
    return not (_goes_on(text, before, start, -1) or _goes_on(text, behind, end - 1, 1) or in_groups(text, start, end))


def in_groups(text: str, start: int, end: int) -> bool:
    """Return whether a range begins or ends inside a number that is written in groups: "500" in "1'500"."""
    return any(_GROUP.match(text, place) is not None for place in (start - 2, end - 1) if place >= 0)


def _beside(text: str, place: int, way: int) -> int:
    """Return the nearest place from this one on that is seen."""
    for _ in range(_LONGEST):
        if not 0 <= place < len(text) or text[place].isspace() or not _IS_HIDDEN.match(text[place]):
            break
        place += way
    return place


def _goes_on(text: str, outer: int, inner: int, way: int) -> bool:
    """Return whether what ends with the character ``inner`` goes on with its neighbour ``outer``."""
    if not 0 <= outer < len(text) or not _of_word(text[inner]):
        return False
    beside, further = text[outer], text[outer + way : outer + way + 1] if outer + way >= 0 else ""
    if unicodedata.category(beside).startswith("M") and way > 0:
        return True
    if _of_word(beside):
        return not (_IS_UNSPACED.match(beside) or _IS_UNSPACED.match(text[inner]))
    if beside in "'’":
        return further.isalpha()
    if text[inner].isdigit():
        first = way < 0 and beside in ".-‐‑–−" and (not further or further.isspace() or further in _BEFORE_A_NUMBER)
        return first or (further.isdigit() and beside in (".,٫٬/⁄" if way < 0 else ".,٫٬"))
    before = text[max(0, outer - 4) : outer] + ("-" if beside in "‐‑" else beside)
    return way < 0 and before.casefold().endswith(_CONTRARY)


def _of_word(character: str) -> bool:
    return character.isalnum() or character == "_"
