"""Settings in braces, as nginx has them: ``server { … }`` is a section, a directive up to its ``;`` a joint."""

from __future__ import annotations

import re

from withgrain.parse.build import make_span
from withgrain.parse.outline import DEEPEST, Node, joint

_TOKEN = re.compile(
    r'\#[^\n]*|"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
    r"|'[^'\\]*+(?:\\.[^'\\]*+)*+'?|[{};\n]|(?:\$\{\w+\}|[^\s{};])+",
    re.DOTALL,
)
_LONGEST = 120
_SERVER_NAME = re.compile(r"server_name[ \t]+([^;\s]+)")


def brace_node(text: str) -> Node:
    """Return the tree of a text; unbalanced braces end with it."""
    root = Node(name="", start=0, end=len(text))
    stack = [root]
    start = head = -1  # of the directive that is being read, comments in front of it included
    deeper = 0  # open braces that are no sections
    for match in _TOKEN.finditer(text):
        sign = match.group()
        if sign == "\n":
            if head < 0 and start >= 0 and text.startswith("\n", match.end()):
                start = -1  # a comment that stands alone
        elif sign[0] == "#":
            start = _line(text, match.start()) if start < 0 else start
        elif sign == "{":
            start = _line(text, match.start()) if start < 0 else start
            if len(stack) > DEEPEST:
                deeper += 1
            else:
                first = head if head >= 0 else match.start()
                name = " ".join(text[first : match.start()].split())[:_LONGEST]
                node = Node(name=name, start=start, end=len(text), header=make_span(first, match.end()))
                node.unit = len(stack) == 1
                stack[-1].children.append(node)
                stack.append(node)
                start = head = -1
        elif sign == "}":
            if deeper:
                deeper -= 1
            elif len(stack) > 1:
                node = stack.pop()
                node.end = _rest(text, match.end())
                server = _SERVER_NAME.search(text, node.start, node.end) if node.name == "server" else None
                node.name = f"server {server[1]}" if server else node.name
            start = head = -1 if not deeper else head
        elif sign == ";":
            if not deeper and head >= 0:
                stack[-1].joints.append(joint(start, _rest(text, match.end())))
                start = head = -1
        elif head < 0:
            head = match.start()
            start = _line(text, head) if start < 0 else start
    return root


def _line(text: str, at: int) -> int:
    line = text.rfind("\n", 0, at) + 1
    return line if text[line:at].isspace() else at


def _rest(text: str, at: int) -> int:
    stop = text.find("\n", at) + 1 or len(text)
    rest = text[at:stop].strip()
    return stop if not rest or rest[0] == "#" else at
