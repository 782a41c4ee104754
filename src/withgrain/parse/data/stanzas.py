"""The parser of settings files: INI, TOML and systemd by section, nginx by block, Dockerfiles by stage."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from withgrain.model import Document, Source
from withgrain.parse.data.braces import brace_node
from withgrain.parse.decode import decode
from withgrain.parse.outline import Node, joint, outline_blocks
from withgrain.parse.raw import raw_document

_TOML_TOKEN = re.compile(
    r'"""(?s:.*?)(?:"""|\Z)'
    r"|'''(?s:.*?)(?:'''|\Z)"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    r"|'[^'\n]*+'?|\#[^\n]*|[\[\]{}]|\n"
)
_SECTION = re.compile(r"[ \t]*\[{1,2}[ \t]*([^\n]*?)[ \t]*\]{1,2}[ \t]*(?:[#;][^\n]*)?(?:\n|\Z)")
_COMMENT = re.compile(r"[ \t]*[#;]")
_FROM = re.compile(r"[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE)
_HEREDOC = re.compile(r"<<-?[\"']?(\w+)[\"']?")
_BRACES = re.compile(r"^[ \t]*[\w.~*/^$@\"'-][^\n{};]*\{[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_HEADS = re.compile(r"^[ \t]*\[[^\]\n]+\][ \t]*$", re.MULTILINE)


def parse_stanzas(data: bytes, source: Source) -> Document:
    """Parse a settings file; where the name does not tell its syntax (``.conf``), the content does.

    Raises:
        DocumentError: The bytes are not text (kind ``binary``).
    """
    decoded = decode(data)
    text = decoded.text
    language = _LANGUAGES.get(source.media_type) or _guess(text)
    root = _READERS[language](text)
    return raw_document(source, decoded, outline_blocks(text, root, {"language": language}))


def _guess(text: str) -> str:
    if _HEADS.search(text):
        return "ini"
    return "nginx" if _BRACES.search(text) and ";" in text else "properties"


def _toml(text: str) -> Node:
    """Lines that begin outside of every string, list and table are sections or keys."""
    starts: list[int] = [0]
    depth = 0
    for match in _TOML_TOKEN.finditer(text):
        sign = match.group()
        if sign == "\n" and depth == 0:
            starts.append(match.end())
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
    return _sections(text, starts)


def _ini(text: str) -> Node:
    return _sections(text, _lines(text), wrapped=True)


def _lines(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text) if m.end() < len(text))]


def _sections(text: str, starts: list[int], *, wrapped: bool = False) -> Node:
    """Return sections and keys; comment lines belong to what follows them."""
    root = Node(name="", start=0, end=len(text))
    node = root
    begin = -1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if start >= end or text[start:end].isspace():
            begin = -1
            continue
        if _COMMENT.match(text, start):
            begin = start if begin < 0 else begin
            continue
        first = start if begin < 0 else begin
        begin = -1
        if wrapped and node.joints and (text[start] in " \t" or text.endswith("\\\n", 0, start)):
            node.joints[-1] = joint(node.joints[-1].span.start, end)  # the value goes on
            continue
        head = _SECTION.match(text, start, end)
        if head is not None and head[1]:
            node.end = first
            node = Node(name=head[1].replace('"', ""), start=first, end=len(text), unit=True)
            root.children.append(node)
        else:
            node.joints.append(joint(first, end))
    root.end = node.end = len(text)
    return root


def _properties(text: str) -> Node:
    return Node(name="", start=0, end=len(text))


def _dockerfile(text: str) -> Node:
    """Stages, and in them instructions with their continued lines, heredocs and comments."""
    root = Node(name="", start=0, end=len(text))
    node = root
    for start, first, end in _instructions(text):
        stage = _FROM.match(text, first, end)
        if stage is not None:
            node.end = start
            node = Node(name=stage[2] or stage[1], start=start, end=len(text), unit=True)
            root.children.append(node)
        node.joints.append(joint(start, end))
    root.end = node.end = len(text)
    return root


def _instructions(text: str) -> list[tuple[int, int, int]]:
    """Return start (with comments), first word and end of each instruction."""
    found: list[tuple[int, int, int]] = []
    lines = [*_lines(text), len(text)]
    begin, first, heredoc = -1, -1, ""
    for start, end in pairwise(lines):
        line = text[start:end].strip()
        if heredoc:
            heredoc = "" if line == heredoc else heredoc
        elif first < 0 and not line:
            begin = -1
            continue
        elif line.startswith("#"):
            begin = start if begin < 0 else begin
            continue
        else:
            begin = start if begin < 0 else begin
            first = start if first < 0 else first
            mark = _HEREDOC.search(line)
            heredoc = mark[1] if mark else ""
            if line.endswith(("\\", "`")):
                continue
        if not heredoc:
            found.append((begin, first, end))
            begin = first = -1
    if first >= 0:
        found.append((begin, first, len(text)))
    return found


_READERS: dict[str, Callable[[str], Node]] = {
    "toml": _toml,
    "ini": _ini,
    "nginx": brace_node,
    "dockerfile": _dockerfile,
    "properties": _properties,
}
_LANGUAGES = {
    "application/toml": "toml",
    "text/x-ini": "ini",
    "text/x-systemd-unit": "ini",
    "text/x-nginx-conf": "nginx",
    "text/x-dockerfile": "dockerfile",
    "text/x-java-properties": "properties",
}
