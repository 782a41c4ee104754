"""What a search returns: ranked, cited sections. Nothing is generated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from withgrain.model.chunk import Chunk
from withgrain.model.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a text stands, complete without a second look-up.

    Attributes:
        document: Path relative to the ingested root.
        root: Name of the ingested root where the collection has several, to tell equal paths apart; else empty.
        title: Title of the document.
        heading_path: Headings from the outermost to the cited section.
        clause: Printed number of the clause or step, if it has one.
        lines: 1-based first and last source line; None for rendered formats.
        page: 1-based page on which what matches stands, or None: the link leads to it.
        pages: First and last page of the cited text, or None.
        anchor: The nearest anchor at or before the place, or None.
        origin: Where a rendered format has it (a box, a DOM path, sheet and cells), or None.
        url: Canonical url of the document, or None.
        link: Deep link ("runbooks/reset.md#L12-L18").
    """

    document: str
    title: str
    root: str = ""
    heading_path: tuple[str, ...] = ()
    clause: str | None = None
    lines: tuple[int, int] | None = None
    page: int | None = None
    anchor: str | None = None
    origin: str | None = None
    url: str | None = None
    link: str = ""
    pages: tuple[int, int] | None = None

    def __str__(self) -> str:
        """Return one line for a person: ``runbooks/reset.md › Reset › Steps, lines 12-18``."""
        where = " › ".join((f"{self.root}/{self.document}" if self.root else self.document, *self.heading_path))
        if self.lines:
            first, last = self.lines
            where += f", line {first}" if first == last else f", lines {first}-{last}"
        elif self.pages and self.pages[0] != self.pages[1]:
            where += f", pages {self.pages[0]}-{self.pages[1]}"
        elif self.page:
            where += f", page {self.page}"
        elif self.anchor:
            where += f", #{self.anchor}"
        return where


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result.

    Attributes:
        rank: 1-based.
        score: Fused score, falling from the first hit to the last; comparable inside one result list only.
        chunk: The chunk.
        text: What to read or to put into a prompt: ``chunk.display_text``.
        body: The verbatim slice of the document.
        span: The body in the canonical text.
        source_span: The body in code points of the decoded source; None for rendered formats.
        citation: Where it stands.
        channels: Its rank (1-based) and score in ``lexical``, ``dense``, ``document``, ``exact`` and ``rerank``.
        matched: Terms of the question that it has, with what each adds to its lexical score.
        modified: Modification time of the document.
        stale: Why the stored version is older than the file; empty when current.
        lines: 1-based first and last source line of ``body``; None for rendered formats. The citation's are those of
            the cited section, which may be shorter.
        leaf: Where the part stands that is nearest to the question by meaning; None without vectors.
        copies: Uris of documents with the same bytes; they are folded into this hit.
        same_document: Hits of the same document that this one represents, itself included; 1 without collapsing.
    """

    rank: int
    score: float
    chunk: Chunk
    text: str
    body: str
    span: Span | None
    source_span: Span | None
    citation: Citation
    channels: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    matched: Mapping[str, float] = field(default_factory=dict)
    modified: str | None = None
    stale: str = ""
    lines: tuple[int, int] | None = None
    leaf: Span | None = None
    copies: tuple[str, ...] = ()
    same_document: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A ranked answer.

    Attributes:
        query: As asked.
        hits: Best first.
        trace: What was understood and done: mode, terms, identifiers, filter, candidates per channel, notices.
        contract: Fingerprint of the collection's contract.
        apart: With a domain given, the best hits that state no domain at all; never among ``hits``.
    """

    query: str
    hits: tuple[Hit, ...]
    trace: Mapping[str, Any] = field(default_factory=dict)
    contract: str = ""
    apart: tuple[Hit, ...] = ()
