"""What stands in a Markdown text, by markdown-it-py (CommonMark and GFM tables) and its line maps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

Range = tuple[int, int]

_NOT_ALNUM = re.compile(r"[\W_]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ANCHOR = re.compile(r"\s*\{#[^}]*\}\s*\Z")
_HASH_LINE = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(\S.*)")
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading outside of lists and quotes; ``key`` is its text reduced to letters and digits."""

    range: Range
    level: int
    text: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A GFM table: the whole, its rows behind the delimiter row, and the header reduced to letters and digits."""

    range: Range
    rows: Range
    header: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Ranges of code points of one text.

    Attributes:
        title: Of the front matter, else the name of the file.
        fences: Fenced code, fences included.
        tables: GFM tables.
        ordered_lists: Ordered lists of two and more items, at any depth.
        headings: In order.
        hash_lines: Texts of code lines that look like ATX headings and are the text of no heading, as keys.
        declared: Front matter, comments that are blocks, link definitions: text that need not be in a chunk.
    """

    title: str
    fences: tuple[Range, ...] = ()
    tables: tuple[Table, ...] = ()
    ordered_lists: tuple[Range, ...] = ()
    headings: tuple[Heading, ...] = ()
    hash_lines: frozenset[str] = frozenset()
    declared: tuple[Range, ...] = ()

    def path_at(self, offset: int) -> tuple[Heading, ...]:
        """Return the headings that govern the text at an offset, the outermost first."""
        path: list[Heading] = []
        for heading in self.headings:
            if heading.range[0] > offset:
                break
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
        return tuple(path)


def key_of(text: str) -> str:
    """Return the letters and digits of a text, case folded: what is left when markup and white space go."""
    return _NOT_ALNUM.sub("", text).casefold()


def structure(text: str, path: str) -> Structure:
    """Read a Markdown text; ``path`` names the file."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    env: dict[str, object] = {}
    tokens = parser.parse(text, env)
    lines = Lines(text)
    headings = tuple(_headings(tokens, lines))
    front = next((lines.range(t) for t in tokens if t.type == "front_matter"), None)
    named = _TITLE.search(text, *front) if front else None
    declared = [r for r in [front] if r]
    declared += [r for t in tokens if t.type == "html_block" for r in _comments(text, lines.range(t))]
    declared += [lines.between(*reference["map"]) for reference in _references(env)]
    return Structure(
        title=named[1] if named and named[1] else PurePosixPath(path).stem,
        fences=tuple(_from_markup(t, lines) for t in tokens if t.type == "fence"),
        tables=tuple(_tables(tokens, lines)),
        ordered_lists=tuple(_ordered(tokens, lines)),
        headings=headings,
        hash_lines=frozenset(_hash_lines(tokens)) - {h.key for h in headings},
        declared=tuple(declared),
    )


class Lines:
    """From line numbers to offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def range(self, token: Token) -> Range:
        """Return the range of a token's lines, without white space around it."""
        assert token.map is not None
        return self.between(*token.map)

    def between(self, first: int, stop: int) -> Range:
        """Return the range of some lines, without white space around it."""
        start, end = self._starts[first], min(self._starts[stop], len(self.text))
        body = self.text[start:end]
        return start + len(body) - len(body.lstrip()), start + len(body.rstrip())

    def line(self, number: int) -> str:
        """Return one line."""
        return self.text[self._starts[number] : self._starts[number + 1] - 1]

    def start(self, number: int) -> int:
        """Return where a line begins."""
        return self._starts[number]


def _from_markup(token: Token, lines: Lines) -> Range:
    """A fence in a list item begins behind the item's marker."""
    start, end = lines.range(token)
    return max(start, lines.text.find(token.markup, start, end)), end


def _tables(tokens: Sequence[Token], lines: Lines) -> Iterable[Table]:
    for token in tokens:
        if token.type != "table_open" or token.map is None:
            continue
        first, stop = token.map
        whole = lines.range(token)
        yield Table(
            range=whole,
            rows=(min(lines.start(first + 2), whole[1]), whole[1]) if stop > first + 2 else (whole[1], whole[1]),
            header=key_of(lines.line(first)),
        )


def _ordered(tokens: Sequence[Token], lines: Lines) -> Iterable[Range]:
    open_lists: list[list[int]] = []
    for index, token in enumerate(tokens):
        if token.type == "ordered_list_open":
            open_lists.append([index, 0])
        elif token.type == "list_item_open" and open_lists and token.level == tokens[open_lists[-1][0]].level + 1:
            open_lists[-1][1] += 1
        elif token.type == "ordered_list_close":
            first, items = open_lists.pop()
            if items > 1:
                yield lines.range(tokens[first])


def _headings(tokens: Sequence[Token], lines: Lines) -> Iterable[Heading]:
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            text = _ANCHOR.sub("", _plain(tokens[index + 1]))
            yield Heading(range=lines.range(token), level=int(token.tag[1:]), text=text, key=key_of(text))


def _plain(inline: Token) -> str:
    """Return the text of a heading without its markup."""
    return "".join(
        child.content if child.type in ("text", "code_inline", "image", "text_special") else " "
        for child in inline.children or ()
        if child.type not in ("html_inline", "em_open", "em_close", "strong_open", "strong_close")
    )


def _comments(text: str, where: Range) -> Iterable[Range]:
    return (match.span() for match in _COMMENT.finditer(text, *where))


def _references(env: dict[str, object]) -> Iterable[dict[str, list[int]]]:
    found = [*dict(env.get("references") or {}).values(), *list(env.get("duplicate_refs") or [])]  # type: ignore[call-overload]
    return [reference for reference in found if reference.get("map")]


def _hash_lines(tokens: Sequence[Token]) -> Iterable[str]:
    for token in tokens:
        if token.type in ("fence", "code_block"):
            for line in token.content.split("\n"):
                match = _HASH_LINE.match(line)
                if match and key_of(match[1]):
                    yield key_of(match[1])
