"""Cutting plain text where nothing better is left: paragraphs, sentences, words, grapheme clusters, windows."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate, pairwise

import sentencex

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\s*\S{1,40}")
_RECORD = re.compile(
    r"[ \t>]*(?:\[[^\]\n]{1,12}\]|\(?(?:\d{1,4}|[A-Za-z]|[ivx]{2,5})[.)]|[-*+•·‣▪●◦–—|]|[\w.-]{1,20}:)(?=\s)"
    r"|[\[(]?(?:\d{4}[-/.]\d\d[-/.]\d\d[T \t_]|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
)
_BORDER = re.compile(r"[ \t>]*\+(?:[-=:]{2,}\+)+[ \t]*$", re.MULTILINE)
_FEWEST_LINES = 4
#: A full stop behind one of these does not end a sentence, whatever follows.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:approx|ca|cf|e\.g|i\.e|etc|vs|viz|resp|incl|excl|est|max|min|avg|"
    r"Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Inc|Ltd|Co|Corp|"
    r"Fig|Figs|No|Nos|Nr|Eq|Sec|Sect|Art|Ch|Vol|Ed|Eds|Rev|Ref|App|Tab|pp|p|"
    r"fig|figs|nos|eq|sect|chap|vol|vols|ed|eds|al|Gen|Col|Capt|Lt|Sgt|Rep|Sen|Gov|Hon|Mt|Ph\.D|bzw|inkl|ggf|Mme|Mlle|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|a\.m|p\.m|U\.S|U\.K|[A-Z])\.\s*$"
)
#: Nor does one behind the number of an item, or an ordinal ("am 3. Mai", "der 2. Mann"); "In hall 7." is an end.
_ITEM_NUMBER = re.compile(
    r"(?:^|[\n.!?:;|]|\b(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|ab|seit|und|no|nr))\s*[(\[\"'“‘*_]*"
    r"\d{1,3}\.\s*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:^|\s)\d{1,3}\.\s*$")
_MONTH = re.compile(r"(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])")
_OPENS_SENTENCE = re.compile(r"[\"'“‘«(\[¿¡]*[^\W\d_a-zß-öø-ÿ]|[\"'“‘«(\[]*\d")
_CLOSERS = ")]}”’»›」』）】》〉〕\"'¹²³⁴⁵⁶⁷⁸⁹⁰†‡"  # a mark of a note belongs to the sentence before it
_MARKUP = "*_`"
#: What no sentence and no piece of a sentence begins with; the wide forms are those of Chinese and Japanese (kinsoku).
_WIDE_CLOSERS = "」』）】》〉〕、，。．！？；：…"
_NEVER_FIRST = ")]}”’»,;:.!?…" + _WIDE_CLOSERS
#: Longest text handed to the sentence splitter in one call: its time and memory stay bounded.
_WINDOW = 10_000


def paragraph_starts(text: str, start: int, end: int) -> list[int]:
    """Return where paragraphs (separated by blank lines) begin, ``start`` first."""
    return [start, *(m.end() for m in _PARAGRAPH.finditer(text, start, end) if m.end() < end)]


def line_starts(text: str, start: int, end: int) -> list[int]:
    """Return where non-empty lines begin, ``start`` first."""
    starts = [start]
    at = text.find("\n", start, end)
    while at != -1 and at + 1 < end:
        following = text.find("\n", at + 1, end)
        line = text[at + 1 : end if following == -1 else following]
        if line and not line.isspace():
            starts.append(at + 1)
        at = following
    return starts


def record_starts(text: str, start: int, end: int) -> list[int]:
    """Return where the records of a paragraph begin, ``start`` first; only ``start`` when it is wrapped prose.

    Records are lines that begin with a mark (``[12]``, ``(a)``, ``•``, ``key:``, the time of a log entry) when at least
    a quarter of the lines do; the rows of a table drawn with ``+---+``; else all lines when most of them end early: the
    first word of the next line would still have fitted in.
    """
    starts = line_starts(text, start, end)
    if len(starts) < _FEWEST_LINES:
        return [start]
    borders = [at for at in starts[1:-1] if _BORDER.match(text, at, end)]
    if borders and _BORDER.match(text, start, end):
        return [start, *borders]
    marked = [at for at in starts if _RECORD.match(text, at, end)]
    if len(marked) * 4 >= len(starts):
        return [start, *(at for at in marked if at > start)]
    lengths = sorted(b - a for a, b in pairwise(starts))
    width = lengths[len(lengths) * 9 // 10]
    early = 0
    for at, following in pairwise(starts):
        word = _WORD.match(text, following, end)
        early += following - at + (len(word.group()) if word else 0) <= width
    return starts if early * 2 > len(starts) else [start]


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Return where sentences begin, ``start`` first.

    Boundaries are sentencex's, less those behind an abbreviation and those in front of something that cannot open a
    sentence (a lower-case letter, a closing bracket or quote).
    """
    starts = [start]
    at = start
    while at < end:
        stop = min(end, at + _WINDOW)
        if stop < end:
            space = text.rfind(" ", at, stop)
            stop = space + 1 if space > at else stop
        pieces = list(sentencex.segment("en", text[at:stop]))
        found: list[int] = []
        if sum(map(len, pieces)) == stop - at:
            found = [at + offset for offset in accumulate(map(len, pieces[:-1]))]
            starts.extend(found)
        # The next window begins with a sentence: where windows begin must not depend on how much text is before them.
        at = found[-1] if stop < end and found and (found[-1] - at) * 2 > stop - at else stop
    settled = dict.fromkeys(_behind_closers(text, s, end) for s in starts[1:])
    return [start, *(s for s in settled if start < s < end and _is_boundary(text, start, s))]


