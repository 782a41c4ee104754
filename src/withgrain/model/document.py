"""What a parser makes of a file: canonical text, the blocks that tile it, and the way back to the source."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from withgrain.model.span import Span

#: More than any page number.
_NO_PAGE = 1 << 60

BlockKind = Literal[
    "heading",
    "paragraph",
    "list",
    "list_item",
    "table",
    "table_row",
    "table_cell",
    "code",
    "quote",
    "admonition",
    "definition",
    "footnote",
    "math",
    "figure",
    "html",
    "front_matter",
    "comment",
    "link_definition",
    "rule",
    "blank",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The identity of the bytes that a document was parsed from.

    Attributes:
        root: Name of the ingested root ("handbook"); empty for text without a file.
        uri: ``root + "/" + path``, POSIX separators, NFC-normalised; the content hash for text without a file.
        media_type: For example ``text/markdown``.
        sha256: Hex digest of the bytes.
        modified: Modification time as an ISO 8601 UTC string, or None where there is none.
    """

    root: str = ""
    uri: str
    media_type: str
    sha256: str
    modified: str | None = None

    @property
    def path(self) -> str:
        """Path relative to the ingested root: what hits and reports call ``document``."""
        prefix = self.root + "/"
        return self.uri[len(prefix) :] if self.root and self.uri.startswith(prefix) else self.uri


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A structural unit of the canonical text.

    Top-level blocks tile the text in order: no gap, no overlap; each ends behind the line break of its last line.
    Children lie inside their parent, in order, without overlap; they need not tile it.

    Attributes:
        kind: What it is.
        span: Where it stands in ``Document.text``.
        content: The inner range where delimiters surround it: the lines between two fences, a list item behind its
            marker, the text of a heading. None where the whole span is content.
        level: Heading level 1-6.
        number: A printed clause, step or heading number ("4.2", "B.1", "3").
        children: List items of a list; blocks of a list item, quote, admonition or definition; rows of a table;
            cells of a row.
        page: 1-based page, for formats that have pages.
        anchor: The id that a link can point to.
        origin: Where a rendered format had it (box, DOM path, sheet and cells).
        attrs: Small facts by name, as text. heading: ``text`` (markup, closing ``#`` and ``{#id}`` removed). code:
            ``language``, ``fence`` (opening line without indentation; absent for indented code), ``fence_end`` (the
            closing line that would close it), ``indent`` (white space before the fence). list: ``ordered`` ("1" or
            absent). list_item: ``marker``, ``task`` (" " or "x"). table: ``columns``. table_row: ``role`` =
            header | delimiter | body. admonition: ``type``, ``title``. footnote: ``label``.
            link_definition: ``label``, ``target``.
    """

    kind: BlockKind
    span: Span
    content: Span | None = None
    level: int | None = None
    number: str | None = None
    children: tuple[Block, ...] = ()
    page: int | None = None
    anchor: str | None = None
    origin: str | None = None
    attrs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A reference found in the text.

    Attributes:
        span: Where the reference stands in ``Document.text``.
        target: As written: a URL, a relative path, ``#anchor``, or the number of a cross-reference ("4.2").
        kind: ``url`` | ``relative`` | ``anchor`` | ``footnote`` | ``section`` (a textual "see section 4.2").
        resolved: Span of the block inside this document that it points to, if it does.
    """

    span: Span
    target: str
    kind: Literal["url", "relative", "anchor", "footnote", "section"]
    resolved: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Text that is in no chunk on purpose, with the reason: ``comment``, ``front_matter``, ``link_definition``."""

    span: Span | None
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A warning about one document.

    Attributes:
        kind: Machine-readable: ``decode_replaced``, ``encoding_guessed``, ``unclosed_fence``, ``empty_document``,
            ``front_matter_malformed``, ``oversize_row``, ``wide_table``, ``context_truncated``,
            ``metadata_truncated``, ``parse_failed``, ``words_unread``, ``secret``, ``secrets``.
        message: One plain sentence for a person.
        span: Where, if it has a place.
    """

    kind: str
    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    r"""A parsed document.

    Attributes:
        id: Stable id: ``document_id(source.uri)``.
        source: Identity of the bytes.
        title: Front matter, else the only H1, else the format's own title, else the file's name.
        text: The canonical text: decoded, ``\n`` newlines, without BOM and NUL.
        blocks: Top-level blocks; they tile ``text``.
        dropped: What the parser left out of ``text`` (page chrome, scripts …).
        links: References, resolved inside the document where possible.
        meta: Front matter and the like: JSON-able values.
        notices: Warnings, in the order of their discovery.
        removed: Canonical offsets in front of which one source character was removed (``\r`` of CRLF, BOM, NUL),
            ascending, with repetition: what ``to_source`` needs.
        page_starts: (offset, 1-based page), ascending: from each offset on the text stands on that page; a paragraph or
            table that goes on on the next page has one inside. Empty for formats without pages.
        unread: Words that an independent extraction of the source finds and the document neither has nor lists as
            dropped, for rendered formats: what the parser lost.
        rendered: True when ``text`` was made by the parser (HTML, PDF …) and has no offsets into the source.
    """

    id: str
    source: Source
    title: str
    text: str
    blocks: Sequence[Block]
    dropped: tuple[Drop, ...] = ()
    links: Sequence[Link] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    removed: tuple[int, ...] = ()
    rendered: bool = False
    unread: tuple[str, ...] = ()
    page_starts: tuple[tuple[int, int], ...] = ()

    def pages(self, span: Span) -> tuple[int, ...]:
        """Return the 1-based pages on which ``span`` stands, ascending; empty for formats without pages."""
        if not self.page_starts:
            return ()
        first = max(0, bisect_right(self.page_starts, (span.start, _NO_PAGE)) - 1)
        last = max(first + 1, bisect_left(self.page_starts, (span.end, 0)))
        return tuple(sorted({page for _, page in self.page_starts[first:last]}))

    @property
    def content(self) -> tuple[Block, ...]:
        """The top-level blocks that are not blank."""
        content: tuple[Block, ...] | None = getattr(self.blocks, "content", None)
        return content if content is not None else tuple([b for b in self.blocks if b.kind != "blank"])

    def to_source(self, span: Span) -> Span | None:
        """Return the span of the same words in code points of the decoded source; None for rendered formats.

        A span never begins or ends inside a removed character: the start moves behind it, the end in front of it.
        """
        if self.rendered:
            return None
        start = span.start + bisect_right(self.removed, span.start)
        if span.end <= span.start:
            return Span(start=start, end=start)
        last = span.end - 1
        return Span(start=start, end=last + bisect_right(self.removed, last) + 1)

    def lines(self, span: Span) -> tuple[int, int] | None:
        """Return the 1-based first and last source line of ``span``; None for rendered formats."""
        if self.rendered:
            return None
        first = self.text.count("\n", 0, span.start) + 1
        inner = max(span.start, span.end - 1)
        return first, first + self.text.count("\n", span.start, inner)
