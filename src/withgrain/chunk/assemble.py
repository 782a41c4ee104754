"""From drafts to chunks: ids, neighbours, lines, facts and quality."""

from __future__ import annotations

from collections.abc import Iterator

from withgrain.chunk.draft import Draft
from withgrain.chunk.fates import members_inside
from withgrain.chunk.parents import parent_ids
from withgrain.chunk.places import Places
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.scope import Scope
from withgrain.model import Chunk, Document, Facts, Section, SectionRef, Span, chunk_id
from withgrain.model.chunk import ChunkKind
from withgrain.signals import detect, has_own_signal, quality

_NONE = Facts()
#: An estimate for quality where tokens are not counted.
_CHARACTERS_PER_TOKEN = 4


def assemble(
    document: Document,
    parts: tuple[Section, ...],
    drafts: list[Draft],
    policy: Policy,
    budget: Budget,
    *,
    counted: bool,
    facts: bool = True,
    scope: Scope | None = None,
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
        facts: Whether to run the detectors.
        scope: Knows what is inherited; None makes one.
        beside: Generated chunks that follow and count in ``Chunk.total``.
    """
    places = Places(document, parts)
    scope = scope or Scope(document, parts, rules=policy.signals)
    alone: dict[int, int] = {}
    for draft in drafts:
        alone[draft.region.section] = alone.get(draft.region.section, 0) + 1
    in_sections = policy.regions == "section"
    named = list(_named(document, parts, drafts, places, in_sections=in_sections))
    parents = parent_ids(document.id, document.text, parts, drafts, policy.parent) if policy.parent else None
    chunks = []
    for ordinal, (draft, (identity, index, path, body)) in enumerate(zip(drafts, named, strict=True)):
        own = detect("\n".join((*path[-1:], body)), rules=policy.signals) if facts else _NONE
        single = in_sections and alone[draft.region.section] == 1 and len(draft.region.members) < 2
        small = sum(max(u.size, 0) for u in draft.units) < budget.minimum
        kind: ChunkKind = "atomic_fact" if single and small and has_own_signal(own) else "normal"
        found = scope.inherit(own, index) if facts else own
        size = draft.tokens if counted else len(body) // _CHARACTERS_PER_TOKEN
        block_kinds = places.kinds(draft.span)
        chunks.append(
            Chunk(
                id=identity,
                doc_id=document.id,
                ordinal=ordinal,
                total=len(drafts) + beside,
                span=draft.span,
                body=body,
                title=document.title,
                heading_path=path,
                sections=_sections(draft, parts, places),
                parts=draft.parts,
                kind=kind,
                block_kinds=block_kinds,
                facts=found,
                quality=quality(found, tokens=size, kind=kind) if facts else 50,
                tokens=draft.tokens if counted else None,
                pages=places.pages(draft.span),
                lines=places.lines(draft.span),
                clause=places.clause(draft.span, index),
                anchor=places.anchor(draft.span.start, index),
                origin=places.origin(draft.span),
                parent_id=parents[ordinal] if parents else parts[index].id,
                prev_id=named[ordinal - 1][0] if ordinal else None,
                next_id=named[ordinal + 1][0] if ordinal + 1 < len(named) else None,
                boundary=draft.boundary,
            )
        )
    return tuple(chunks)


def _named(
    document: Document, parts: tuple[Section, ...], drafts: list[Draft], places: Places, *, in_sections: bool
) -> Iterator[tuple[str, int, tuple[str, ...], str]]:
    """Yield id, section index, heading path and body of each draft."""
    seen: dict[tuple[tuple[str, ...], str], int] = {}
    for draft in drafts:
        body = draft.span.of(document.text)
        index = draft.section if in_sections else places.section(draft.span.start)
        path = draft.path if in_sections else parts[index].path
        nth = seen.get((path, body), 0)
        seen[path, body] = nth + 1
        yield chunk_id(document.id, path, body, nth), index, path, body


def _sections(draft: Draft, parts: tuple[Section, ...], places: Places) -> tuple[SectionRef, ...]:
    if len(draft.region.members) < 2:
        return ()
    inside = []
    for i in members_inside(draft.region.members, places.starts_of_sections, draft.span):
        section = parts[i]
        if section.span.overlaps(draft.span):
            start, end = max(section.span.start, draft.span.start), min(section.span.end, draft.span.end)
            span = Span(start=start, end=end)
            page = next(iter(places.pages(span)), None)
            inside.append(SectionRef(path=section.path, span=span, page=page, anchor=places.anchor(start, i)))
    return tuple(inside) if len(inside) > 1 else ()
