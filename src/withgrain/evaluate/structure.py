"""Sections and tables of the documents that answers come from: what citations and rows are judged by.

The canonical text is parsed again, so that the judgement does not depend on how a policy cut it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from withgrain.errors import DocumentError
from withgrain.model import Block, DocumentRecord, Section, Span, sections

_DELIMITER = re.compile(r"[-:+=]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that has a header.

    Attributes:
        rows: Where its body rows stand.
        header: The words of its header rows, as `words` gives them.
    """

    rows: Span
    header: str


@dataclass(frozen=True)
class Structure:
    """The sections and tables of one document, found when they are first asked for."""

    record: DocumentRecord

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections; they tile the text."""
        return self._parsed[0]

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables with a header, in order; tables inside other blocks included."""
        return self._parsed[1]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The top-level blocks; they tile the text."""
        return self._parsed[2]

    def cited(self, path: tuple[str, ...], body: Span) -> tuple[Span, ...]:
        """Return the text that a citation names: sections with this path, subsections not counted.

        A path that no section has names the section that the body begins in.
        """
        named = tuple(s.span for s in self.sections if s.path == path)
        if named or not self.sections:
            return named
        at = bisect_right([s.span.start for s in self.sections], body.start) - 1
        return (self.sections[max(0, at)].span,)

    @cached_property
    def _parsed(self) -> tuple[tuple[Section, ...], tuple[Table, ...], tuple[Block, ...]]:
        from withgrain.parse import parse

        record = self.record
        kind = "text/markdown" if record.rendered else record.media_type
        data = record.text.encode("utf-8", "surrogatepass")
        try:
            document = parse(data, uri=record.uri, root=record.root, media_type=kind)
        except DocumentError:
            return (), (), ()
        if document.text != record.text:  # another parser than the one that wrote it: its offsets mean nothing here
            return (), (), ()
        return sections(document), tuple(_tables(document.content, document.text)), tuple(document.blocks)


def _tables(blocks: tuple[Block, ...], text: str) -> list[Table]:
    found: list[Table] = []
    waiting = list(reversed(blocks))
    while waiting:
        block = waiting.pop()
        if block.kind != "table":
            waiting.extend(reversed(block.children))
            continue
        rows = [r for r in block.children if r.attrs.get("role", "body") == "body"]
        head = block.children[: len(block.children) - len(rows)]
        if head and rows:
            header = words("\n".join(r.span.of(text) for r in head))
            found.append(Table(rows=Span(start=rows[0].span.start, end=rows[-1].span.end), header=header))
    return found


def words(text: str) -> str:
    """Return the words of table rows, without bars and delimiter rows, with single spaces."""
    return " ".join(w for w in text.replace("|", " ").split() if not _DELIMITER.fullmatch(w))
