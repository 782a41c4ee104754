"""Find where a quote stands: letter for letter, or as the text looks to a reader."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import islice
from typing import Literal, NamedTuple

from withgrain.model import Span
from withgrain.search.quotes.edited import Edited
from withgrain.search.quotes.elided import elided, omissions
from withgrain.search.quotes.lines import UNSHIELD, Lines, without_marks
from withgrain.search.quotes.marks import marks
from withgrain.search.quotes.typography import alike, in_groups, whole

#: Most characters of a quote.
MOST = 2000

_WORD = re.compile(r"[^\W_]+")
#: What an ellipsis, and what targets of links may add to the length of a quote; places of one word that are looked at.
_REACH, _ANCHORS = 1_500, 100
#: Places that are looked at for what a reading leaves out, and characters before one in which its list may begin.
_CHECKED, _LIST = 200, 20_000
_PIPES = re.compile(r"(?:\|?[ \t]*+:?-{2,}+:?[ \t]*+\|)(?:[ \t]*+:?-++:?[ \t]*+\|?)*+|\|")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*\s?/?>")
_NUMBER = re.compile(r"^[ \t>]*(?:[-+*] )?(\d{1,9})[.)][ \t]", re.MULTILINE)
#: What makes a difference between the two views of a text.
_NUMBERED = re.compile(r"!\[|^[ \t>]*+(?:[-+*•][ \t]++)*+(?:\d{1,9}[.)]|:[ \t])", re.MULTILINE)
_QUOTED = re.compile(r"""\s*(?:"(.+)"|“(.+)”|„(.+)[“”]|«(.+)»|'(.+)'|‘(.+)’|`(.+)`)\s*""", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Places of a quote in one text.

    Attributes:
        how: ``exact`` | ``normalised``.
        spans: The places, without overlap, in order.
    """

    how: Literal["exact", "normalised"]
    spans: tuple[Span, ...]


