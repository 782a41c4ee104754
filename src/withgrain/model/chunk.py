"""A chunk: one slice of the canonical text, and beside it the parts that are repeated for reader or embedder."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Literal

from withgrain.model.facts import Facts
from withgrain.model.span import Span

PartRole = Literal[
    "path",  # document title and heading path
    "metadata",  # user metadata that `embed_metadata` asked for
    "overlap",  # text of the previous chunk, repeated
    "stem",  # the sentence that introduces a list, the parent list item, a warning repeated with its steps
    "table_header",  # header and delimiter rows
    "signature",  # the enclosing class or object
    "fence_open",  # the opening line of a code block that was split
    "fence_close",  # its closing line
    "marker",  # a list or quote marker
    "records",  # a table row as a JSON object, read instead of the row
    "footnote",  # the note that the body refers to
]
ChunkKind = Literal["normal", "atomic_fact", "document_summary"]

# Shown to a reader together with the body. The path is in the citation, the overlap in the previous chunk.
_SHOWN: frozenset[str] = frozenset(
    {"stem", "table_header", "signature", "fence_open", "fence_close", "marker", "records", "footnote"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Text shown or embedded beside the body; never inside it.

    Attributes:
        role: Why it is there.
        text: The text, without a final line break.
        span: Where it was copied from in ``Document.text``; None when it was made (a re-opened fence, a path).
        position: ``before`` or ``after`` the body, or ``instead`` of its own span inside the body.
    """

    role: PartRole
    text: str
    span: Span | None = None
    position: Literal["before", "after", "instead"] = "before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Why a chunk begins and ends where it does.

    Attributes:
        start: For example ``document``, ``section``, ``block``, ``item``, ``row``, ``cell``, ``sentence``, ``word``,
            ``grapheme``; ``anchor`` between two blocks of a long section (content-anchored re-synchronisation).
        end: The same words.
        oversize: Why the chunk exceeds its soft budget: the kind of the indivisible block; None when it does not.
    """

    start: str
    end: str
    oversize: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionRef:
    """One section inside a chunk that holds several small ones.

    Attributes:
        path: Heading path.
        span: What of it is in the chunk.
        page: 1-based page on which that begins, for formats with pages.
        anchor: The nearest anchor at or before its start, inside the section or that of an outer one.
    """

    path: tuple[str, ...]
    span: Span
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A retrieval unit.

    ``document.text[chunk.span] == chunk.body``. The heading is not in the body (it is in the path), except in chunks
    that hold several small sections.

    Attributes:
        id: Hash of document, heading path, body and the n-th repetition of the three.
        doc_id: Id of the document.
        ordinal: 0-based position among the document's chunks.
        total: Number of chunks of the document.
        span: Where the body stands; None for a generated document summary.
        body: The text of the chunk, verbatim.
        title: Title of the document.
        heading_path: Plain-text headings from the outermost to the chunk's own.
        sections: The sections inside, when there are several.
        parts: What is shown or embedded beside the body.
        kind: ``normal`` | ``atomic_fact`` | ``document_summary``.
        block_kinds: Kinds of the blocks in the body, distinct, in order.
        facts: What detectors found in body and headings.
        quality: 0-100; see the concept page on quality.
        tokens: Exact tokens of ``embed_text``; None when the limit is a plain predicate.
        pages: 1-based pages touched; empty for formats without pages.
        page_starts: Where each of ``pages`` but the first begins in the document's text; empty where that is not known.
        lines: 1-based first and last source line; None for rendered formats.
        clause: Printed number of the innermost numbered heading, else of the block that it begins with ("4.2"); None
            where nothing is numbered.
        anchor: The nearest anchor at or before its start, inside its section or that of an outer one.
        origin: Where a rendered format has its beginning (a box, a DOM path, sheet and cells).
        parent_id: Id of the section that the chunk belongs to.
        prev_id: Id of the chunk before; None at the start.
        next_id: Id of the chunk after; None at the end.
        boundary: Why it begins and ends where it does.
    """

    id: str
    doc_id: str
    ordinal: int
    total: int
    span: Span | None
    body: str
    title: str = ""
    heading_path: tuple[str, ...] = ()
    sections: tuple[SectionRef, ...] = ()
    parts: tuple[Part, ...] = ()
    kind: ChunkKind = "normal"
    block_kinds: tuple[str, ...] = ()
    facts: Facts = field(default_factory=Facts)
    quality: int = 50
    tokens: int | None = None
    pages: tuple[int, ...] = ()
    lines: tuple[int, int] | None = None
    clause: str | None = None
    anchor: str | None = None
    origin: str | None = None
    parent_id: str | None = None
    prev_id: str | None = None
    next_id: str | None = None
    boundary: Boundary = field(default_factory=lambda: Boundary(start="document", end="document"))
    page_starts: tuple[int, ...] = ()

    def pages_at(self, span: Span) -> tuple[int, ...]:
        """Return those of its pages on which a range of the document's text stands: all where that is not known."""
        if not self.page_starts:
            return self.pages
        first = bisect_right(self.page_starts, span.start)
        return self.pages[first : max(first, bisect_left(self.page_starts, span.end)) + 1]

    @property
    def embed_text(self) -> str:
        """The text whose tokens count: all parts around the body."""
        return render(self.parts, self.body, self._start)

    @property
    def display_text(self) -> str:
        """The text for a reader: the body with its table header, stem, signature and fences."""
        return render(tuple(p for p in self.parts if p.role in _SHOWN), self.body, self._start)

    @property
    def _start(self) -> int:
        return self.span.start if self.span else 0


def render(parts: tuple[Part, ...], body: str, start: int = 0) -> str:
    """Join the parts in front of the body, the body, and the parts behind it, a line each.

    ``start`` is where the body begins in the text that the spans of parts count in; parts that stand ``instead`` of a
    piece of the body need it.
    """
    if len(parts) == 1 and parts[0].position == "before":  # the path above a body: nearly every chunk
        return f"{parts[0].text}\n{body}"
    before: list[str] = []
    after: list[str] = []
    instead: list[Part] = []
    for part in parts:
        if part.position == "before":
            before.append(part.text)
        elif part.position == "after":
            after.append(part.text)
        else:
            instead.append(part)
    if instead:
        body = _rewritten(body, start, instead)
    if before or after:
        return "\n".join((*before, body, *after))
    return body


def _rewritten(body: str, start: int, parts: list[Part]) -> str:
    pieces: list[str] = []
    at = 0
    for part in parts:
        if part.span is not None and part.span.start - start >= at:
            pieces += (body[at : part.span.start - start], part.text)
            at = part.span.end - start
    pieces.append(body[at:])
    return "".join(pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """The unit of a vector: a paragraph, list item, table row with its header, or code block of a chunk.

    Attributes:
        id: Hash of the chunk's id, the text and its n-th repetition.
        chunk_id: The chunk that it belongs to.
        span: Where it stands in ``Document.text``; None in a generated summary.
        text: The exact text to embed: the last parts of the heading path, then the leaf.
    """

    id: str
    chunk_id: str
    span: Span | None
    text: str