def _behind_closers(text: str, at: int, end: int) -> int:
    """Move a boundary right in front of closing quotes, brackets or emphasis behind them and the space there."""
    moved = at
    while moved < end and moved < at + 4 and text[moved] in _CLOSERS + _MARKUP:
        moved += 1
    if moved == at or text[at - 1].isspace():
        return at
    space = _SPACE.match(text, moved, end)
    return space.end() if space else moved


def _is_boundary(text: str, start: int, at: int) -> bool:
    before = text[max(start, at - 24) : at]
    if not before or before.endswith("\n"):
        return True
    following = text[at : at + 8]
    if _ABBREVIATION.search(before) or _ITEM_NUMBER.search(before):
        return False
    if _MONTH.match(following) and _NUMBER.search(before):
        return False
    letter = following.lstrip("\"'“‘«([¿¡*_`")[:1]
    if letter.islower() or following[:1] in _NEVER_FIRST:
        return False
    # A closing quote behind white space ('… listen!" Nobody') belongs to the sentence before it.
    return not (following[:1] in "\"'" and following[1:2].isspace())


def word_starts(text: str, start: int, end: int, width: int) -> list[int]:
    """Return starts of runs of whole words of about ``width`` characters, ``start`` first.

    Several words make one run, so that a text of millions of words does not become millions of units.
    """
    starts = [start]
    at = start
    while end - at > width:
        space = None
        for match in _SPACE.finditer(text, at + width, min(end, at + 8 * width)):
            space = match
            break
        if space is None:
            space = _last_space(text, at + 1, min(end, at + width))
            if space is None:
                later = _SPACE.search(text, at + width, end)
                if later is None:
                    break
                space = later
        at = space.end()
        if at < end:
            starts.append(at)
    return starts


def _last_space(text: str, start: int, end: int) -> re.Match[str] | None:
    at = max(text.rfind(" ", start, end), text.rfind("\n", start, end), text.rfind("\t", start, end))
    return _SPACE.match(text, at) if at > start else None


def grapheme_starts(text: str, start: int, end: int, width: int) -> list[int]:
    """Return starts of runs of about ``width`` characters that begin at grapheme clusters, ``start`` first."""
    starts = [start]
    at = start + width
    while at < end:
        cut = grapheme_boundary(text, starts[-1], at, end)
        if cut >= end:
            break
        starts.append(cut)
        at = cut + width
    return starts


def grapheme_boundary(text: str, start: int, at: int, end: int) -> int:
    """Return the first grapheme cluster boundary at or behind ``at``.

    The rules of Unicode UAX #29 that matter for a cut: never before a combining mark, a variation selector, an emoji
    modifier, a zero-width joiner or what it joins, inside CR LF, inside a Hangul syllable, nor between the two
    regional indicators of a flag. And never before a closing sign of Chinese or Japanese, which no line begins with.
    Text that is nothing but marks has none: after 32 steps the cut is at ``at``.
    """
    limit = min(end, at + 32)
    for cut in range(at, limit):
        if _is_cluster_start(text, start, cut):
            return cut
    return end if limit == end else at


def _is_cluster_start(text: str, start: int, at: int) -> bool:
    if at <= start or at >= len(text):
        return True
    before, here = text[at - 1], text[at]
    if here < "\u0300":  # no mark below: only CR LF and joiners in front matter
        return not (before == "\r" and here == "\n")
    code = ord(here)
    if unicodedata.category(here) in ("Mn", "Mc", "Me") or code in (0x200D, 0x200C) or 0x1F3FB <= code <= 0x1F3FF:
        return False
    if before == "\u200d" or here in _WIDE_CLOSERS:
        return False
    if 0x1160 <= code <= 0x11FF:  # Hangul vowel or final
        return False
    if 0x1F1E6 <= code <= 0x1F1FF:
        run = 0
        while at - 1 - run >= start and 0x1F1E6 <= ord(text[at - 1 - run]) <= 0x1F1FF:
            run += 1
        return run % 2 == 0
    return not (0xE0020 <= code <= 0xE007F)  # tags of a subdivision flag
