"""The outline of a document as a chunk beside the others: generated, without a span, and it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from withgrain.chunk.policy import Policy
from withgrain.model import Boundary, Chunk, Document, Facts, Section, chunk_id
from withgrain.signals import detect, quality

#: A document with fewer headings is its own outline.
LEAST = 3
#: Headings that an outline looks at; a document with more is no better described by all of them.
MOST = 400
_DESCRIPTION = 300


def document_summary(
    document: Document,
    parts: tuple[Section, ...],
    policy: Policy,
    *,
    count: Callable[[str], int],
    fits: Callable[[str], bool],
    ordinal: int,
    facts: bool,
) -> Chunk | None:
    """Return the outline of a document of three or more sections; None for others, or where nothing of it fits.

    It holds the title, the description of the front matter and the headings, indented by their depth; where they do
    not fit, the deepest are left out first.

    Args:
        document: The document.
        parts: Its sections.
        policy: Whose detectors look for facts.
        count: Tokens of a text.
        fits: Whether a text is within the limits.
        ordinal: Its place behind the other chunks.
        facts: Whether to run the detectors.
    """
    headings = [(len(s.path), s.path[-1]) for s in parts if s.heading is not None and s.path]
    if len(headings) < LEAST:
        return None
    body = next((text for text in _outlines(document, headings) if fits(text)), "")
    if not body:
        return None
    found = detect(body, rules=policy.signals) if facts else Facts()
    tokens = count(body)
    return Chunk(
        id=chunk_id(document.id, ("", "outline"), body, 0),
        doc_id=document.id,
        ordinal=ordinal,
        total=ordinal + 1,
        span=None,
        body=body,
        title=document.title,
        kind="document_summary",
        facts=found,
        quality=quality(found, tokens=tokens, kind="document_summary") if facts else 50,
        tokens=tokens,
        boundary=Boundary(start="document", end="document"),
    )


def _outlines(document: Document, headings: list[tuple[int, str]]) -> Iterator[str]:
    """Yield outlines, the fullest first."""
    lines = [f"Outline of {document.title}"]
    description = document.meta.get("description")
    if isinstance(description, str) and description.strip():
        lines.append(" ".join(description.split())[:_DESCRIPTION])
    top = min(depth for depth, _ in headings)
    least = headings
    for deepest in sorted({depth for depth, _ in headings}, reverse=True):
        kept = [(depth, text) for depth, text in headings if depth <= deepest]
        if len(kept) >= LEAST:
            least = kept
            yield "\n".join((*lines, *_items(kept[:MOST], top, len(headings) - len(kept[:MOST]))))
    while len(least) > 1:
        least = least[: len(least) // 2]
        yield "\n".join((*lines, *_items(least, top, len(headings) - len(least))))


def _items(headings: list[tuple[int, str]], top: int, left_out: int) -> Iterator[str]:
    yield from (f"{'  ' * (depth - top)}- {text}" for depth, text in headings)
    if left_out:
        yield f"(and {left_out} more)"
