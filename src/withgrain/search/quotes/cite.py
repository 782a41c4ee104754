"""Find a quote in a collection: letter for letter, apart from typography, or the nearest text with the differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from withgrain.errors import UsageError
from withgrain.model import ChunkRecord, Citation, DocumentRecord, Filter, Span
from withgrain.search.citation import cite_span, several_roots
from withgrain.search.quotes.nearest import Difference, Near, nearest
from withgrain.search.quotes.places import MOST, Looks, find, seen
from withgrain.search.quotes.typography import whole
from withgrain.search.scoped import scoped
from withgrain.tokens.terms import terms
from withgrain.types import Snapshot

How = Literal["exact", "normalised", "near"]

_CHUNKS = 50
_TERMS = 64
#: Documents in which the nearest text is looked for, and what it must have in common with the quote.
_COMPARED = 8
_SIMILAR = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A place where a quote stands, or the text nearest to it.

    Attributes:
        found: ``exact``: letter for letter; ``normalised``: as the text looks to a reader, apart from white space,
            typographic signs and what an ellipsis leaves out; ``near``: it stands nowhere, this is the nearest text.
            The first two begin and end with whole words and numbers.
        citation: Where it stands.
        doc_id: The document.
        chunk_id: The chunk in which it begins; None where no chunk holds it (front matter, comments).
        span: The place in the document's canonical text.
        text: What stands there, verbatim.
        similarity: 1 unless ``near``: then twice the words in common over the words of both, 0-1.
        differences: For ``near``: the words of the quote, and what stands in their place.
        modified: Modification time of the document.
        stale: Why the stored version is older than the file; empty when current.
    """

    found: How
    citation: Citation
    doc_id: str
    chunk_id: str | None
    span: Span
    text: str
    similarity: float = 1.0
    differences: tuple[Difference, ...] = ()
    modified: str | None = None
    stale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A text to look into: a whole document, or a chunk of one that is not whole inside the scope."""

    document: DocumentRecord
    looks: Looks
    start: int = 0


def cite(snapshot: Snapshot, quote: str, *, limit: int = 10, scope: Filter | None = None) -> tuple[Quote, ...]:
    """Return the places of a quote, exact ones first; else the one nearest text; nothing when nothing is like it.

    Documents are found by the quote's words (side by side, then most of them), so the time depends on the quote and
    not on the size of the collection.

    Args:
        snapshot: The state to look into.
        quote: The words, as one would quote them: a sentence or a few.
        limit: Most places.
        scope: Nothing outside this filter is looked at or told.

    Raises:
        UsageError: The quote has no word or is longer than 2,000 characters, or ``limit`` is below 1.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit}; ask for 1 place or more.")
    if not any(character.isalnum() for character in quote):
        raise UsageError("The quote has no word. Give the words as you read them.")
    if len(quote) > MOST:
        raise UsageError(f"The quote has {len(quote):,} characters; at most {MOST:,} can be checked at once.")
    inside = scoped(snapshot, scope)
    texts = list(_texts(inside, quote))
    several = several_roots(inside)
    found: dict[How, list[Quote]] = {"exact": [], "normalised": []}
    for text in texts:
        places = find(quote, text.looks, limit)
        if places is not None:
            found[places.how] += (_quote(inside, text, s, places.how, several=several) for s in places.spans)
    both = (*found["exact"], *found["normalised"])
    return both[:limit] if both else _nearest(inside, quote, texts, several=several)


def _texts(snapshot: Snapshot, quote: str) -> Iterator[_Text]:
    """Yield where to look. The first and the last word may be parts of words, so the phrase goes without them."""
    asked = terms(quote)[:_TERMS]
    inner = asked[1:-1] if len(asked) > 3 else asked
    ids = snapshot.phrase(inner, None, _CHUNKS)
    ids += [i for i, _ in snapshot.lexical(asked, None, _CHUNKS)]
    by_document: dict[str, list[ChunkRecord]] = {}
    for record in snapshot.chunks(ids=list(dict.fromkeys(ids))):
        by_document.setdefault(record.chunk.doc_id, []).append(record)
    for doc_id, records in by_document.items():
        document = snapshot.document(doc_id)
        if document is None:
            continue
        if document.text:
            yield _Text(document=document, looks=Looks(document.text))
        else:
            for chunk in (r.chunk for r in records):
                if chunk.span is not None:
                    yield _Text(document=document, looks=Looks(chunk.body), start=chunk.span.start)


def _nearest(snapshot: Snapshot, quote: str, texts: Sequence[_Text], *, several: bool) -> tuple[Quote, ...]:
    """Return the text nearest to a quote; with the very words and signs of the quote it stands there after all."""
    compared = ((text, nearest(seen(quote), text.looks.numbered.text)) for text in texts[:_COMPARED])
    best: tuple[_Text, Near] | None = None
    for text, near in compared:
        if near and near.similarity >= _SIMILAR and (best is None or near.similarity > best[1].similarity):
            best = text, near
    if best is None:
        return ()
    (text, near), view = best, best[0].looks.numbered
    span = view.source(near.span.start, near.span.end)
    if near.complete and not near.differences and whole(view.text, near.span.start, near.span.end):
        return (_quote(snapshot, text, span, "normalised", several=several),)
    return (_quote(snapshot, text, span, "near", several=several, near=near),)


def _quote(snapshot: Snapshot, text: _Text, span: Span, how: How, *, several: bool, near: Near | None = None) -> Quote:
    document = text.document
    place = Span(start=text.start + span.start, end=text.start + span.end)
    records = snapshot.chunks(doc_id=document.id)
    record, last = _holder(records, place), _holder(records, Span(start=place.end - 1, end=place.end))
    return Quote(
        found=how,
        citation=cite_span(document, record, place, last=last.chunk if last else None, several_roots=several),
        doc_id=document.id,
        chunk_id=record.chunk.id if record else None,
        span=place,
        text=span.of(text.looks.text),
        similarity=near.similarity if near else 1.0,
        differences=near.differences if near else (),
        modified=document.modified,
        stale=document.stale,
    )


def _holder(records: Iterable[ChunkRecord], place: Span) -> ChunkRecord | None:
    """Return the chunk in which a place begins; for a place in a heading, the first chunk that begins behind it."""
    spans = [(r, r.chunk.span) for r in records if r.chunk.span is not None]
    inside = (r for r, span in spans if span.start <= place.start < span.end)
    behind = (r for r, span in spans if place.start < span.start <= place.end)
    return next(inside, None) or next(behind, None)