class Looks:
    """A text, and what a reader sees of it, each made on first use.

    Attributes:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def plain(self) -> Edited:
        """As it is written."""
        return alike(Edited(self.text))

    @cached_property
    def bare(self) -> Edited:
        """Without the numbers of list items, with the words for images."""
        return _seen(without_marks(self.text, numbered=False))

    @cached_property
    def numbered(self) -> Edited:
        """With the numbers of list items, without the words for images."""
        if not _NUMBERED.search(self.text):
            return self.bare
        return _seen(without_marks(self.text, numbered=True), images=False)


class _Form(NamedTuple):
    """One reading of a quote: what its reader saw, the numbers of list items and the words that this leaves out."""

    text: str
    numbers: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()


def find(quote: str, text: str | Looks, limit: int = 20) -> Found | None:
    """Return up to ``limit`` places of ``quote`` in ``text``; None when it stands there in neither way.

    A place begins and ends with whole words and numbers. Quotation marks around a quote need not stand there. Linear in
    the text.
    """
    looks = Looks(text) if isinstance(text, str) else text
    exact = _literal(quote, looks.text, limit)
    if exact:
        return Found(how="exact", spans=exact)
    if not _may_have(quote, looks.text):
        return None
    spans = _spans(quote, looks, limit) or elided(quote, limit, lambda part, most: _spans(part, looks, most))
    if spans:
        return Found(how="normalised", spans=spans)
    marked = _QUOTED.fullmatch(quote)
    return find(marked[marked.lastindex or 0], looks, limit) if marked else None


def seen(quote: str) -> str:
    """Return a quote as a reader sees it, numbers of list items included."""
    return _read(quote, numbered=True).text


def _seen(lines: Lines, *, images: bool = True) -> Edited:
    inner = lines.text.edit(marks(lines.text.text, lines.labels, images=images))
    return alike(inner.edit((), inner.text.translate(UNSHIELD)))


def _plain(quote: str) -> _Form:
    return _Form(alike(Edited(quote)).text.strip())


def _read(quote: str, *, numbered: bool) -> _Form:
    """Return a quote, taken for Markdown or a part of it, as a reader sees it."""
    lines = without_marks(_PIPES.sub(" ", quote), numbered=numbered)
    text = lines.text.edit(marks(lines.text.text, loose=True)).text.translate(UNSHIELD)
    shown = alike(Edited(text)).text.strip()
    hidden = Counter(_WORD.findall(unescape(_TAG.sub(" ", quote)))) - Counter([*_WORD.findall(shown), *lines.numbers])
    return _Form(shown, lines.numbers, frozenset(hidden))


def _may_have(quote: str, text: str) -> bool:
    """Return whether nearly all words of a quote stand near one another: else making what a reader sees is in vain.

    Cheap: it looks for words alone. Words that a text has in pieces, or in another form of Unicode, may be missing.
    """
    words = sorted(
        {w for w in _WORD.findall(unicodedata.normalize("NFC", quote)) if w.isascii()}, key=lambda w: (-len(w), w)
    )
    spared = len(words) // 5 + 1
    if len(words) <= 2 * spared:
        return any(c.isalnum() for c in quote)
    reach = _REACH * (1 + omissions(quote)) + 2 * len(quote)
    for anchor in words[: spared + 1]:
        at = text.find(anchor)
        for _ in range(_ANCHORS):
            if at < 0:
                break
            window = text[max(0, at - reach) : at + reach]
            if sum(word not in window for word in words) <= spared:
                return True
            at = text.find(anchor, at + reach)
        if at >= 0:
            return True
    return False


def _spans(quote: str, looks: Looks, limit: int) -> tuple[Span, ...]:
    """Return the places in a text as it is written, then those in what a reader sees of it."""
    spans: list[Span] = []
    for view, form in _pairs(quote, looks):
        if len(spans) >= limit:
            break
        if any(c.isalnum() for c in form.text):
            most = _CHECKED if form.hidden or form.numbers else None
            found = (view.source(*place) for place in islice(_places(form.text, view.text), most))
            apart = (s for s in found if not in_groups(looks.text, s.start, s.end))
            kept = (s for s in apart if _has_what_is_left_out(form, looks.text, s))
            spans = _apart([*spans, *islice(kept, limit)])
    return tuple(spans[:limit])


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Return places in order, without those that overlap an earlier one."""
    apart: list[Span] = []
    for span in sorted(set(spans)):
        if not apart or apart[-1].end <= span.start:
            apart.append(span)
    return apart


def _pairs(quote: str, looks: Looks) -> Iterator[tuple[Edited, _Form]]:
    plain = _plain(quote)
    yield looks.plain, plain
    yield looks.bare, plain
    if (bare := _read(quote, numbered=False)) != plain:
        yield looks.bare, bare
    yield looks.numbered, plain
    if (numbered := _read(quote, numbered=True)) != plain:
        yield looks.numbered, numbered


def _has_what_is_left_out(form: _Form, text: str, span: Span) -> bool:
    """Return whether what a reading leaves out stands around a place: targets of links, attributes, numbers of items.

    Of items that are all written "1." a reader sees other numbers, each once the items before it are counted.
    """
    if form.hidden and not form.hidden <= set(_WORD.findall(text[max(0, span.start - MOST) : span.end + MOST])):
        return False
    if not form.numbers:
        return True
    begin = text.rfind("\n", 0, span.start) + 1
    items = _NUMBER.findall(text[begin : span.end])
    if len(items) != len(form.numbers) or not set(items) <= {"1"}:
        return False
    most = 1 + _NUMBER.findall(text[max(0, begin - _LIST) : begin]).count("1")
    return all(int(number) <= most + place for place, number in enumerate(form.numbers))


def _places(quote: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(quote)
    while start >= 0:
        end = start + len(quote)
        if whole(text, start, end):
            yield start, end
        start = text.find(quote, end)


def _literal(quote: str, text: str, limit: int) -> tuple[Span, ...]:
    if not quote.strip():
        return ()
    places = (Span(start=start, end=end) for start, end in _places(quote, text))
    return tuple(islice(places, limit))
