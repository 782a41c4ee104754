"""What `pack` returns."""

from __future__ import annotations

from dataclasses import dataclass

from withgrain.model import Citation, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedItem:
    """A piece of the context.

    Attributes:
        mark: Number of its citation mark: ``[1]`` in the text.
        rank: Rank of the hit that it comes from.
        chunk_id: The chunk; `withgrain get` shows it whole.
        doc_id: The document.
        span: Where the piece stands in the canonical text; None for a generated summary.
        text: The piece, with its repeated table header or stem.
        citation: Where it stands.
        whole: Whether it is the whole hit; else the part nearest to the question, or its beginning.
    """

    mark: int
    rank: int
    chunk_id: str
    doc_id: str
    span: Span | None
    text: str
    citation: Citation
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A hit of which nothing, or only a part, is in the context.

    Attributes:
        rank: Rank of the hit.
        chunk_id: What to get to read it.
        citation: Where it stands.
        tokens: Tokens of its whole text.
        why: ``budget``: nothing of it fits; ``part``: a part of it is in the context; ``duplicate``: its text is
            already there; ``no_domain``: a domain was asked for, and it states none.
    """

    rank: int
    chunk_id: str
    citation: Citation
    tokens: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The context.

    Attributes:
        text: To read, or to put into a prompt: sections in document order, each under its citation mark and path. Where
            a domain was asked for, the last line names sections that state none, as many as fit.
        items: The pieces, in the order of the text.
        tokens: Tokens of ``text``; never more than the budget.
        left_out: What did not fit, best first.
        notices: What could not be done as asked while the hits were searched for; where nothing fits, what the shortest
            piece of the best hit takes.
        apart: With a domain given, the best hits that state no domain at all, by their own ranks; their text is never
            in the context.
    """

    text: str
    items: tuple[PackedItem, ...]
    tokens: int
    left_out: tuple[LeftOut, ...]
    notices: tuple[str, ...] = ()
    apart: tuple[LeftOut, ...] = ()
