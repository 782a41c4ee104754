"""From drafts to chunks: ids, neighbours, lines, facts and quality."""

from __future__ import annotations

from collections.abc import Callable

from withgrain.chunk.build import link, make_chunk
from withgrain.chunk.draft import Draft
from withgrain.chunk.fates import members_inside
from withgrain.chunk.finding import Finding, nothing_found
from withgrain.chunk.parents import parent_ids
from withgrain.chunk.places import Places
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.scope import Scope
from withgrain.model import Chunk, ChunkIds, Document, Facts, Section, SectionRef, Span


def assemble(
    document: Document,
    parts: tuple[Section, ...],
    drafts: list[Draft],
    policy: Policy,
    budget: Budget,
    *,
    counted: bool,
    scope: Scope | None = None,
    look: Callable[[str], Facts] | None,
    beside: int = 0,
) -> tuple[Chunk, ...]:
    """Return the chunks of a document.

    Args:
        document: The document.
        parts: Its sections.
        drafts: In order of their spans.
        policy: Says whether a region is a section.
        budget: ``minimum`` decides what an atomic fact is.
        counted: Whether the limit is a counter (else ``Chunk.tokens`` is None).
        scope: Knows what is inherited; None makes one.
        look: Finds the facts of a text; None to leave them out.
        beside: Generated chunks that follow and count in ``Chunk.total``.
    """
    places = Places(document, parts)
    find = nothing_found
    if look is not None:
        find = Finding(document, parts, drafts, policy, budget, counted=counted, scope=scope, look=look).of
    in_sections = policy.regions == "section"
    parents = parent_ids(document.id, document.text, parts, drafts, policy.parent) if policy.parent else None
    ids = ChunkIds(document.id)
    total = len(drafts) + beside
    chunks: list[Chunk] = []
    for ordinal, draft in enumerate(drafts):
        path, span, index = draft.path, draft.span, draft.section
        if not in_sections:
            index = places.section(span.start)
            path = parts[index].path
        body = document.text[span.start : span.end]
        kind, found, score = find(draft, index, path, body)
        chunks.append(
            make_chunk(
                ids.of(path, body),
                document.id,
                ordinal,
                total,
                span,
                body,
                document.title,
                path,
                _sections(draft, parts, places) if len(draft.region.members) > 1 else (),
                draft.parts,
                kind,
                draft.block_kinds or places.kinds(span),
                found,
                score,
                draft.tokens if counted else None,
                places.pages(span),
                places.page_starts(span),
                places.lines(span),
                places.clause(span, index),
                places.anchor(span.start, index),
                places.origin(span),
                parents[ordinal] if parents else parts[index].id,
                draft.boundary,
            )
        )
    return link(chunks)


def _sections(draft: Draft, parts: tuple[Section, ...], places: Places) -> tuple[SectionRef, ...]:
    inside = []
    for i in members_inside(draft.region.members, places.starts_of_sections, draft.span):
        section = parts[i]
        if section.span.overlaps(draft.span):
            start, end = max(section.span.start, draft.span.start), min(section.span.end, draft.span.end)
            span = Span(start=start, end=end)
            page = next(iter(places.pages(span)), None)
            inside.append(SectionRef(path=section.path, span=span, page=page, anchor=places.anchor(start, i)))
    return tuple(inside) if len(inside) > 1 else ()
