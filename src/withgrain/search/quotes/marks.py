"""What a reader does not see inside a text: marks of emphasis, code and links, tags, references to characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Set
from html import unescape

from withgrain.search.quotes.edited import Edit
from withgrain.search.quotes.lines import label

_TOKEN = re.compile(
    r"(?=[\\`<&!\[\]*_~\n])(?:(?P<escape>\\(?=[!-/:-@\[-`{-~]))"
    r"|(?P<code>`+)"
    r"|(?P<comment><!--)"
    r"|(?P<address><(?=(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000}|[^\s<>@]{1,200}@[^\s<>@]{1,200})>))"
    r"|(?P<tag></?(?P<name>[A-Za-z][A-Za-z0-9-]{0,30})(?:\s[^<>]{0,500})?/?>)"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<note>\[\^[^\]\s]{1,80}\])"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\])"
    r"|(?P<run>\*+|_+|~~)"
    r"|(?P<blank>\n[ \t]*\n))"
)
_TICKS = re.compile("`+")
_TARGET = re.compile(
    r"\(\s*+(?:<[^<>\n]{0,1000}+>|[^\s()<>]{0,1000}+(?:\([^\s()]{0,1000}+\)[^\s()]{0,1000}+){0,5}+)"
    r"(?:\s++(?:\"[^\"]{0,300}+\"|'[^']{0,300}+'|\([^()]{0,300}+\)))?+\s*+\)"
)
_LABEL = re.compile(r"\[([^\[\]]{0,300})\]")
#: Longest code between two backticks, comment.
_LONGEST = 2000
_BLOCK_NAMES = (
    "address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead tr ul video"
)
_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big button center cite code col colgroup data del dfn em font i iframe img input ins kbd"
    " label legend mark meter object picture progress q rp rt ruby s samp select small source span strike strong sub"
    " sup svg time tt u var wbr"
)
_BLOCKS, _INLINE = frozenset(_BLOCK_NAMES.split()), frozenset(_INLINE_NAMES.split())


def marks(text: str, labels: Set[str] = frozenset(), *, loose: bool = False, images: bool = True) -> list[Edit]:
    """Return what to take out of a text, or to replace in it, to have what a reader sees.

    Linear in the text: every look ahead is bounded.

    Args:
        text: Markdown without the marks of its lines.
        labels: Names of link definitions.
        loose: A part of a text: marks whose partners may stand outside of it are taken out, too.
        images: The words that stand for an image are shown.
    """
    return _Marks(text, labels, loose=loose, images=images).edits()


class _Marks:
    def __init__(self, text: str, labels: Set[str], *, loose: bool, images: bool) -> None:
        self._text, self._labels, self._loose, self._images = text, labels, loose, images
        self._edits: list[Edit] = []
        self._brackets: list[re.Match[str]] = []
        self._emphasis = _Emphasis(text)
        self._ticks: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text):
            self._ticks.setdefault(len(run[0]), []).append(run.start())

    def edits(self) -> list[Edit]:
        at = 0
        while token := _TOKEN.search(self._text, at):
            kind = token.lastgroup if token.lastgroup != "name" else "tag"
            at = getattr(self, f"_{kind}")(token)
        self._emphasis.end_paragraph()
        if self._loose:
            self._edits += self._emphasis.unpaired
        return [*self._edits, *self._emphasis.edits]

    def _drop(self, start: int, end: int, by: str = "") -> int:
        self._edits.append(Edit(start, end, by))
        return end

    def _escape(self, token: re.Match[str]) -> int:
        return self._drop(*token.span()) + 1

    def _code(self, token: re.Match[str]) -> int:
        start, end = token.span()
        same = self._ticks.get(end - start, [])
        n = bisect_right(same, start)
        close = same[n] if n < len(same) and same[n] - end <= _LONGEST else -1
        if close < 0 or "\n\n" in self._text[end:close]:
            return self._drop(start, end) if self._loose else end
        self._drop(start, end)
        return self._drop(close, close + end - start)

    def _comment(self, token: re.Match[str]) -> int:
        close = self._text.find("-->", token.end(), token.end() + _LONGEST)
        return token.end() if close < 0 else self._drop(token.start(), close + 3)

    def _address(self, token: re.Match[str]) -> int:
        close = self._text.index(">", token.end())
        self._drop(*token.span())
        return self._drop(close, close + 1)

    def _tag(self, token: re.Match[str]) -> int:
        name = token["name"].casefold()
        start, end = token.span()
        if name in _INLINE:
            between = self._text[start - 1 : start].isdigit() and self._text[end : end + 1].isdigit()
            return self._drop(start, end, " " if between else "")
        component = token[0].endswith("/>") or "=" in token[0]
        if name in _BLOCKS or component or self._is_line(start, end):
            return self._drop(start, end, " ")
        return end

    def _is_line(self, start: int, end: int) -> bool:
        before = self._text.rfind("\n", max(0, start - 200), start) + 1
        after = self._text.find("\n", end, end + 200)
        return not self._text[before:start].strip() and not self._text[end : after if after >= 0 else end + 200].strip()

    def _entity(self, token: re.Match[str]) -> int:
        shown = unescape(token[0])
        return token.end() if shown == token[0] else self._drop(*token.span(), shown)

    def _note(self, token: re.Match[str]) -> int:
        return self._drop(*token.span())

    def _open(self, token: re.Match[str]) -> int:
        self._brackets.append(token)
        return token.end()

    def _close(self, token: re.Match[str]) -> int:
        opened = self._brackets.pop() if self._brackets else None
        if opened is None and not self._loose:
            return token.end()
        end = self._end_of_link(opened, token.end())
        if end is None:
            return token.end()
        if opened and opened[0] == "![" and not self._images:
            return self._drop(opened.start(), end)
        if opened:
            self._drop(*opened.span())
        return self._drop(token.start(), end)

    def _end_of_link(self, opened: re.Match[str] | None, end: int) -> int | None:
        """Return where a link ends whose text ends at ``end``; None where the brackets are no link."""
        if target := _TARGET.match(self._text, end):
            return target.end()
        text = self._text[opened.end() : end - 1] if opened and end - opened.end() <= 300 else ""
        named = _LABEL.match(self._text, end)
        if named and label(named[1] or text) in self._labels:
            return named.end()
        return end if text and label(text) in self._labels else None

    def _run(self, token: re.Match[str]) -> int:
        self._emphasis.run(token.start(), token.end())
        return token.end()

    def _blank(self, token: re.Match[str]) -> int:
        self._emphasis.end_paragraph()
        self._brackets.clear()
        return token.end() - 1


class _Emphasis:
    """Runs of ``*``, ``_`` and ``~~``, paired as CommonMark does, but for its rule of three."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[str, int, int]] = []
        self._count: Counter[str] = Counter()
        self.edits: list[Edit] = []
        self.unpaired: list[Edit] = []

    def end_paragraph(self) -> None:
        """Nothing pairs with what stands in another paragraph."""
        self.unpaired += (Edit(start, end) for _, start, end in self._open)
        self._open.clear()
        self._count.clear()

    def run(self, start: int, end: int) -> None:
        """Take the next run: it ends what is open, or opens something."""
        sign = self._text[start]
        opens, closes = self._sides(sign, self._text[start - 1 : start] or " ", self._text[end : end + 1] or " ")
        while closes and start < end and self._count[sign]:
            other, first, last = self._open.pop()
            self._count[other] -= 1
            if other != sign:
                self.unpaired.append(Edit(first, last))
                continue
            size = min(last - first, end - start)
            self.edits += (Edit(last - size, last), Edit(start, start + size))
            start += size
            if first < last - size:
                self._push(sign, first, last - size)
        if start < end and opens:
            self._push(sign, start, end)
        elif start < end and closes:
            self.unpaired.append(Edit(start, end))

    def _push(self, sign: str, start: int, end: int) -> None:
        self._open.append((sign, start, end))
        self._count[sign] += 1

    @staticmethod
    def _sides(sign: str, left: str, right: str) -> tuple[bool, bool]:
        """Return whether a run between two characters may open, and may close."""
        if left.isdigit() and right.isdigit():
            return False, False
        spaces = left.isspace(), right.isspace()
        signs = not (spaces[0] or left.isalnum()), not (spaces[1] or right.isalnum())
        opens = not spaces[1] and (not signs[1] or spaces[0] or signs[0])
        closes = not spaces[0] and (not signs[0] or spaces[1] or signs[1])
        if sign != "_":
            return opens, closes
        return opens and (not closes or signs[0]), closes and (not opens or signs[1])
