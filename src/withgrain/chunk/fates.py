"""The fate of every section: what a chunker that drops small sections would have done, and what was done."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from withgrain.chunk.draft import Draft
from withgrain.chunk.policy import Budget
from withgrain.chunk.region import DROPPED_KINDS
from withgrain.model import Chunk, Document, Fate, Section, SectionAudit, Span


def section_audits(
    document: Document, parts: tuple[Section, ...], drafts: Iterable[Draft], chunks: Iterable[Chunk], budget: Budget
) -> tuple[SectionAudit, ...]:
    """Return the audit of every section in document order."""
    tokens = [0] * len(parts)
    members: list[list[tuple[Draft, Chunk]]] = [[] for _ in parts]
    starts = [s.span.start for s in parts]
    for draft, chunk in zip(drafts, chunks, strict=True):
        inside = members_inside(draft.region.members or (draft.region.section,), starts, draft.span)
        for index in inside:
            section = parts[index]
            if draft.span.start < section.span.end and section.span.start < draft.span.end:
                members[index].append((draft, chunk))
                tokens[index] += sum(
                    u.size for u in draft.units if section.span.start <= u.start < section.span.end and u.size > 0
                )
    result: list[SectionAudit] = []
    for index, section in enumerate(parts):
        before = _before(document, section, tokens[index], budget)
        after, reason = _after(section, members[index], before, tokens[index], budget)
        result.append(
            SectionAudit(
                path=section.path,
                span=section.span,
                tokens=tokens[index],
                before=before,
                after=after,
                reason=reason,
                chunks=len(members[index]),
            )
        )
    return tuple(result)


def members_inside(members: tuple[int, ...], starts: Sequence[int], span: Span) -> tuple[int, ...]:
    """Return the members (consecutive section indices) that a span can touch, found by bisection."""
    if len(members) < 2:
        return members
    first = max(members[0], bisect_right(starts, span.start) - 1)
    last = min(members[-1] + 1, bisect_left(starts, span.end))
    return tuple(range(first, last))


def _has_words(document: Document, section: Section) -> bool:
    return any(
        b.kind not in DROPPED_KINDS and b.kind != "blank" and any(c.isalnum() for c in b.span.of(document.text))
        for b in section.blocks
    )


def _before(document: Document, section: Section, tokens: int, budget: Budget) -> Fate:
    if not _has_words(document, section):
        return "dropped_header_only" if section.heading is not None else "dropped_empty"
    if tokens < budget.minimum:
        return "dropped_tiny"
    return "split" if tokens > budget.maximum else "kept_normal"


def _after(
    section: Section, members: list[tuple[Draft, Chunk]], before: Fate, tokens: int, budget: Budget
) -> tuple[Fate, str]:
    if not members:
        if section.heading is not None and section.path:
            return "rescued", "It has no text of its own; its heading is in the path of its subsections."
        return "dropped_empty", "It has no words beyond declared drops."
    if len(members) > 1:
        return (
            "split",
            f"{tokens} tokens make {len(members)} chunks (target {budget.target}, maximum {budget.maximum}).",
        )
    chunk = members[0][1]
    if len(chunk.sections) > 1:
        return "merged", f"{tokens} tokens, below the minimum of {budget.minimum}; joined with its small siblings."
    if chunk.kind == "atomic_fact":
        return "kept_atomic_fact", f"{tokens} tokens, but it states a fact of its own; never merged."
    if before.startswith("dropped"):
        return "rescued", f"{tokens} tokens, below the minimum of {budget.minimum}; kept as a chunk of its own."
    return "kept_normal", f"{tokens} tokens fit into one chunk."
