"""What a reader does not see at the beginnings of lines: marks of headings, lists, quotes, tables and code blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from withgrain.search.quotes.edited import Edit, Edited

_SIGNS = [chr(c) for c in range(0x21, 0x7F) if not chr(c).isalnum()]
#: What stands for the signs of code, so that they are not taken for markup (in a plane that nobody else uses).
SHIELD = {ord(sign): 0x10F000 + ord(sign) for sign in _SIGNS}
UNSHIELD = {code: sign for sign, code in SHIELD.items()}

_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_QUOTE_MARKS = re.compile(r"(?:[ \t]*+>)*+[ \t]*+")
_MARKER = re.compile(r"(?:[-+*•]|(\d{1,9})[.)])(?:[ \t]++|$)")
_HEADING = re.compile(r"#{1,6}(?:[ \t]++|$)")
_HEADING_END = re.compile(r"(?<=[ \t])#+[ \t]*$|[ \t]*\{#[^{}\n]{0,200}\}[ \t]*$")
_DESCRIPTION = re.compile(r":[ \t]++")
_TASK = re.compile(r"\[[ xX]\][ \t]++|\[![A-Za-z]{1,20}\][-+]?[ \t]*+")
#: Underlines, rules, the row below the header of a table: signs alone.
_DRAWN = re.compile(r"[ \t>]*+(?=[-=*_:|+~])(?:[-=*_:|+~][ \t]*+)++$")
_DEFINITION = re.compile(r"[ ]{0,3}\[([^\[\]\n]{1,300})\]:[ \t]*+\S")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,80}\]:[ \t]*+")
_BOX = re.compile(r":{3,}[ \t]*+(?:\w++|\{[^{}\n]{0,200}\})?[ \t]*+")
_MARKS = (_TASK, _HEADING, _DESCRIPTION, _FOOTNOTE, _BOX)
_PIPE = re.compile(r"(?<!\\)\||\\(?=\|)")


def label(text: str) -> str:
    """Return the name of a link definition, however it is written."""
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class Lines:
    """A text without the marks of its lines.

    Attributes:
        text: The text; signs in code blocks are shielded.
        labels: Names of the link definitions in it.
        numbers: Printed numbers of list items whose marks were taken out.
    """

    text: Edited
    labels: frozenset[str]
    numbers: tuple[str, ...]


def without_marks(text: str, *, numbered: bool) -> Lines:
    """Return a text without what marks its lines.

    Args:
        text: Markdown, or any text.
        numbered: Numbers of list items stay, as does the colon of a description, behind its term.
    """
    reader = _Reader(numbered=numbered)
    shown = "\n".join([reader.read(line) for line in text.split("\n")])
    return Lines(Edited(text).edit(reader.edits, shown), frozenset(reader.labels), tuple(reader.numbers))


class _Reader:
    """Reads line by line; knows whether it is inside of a code block or a table."""

    def __init__(self, *, numbered: bool) -> None:
        self._numbered = numbered
        self._fence = ""
        self._table = False
        self._at = 0
        self._before = ""
        self._before_ends = 0
        self.edits: list[Edit] = []
        self.labels: set[str] = set()
        self.numbers: list[str] = []

    def read(self, line: str) -> str:
        """Take the next line; return it as long as it is, the signs of code shielded."""
        if line[:1].isalpha() and not (self._fence or self._table):
            shown = line
        else:
            inner = _QUOTE_MARKS.match(line)
            shown = self._marked(line, inner.end() if inner else 0)
        if not line.isspace() and line:
            self._before, self._before_ends = line, self._at + len(line.rstrip())
        self._at += len(line) + 1
        return shown

    def _marked(self, line: str, begin: int) -> str:
        opened = _FENCE.match(line, begin)
        if self._fence:
            if opened and opened[1].startswith(self._fence) and not opened[2].strip():
                self._fence = ""
                self._drop(0, len(line))
                return line
            self._drop(0, begin)
            return line.translate(SHIELD)
        if opened and "`" not in opened[2]:
            self._fence = opened[1]
            self._drop(0, len(line))
        elif _DRAWN.match(line):
            self._drop(0, len(line))
            if "|" in line and not self._table:
                self._cells(self._before, self._before_ends - len(self._before.rstrip()))
                self._table = True
        else:
            self._text(line, begin)
            self._table = bool(line.strip()) and (self._table or line.startswith("|", begin))
            if self._table:
                self._cells(line, self._at)
        return line

    def _drop(self, start: int, end: int) -> None:
        self.edits.append(Edit(self._at + start, self._at + end))

    def _cells(self, line: str, at: int) -> None:
        self.edits += (Edit(at + m.start(), at + m.end(), "" if m[0] == "\\" else " ") for m in _PIPE.finditer(line))

    def _text(self, line: str, begin: int) -> None:
        definition = _DEFINITION.match(line)
        if definition and not definition[1].startswith("^"):
            self.labels.add(label(definition[1]))
            self._drop(0, len(line))
            return
        start = begin
        while (marker := _MARKER.match(line, start)) and not (marker[1] and self._numbered):
            self.numbers += [marker[1]] if marker[1] else []
            start = marker.end()
        mark = next((m for pattern in _MARKS if (m := pattern.match(line, start))), None)
        if mark is None:
            self._drop(0, start)
        elif mark.re is _DESCRIPTION and self._numbered and self._before:
            self.edits.append(Edit(self._before_ends, self._at + mark.end(), ": "))
        else:
            self._drop(0, mark.end())
            if mark.re is _HEADING and (closing := _HEADING_END.search(line, mark.end())):
                self._drop(*closing.span())
