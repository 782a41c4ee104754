"""The parser of SQL: statements, found by a scanner that knows strings, comments and bodies of every common dialect.

No grammar: dialects differ, and an error in a syntax tree swallows the statements around it. What ends a statement is a
smaller question, with the same answer for all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from withgrain.model import Document, Source
from withgrain.parse.decode import decode
from withgrain.parse.outline import Node, joint, outline_blocks
from withgrain.parse.raw import raw_document

_TOKEN = re.compile(
    r"--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
    r"|'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'?"  # a string
    r'|"[^"]*+"?|`[^`]*+`?'  # a quoted name
    r"|\$(?P<tag>\w*)\$(?s:.*?)(?:\$(?P=tag)\$|\Z)"  # a body in dollars (PostgreSQL)
    r"|^[ \t]*(?:GO|/)[ \t]*$"  # ends a batch (T-SQL) or a block (Oracle)
    r"|^[ \t]*DELIMITER[ \t]+(?P<delimiter>\S+)[^\n]*"  # MySQL
    r"|[A-Za-z_]\w*|;|\S",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
_QUOTED = r'(?:"[^"\n]+"|`[^`\n]+`|\[[^\]\n]+\]|[\w$#@]+)'
_NAMED = re.compile(
    r"(?:CREATE|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:[A-Z]+(?:\s*=\s*\S+)?\s+){0,5}?"
    r"(?:TABLE|VIEW|FUNCTION|PROCEDURE|PROC|TRIGGER|INDEX|TYPE|SEQUENCE|SCHEMA|DATABASE|EXTENSION|DOMAIN|POLICY|ROLE"
    r"|USER|PACKAGE(?:\s+BODY)?|EVENT|AGGREGATE|PUBLICATION|SERVER|RULE|SYNONYM|MACRO)\s+"
    r"(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?"
    rf"(?P<name>{_QUOTED}(?:\.{_QUOTED}){{0,3}})",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    r"(?:CREATE|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:[A-Z]+(?:\s*=\s*\S+)?\s+){0,4}?"
    r"(?:FUNCTION|PROCEDURE|PROC|TRIGGER|PACKAGE|EVENT)\b|(?:DECLARE|DO)\b",
    re.IGNORECASE,
)
_COPY_DATA = re.compile(r"COPY\s[^;]*\bFROM\s+stdin\b", re.IGNORECASE)
_NO_END = frozenset(("IF", "LOOP", "WHILE", "REPEAT", "FOR"))
_HEAD = 400  # characters of a statement that say what it is


@dataclass(slots=True)
class _Statement:
    start: int  # comments in front included
    first: int  # its first word
    end: int


def parse_sql(data: bytes, source: Source) -> Document:
    """Parse a file of SQL statements; what creates or alters something is a section called as it is.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    root = Node(name="", start=0, end=len(text))
    for found in _Scanner(text).statements:
        named = _NAMED.match(text, found.first, min(found.end, found.first + _HEAD))
        if named is None:
            root.joints.append(joint(found.start, found.end))
            continue
        name = re.sub(r'["`\[\]]', "", named["name"])
        before = root.children[-1] if root.children else None
        if before is not None and before.name == name and not text[before.end : found.start].strip():
            before.joints = before.joints or [joint(before.start, before.end)]
            before.joints.append(joint(found.start, found.end))
            before.end = found.end
        else:
            root.children.append(Node(name=name, start=found.start, end=found.end, unit=True))
    return raw_document(source, decoded, outline_blocks(text, root, {"language": "sql"}))


class _Scanner:
    """Finds the statements of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.statements: list[_Statement] = []
        self._start = self._first = -1
        self._comment_end = 0
        self._parens = self._blocks = 0
        self._routine = False
        self._word = ""
        self._delimiter = ";"
        skip = 0
        for match in _TOKEN.finditer(text):
            if match.start() >= skip:
                skip = self._take(match)
        if self._start >= 0:
            self._finish(len(text.rstrip()))

    def _take(self, match: re.Match[str]) -> int:
        """Read one token; returns where to go on."""
        token, start, end = match.group(), match.start(), match.end()
        if token.startswith(("--", "/*")):
            self._comment(start, end)
        elif match["delimiter"]:
            self._delimiter = match["delimiter"]
            self._close(start, end)
        elif token.strip().upper() in ("GO", "/") and start == self.text.rfind("\n", 0, start) + 1:
            self._close(start, end)
        elif self.text.startswith(self._delimiter, start) and (self._delimiter != ";" or self._free()):
            end = start + len(self._delimiter)
            copies = self._first >= 0 and _COPY_DATA.match(self.text, self._first, end)
            stop = self.text.find("\n\\.", end) if copies else -1
            self._close(start, stop + 3 if stop >= 0 else end)
            return stop + 3 if stop >= 0 else end
        else:
            self._content(token, start)
        return end

    def _free(self) -> bool:
        return self._parens <= 0 and not (self._routine and self._blocks > 0)

    def _comment(self, start: int, end: int) -> None:
        if self._start < 0 and self.statements and "\n" not in self.text[self.statements[-1].end - 1 : start]:
            self.statements[-1].end = self._line_end(end)
        elif self._first < 0:
            if self._start >= 0 and self.text.count("\n", self._comment_end - 1, start) > 1:
                self._first = self._start
                self._finish(self._comment_end)
            self._start = start if self._start < 0 else self._start
            self._comment_end = end

    def _content(self, token: str, start: int) -> None:
        if self._first < 0:
            if self._start >= 0 and self.text.count("\n", self._comment_end - 1, start) > 1:
                self._first = self._start
                self._finish(self._comment_end)
            self._start = start if self._start < 0 else self._start
            self._first = start
            routine = _ROUTINE.match(self.text, start, start + _HEAD)
            self._routine = routine is not None
            self._blocks = int(
                routine is not None and routine.group().upper().endswith("PACKAGE")
            )  # ends without BEGIN
        word = token.upper()
        if token in "()":
            self._parens += 1 if token == "(" else -1
        elif word in ("BEGIN", "CASE") and self._word != "END":
            self._blocks += 1
        elif self._word == "END" and word not in _NO_END:
            self._blocks -= 1
        elif word == "END" and self.text[start + 3 : start + 5].strip()[:1] in ("", ";", "$"):
            self._blocks -= 1
            word = ""
        self._word = word

    def _close(self, start: int, end: int) -> None:
        if self._start < 0:
            self._start = start
        if self._first < 0:
            self._first = start
        self._finish(end)

    def _finish(self, end: int) -> None:
        line = self.text.rfind("\n", 0, self._start) + 1
        start = line if self.text[line : self._start].isspace() else self._start
        self.statements.append(_Statement(start, self._first, self._line_end(end)))
        self._start = self._first = -1
        self._parens = self._blocks = 0
        self._routine, self._word = False, ""

    def _line_end(self, end: int) -> int:
        stop = self.text.find("\n", end) + 1 or len(self.text)
        return stop if not self.text[end:stop].strip() else end
