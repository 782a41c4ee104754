"""From drafts to chunks: ids, neighbours, lines, facts and quality."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from withgrain.chunk.draft import Draft
from withgrain.chunk.fates import members_inside
from withgrain.chunk.parents import parent_ids
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.scope import Scope
from withgrain.model import Chunk, Document, Facts, Section, SectionRef, Span, chunk_id
from withgrain.model.chunk import ChunkKind
from withgrain.signals import detect, has_own_signal, quality

_NONE = Facts()
#: An estimate for quality where tokens are not counted.
_CHARACTERS_PER_TOKEN = 4


class Places:
    """Finds lines, blocks and sections of a span by bisection."""

    def __init__(self, document: Document, parts: tuple[Section, ...]) -> None:
        self.document, self.parts = document, parts
        self._at, self._line = 0, 1  # spans come in order: lines are counted on from the last one
        self._starts = [b.span.start for b in document.blocks]
        self.starts_of_sections = [s.span.start for s in parts]

    def lines(self, span: Span) -> tuple[int, int] | None:
        """Return the 1-based first and last line; None for rendered formats."""
        if self.document.rendered:
            return None
        text = self.document.text
        if span.start < self._at:
            self._at, self._line = 0, 1
        first = self._line + text.count("\n", self._at, span.start)
        self._at, self._line = span.start, first
        return first, first + text.count("\n", span.start, max(span.start, span.end - 1))

    def kinds(self, span: Span) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the distinct kinds and pages of the blocks that the span touches."""
        first = max(0, bisect_right(self._starts, span.start) - 1)
        kinds: dict[str, None] = {}
        pages: set[int] = set()
        for block in self.document.blocks[first : bisect_left(self._starts, span.end)]:
            if block.kind != "blank":
                kinds[block.kind] = None
            if block.page is not None:
                pages.add(block.page)
        return tuple(kinds), self.document.pages(span) or tuple(sorted(pages))

    def clause(self, span: Span, index: int) -> str | None:
        """Return the printed number of the innermost numbered heading, else of the first block of the span."""
        at: int | None = index
        while at is not None:
            heading = self.parts[at].heading
            if heading is not None and heading.number:
                return heading.number
            at = self.parts[at].parent
        blocks = self.document.blocks
        first = max(0, bisect_right(self._starts, span.start) - 1)
        if first >= len(blocks):
            return None
        items = blocks[first].children if blocks[first].kind == "list" else ()
        inside = next((b for b in items if b.span.start <= span.start < b.span.end), blocks[first])
        return inside.number

    def section(self, at: int) -> int:
        """Return the index of the section that the offset stands in."""
        return max(0, bisect_right(self.starts_of_sections, at) - 1)


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
        block_kinds, pages = places.kinds(draft.span)
        chunks.append(
            Chunk(
                id=identity,
                doc_id=document.id,
                ordinal=ordinal,
                total=len(drafts),
                span=draft.span,
                body=body,
                title=document.title,
                heading_path=path,
                sections=_sections(draft, parts, places.starts_of_sections),
                parts=draft.parts,
                kind=kind,
                block_kinds=block_kinds,
                facts=found,
                quality=quality(found, tokens=size, kind=kind) if facts else 50,
                tokens=draft.tokens if counted else None,
                pages=pages,
                lines=places.lines(draft.span),
                clause=places.clause(draft.span, index),
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


def _sections(draft: Draft, parts: tuple[Section, ...], starts: list[int]) -> tuple[SectionRef, ...]:
    if len(draft.region.members) < 2:
        return ()
    inside = [
        SectionRef(
            path=parts[i].path,
            span=Span(start=max(parts[i].span.start, draft.span.start), end=min(parts[i].span.end, draft.span.end)),
        )
        for i in members_inside(draft.region.members, starts, draft.span)
        if parts[i].span.overlaps(draft.span)
    ]
    return tuple(inside) if len(inside) > 1 else ()
