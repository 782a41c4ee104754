"""JSON with the place of everything: one pass over its tokens, iterative, tolerant of comments and errors."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from withgrain.parse.data.tree import SECTION, Member

_TOKEN = re.compile(
    r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'  # a string; it ends with its line when its quote is missing
    r"|[{}\[\]:,]"
    r"|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"  # comments, as in settings of editors and compilers
    r'|[^\s{}\[\]:,"]+'  # a number or word
)
_SCALAR = re.compile(r"-?\d|true\b|false\b|null\b|[-+.]?(?:Infinity|NaN|\d)|'")
#: Scalars of a list share a member up to this length: a list of a million numbers has no million joints.
_SHARED = 64
_KEPT = frozenset(("info", "paths", "webhooks"))
_LINE_REST = re.compile(r"[ \t]*(?://[^\n]*)?(?:\n|\Z)")


@dataclass(slots=True)
class _Open:
    """A container whose end was not seen yet."""

    sign: str
    name: str
    start: int
    key: str | None = None
    colon: bool = False
    begin: int = -1  # of the member that is being read
    count: int = 0
    members: list[Member] = field(default_factory=list)


class JsonTree:
    """The tree of one text.

    Attributes:
        top: The values at the top level: one in a valid file.
        error: Offset of the first thing that is not JSON; None when all is.
    """

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.error: int | None = None
        self._end = len(text) if end is None else end
        self._stack = [_Open("", "", start)]
        for match in _TOKEN.finditer(text, start, self._end):
            self._take(match.group(), match.start(), match.end())
        if len(self._stack) > 1:
            self._fail(self._end)
        while len(self._stack) > 1:
            self._close(self._end)
        self.top = self._stack[0].members

    def _take(self, token: str, start: int, end: int) -> None:
        sign, top = token[0], self._stack[-1]
        if not top.sign and top.count and sign != "/":
            self._fail(start)  # a second value
        if sign in "{[":
            begin = start if top.begin < 0 else top.begin
            if top.sign == "{" and not top.colon:
                self._fail(start)
            self._stack.append(_Open(sign, self._name(top), begin))
            top.begin, top.key = -1, None
        elif sign in "}]":
            if len(self._stack) > 1 and top.sign + sign in ("{}", "[]"):
                self._close(end)
            else:
                self._fail(start)
        elif sign == ",":
            top.begin, top.key = -1, None
            if top.members and top.sign:
                top.members[-1].end = self._line_end(end)
            else:
                self._fail(start)
        elif sign == ":":
            if top.key is None or top.colon:
                self._fail(start)
            top.colon = True
        elif sign == "/" and end - start > 1:
            top.begin = start if top.begin < 0 else top.begin
        elif top.sign == "{" and top.key is None:
            top.key, top.colon = _unquoted(token), False
            top.begin = start if top.begin < 0 else top.begin
            if sign != '"' or end - start < 2 or token[-1] != '"':
                self._fail(start)
        else:
            self._scalar(top, token, start, end)

    def _scalar(self, top: _Open, token: str, start: int, end: int) -> None:
        valid = len(token) > 1 and token[-1] == '"' if token[0] == '"' else _SCALAR.match(token)
        if not valid or (top.sign == "{" and not top.colon):
            self._fail(start)
        begin = start if top.begin < 0 else top.begin
        before = top.members[-1] if top.members and top.sign != "{" else None
        if before is not None and before.kind == "scalar" and end - before.start <= _SHARED:
            before.end = end
        else:
            top.members.append(Member(self._name(top), self._line_start(begin), end, "scalar", _unquoted(token)))
        top.count += 1
        top.begin, top.key = -1, None

    def _name(self, top: _Open) -> str:
        return top.key if top.key is not None else f"[{top.count}]"

    def _close(self, end: int) -> None:
        closed = self._stack.pop()
        start = self._line_start(closed.start)
        # Trees of small values are not kept: most of a large file is small values.
        members = closed.members if end - start > SECTION or self._is_kept(closed) else []
        if members:
            members[-1].end = self._line_end(members[-1].end)
        found = Member(closed.name, start, end, "map" if closed.sign == "{" else "list", "", members)
        self._stack[-1].members.append(found)
        self._stack[-1].count += 1

    def _is_kept(self, closed: _Open) -> bool:
        """Return whether a value is part of what an OpenAPI description is read by, however small."""
        names = [opened.name for opened in (*self._stack[2:3], closed)][:1]
        return len(self._stack) == 1 or names[0] in _KEPT

    def _line_start(self, at: int) -> int:
        line = self.text.rfind("\n", max(0, at - SECTION), at) + 1
        return line if line and self.text[line:at].isspace() else at

    def _line_end(self, at: int) -> int:
        rest = _LINE_REST.match(self.text, at, self._end)
        return rest.end() if rest else at

    def _fail(self, at: int) -> None:
        if self.error is None:
            self.error = at


def _unquoted(token: str) -> str:
    if token[0] != '"' or token[-1] != '"':
        return token
    if "\\" in token:
        try:
            return str(json.loads(token, strict=False)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        except ValueError:
            pass
    return token[1:-1]
