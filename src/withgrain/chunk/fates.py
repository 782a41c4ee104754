"""The fate of every section: what a chunker that drops small sections would do, what is predicted, and what was done.

One rule says what became of a section from the pieces that hold its text. It is asked twice: with the plan, before
anything is cut, and with the chunks, when all is done. A property test holds the one to the other.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.region import DROPPED_KINDS, Region
from withgrain.chunk.scope import Scope
from withgrain.chunk.trim import trimmed
from withgrain.chunk.unit import Unit
from withgrain.model import Chunk, Document, Facts, Fate, Section, SectionAudit, Span
from withgrain.signals import has_own_signal

_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A stretch that will be a chunk, before it is one.

    Attributes:
        region: What it was cut from.
        units: What it consists of; empty for all of a section that nobody measured piece by piece.
        span: Where its body stands, and
        size: how long it is: where there are no units.
    """

    region: Region
    units: Sequence[Unit] = ()
    span: Span | None = None
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A planned or finished chunk, as far as fates depend on it."""

    span: Span
    sections: range
    shared: bool
    atomic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What is predicted for each section, in document order.

    Attributes:
        fates: The fates.
        tokens: Tokens (or characters) of their text.
    """

    fates: tuple[Fate, ...]
    tokens: tuple[int, ...]


def forecast(
    document: Document,
    parts: tuple[Section, ...],
    planned: Sequence[Planned],
    policy: Policy,
    budget: Budget,
    small: Mapping[int, int],
    look: Callable[[str], Facts],
) -> Forecast:
    """Predict the fate of every section from the plan.

    Args:
        document: The document.
        parts: Its sections.
        planned: The plan, in document order.
        policy: Says whether sections are packed on their own, and what a signal is.
        budget: Its minimum decides what is small.
        small: Sections that a strict policy drops, with their tokens.
        look: Finds the facts of a text.
    """
    starts = [s.span.start for s in parts]
    tokens = [small.get(index, 0) for index in range(len(parts))]
    counts: dict[int, int] = {}
    for plan in planned:
        counts[plan.region.section] = counts.get(plan.region.section, 0) + 1
        tokens[plan.region.section] += plan.size
        for unit in plan.units:
            index = max(0, bisect_right(starts, unit.start) - 1)
            tokens[index] += max(unit.size, 0)
    pieces = []
    for plan in planned:
        span = plan.span or trimmed(document.text, plan.units[0].start, plan.units[-1].end)
        if span is None:
            continue
        inside = _inside(plan.region.members or (plan.region.section,), starts, span)
        alone = policy.regions == "section" and counts[plan.region.section] == 1 and len(plan.region.members) < 2
        size = plan.size + sum([u.size for u in plan.units if u.size > 0])
        atomic = False
        if alone and size < budget.minimum:
            text = "\n".join((*plan.region.path[-1:], span.of(document.text)))
            atomic = has_own_signal(look(text))
        pieces.append(_Piece(span=span, sections=inside, shared=len(inside) > 1, atomic=atomic))
    fates = [
        _fate(document, section, members, tokens[index], budget)
        for index, (section, members) in enumerate(zip(parts, _members(parts, pieces), strict=True))
    ]
    return Forecast(fates=tuple(fates), tokens=tuple(tokens))


def section_audits(
    document: Document,
    parts: tuple[Section, ...],
    chunks: Iterable[Chunk],
    budget: Budget,
    predicted: Forecast,
    scope: Scope | None,
) -> tuple[SectionAudit, ...]:
    """Return the audit of every section in document order: the outcome is read off the chunks alone."""
    starts = [s.span.start for s in parts]
    everything = tuple(range(len(parts)))
    pieces = [
        _Piece(
            span=chunk.span,
            sections=_inside(everything, starts, chunk.span),
            shared=len(chunk.sections) > 1,
            atomic=chunk.kind == "atomic_fact",
        )
        for chunk in chunks
        if chunk.span is not None
    ]
    result: list[SectionAudit] = []
    for index, members in enumerate(_members(parts, pieces)):
        section, tokens = parts[index], predicted.tokens[index]
        after = _fate(document, section, members, tokens, budget)
        marker, origin = _marker(scope, index)
        result.append(
            SectionAudit(
                path=section.path,
                span=section.span,
                tokens=tokens,
                before=_before(document, section, tokens, budget),
                predicted=predicted.fates[index],
                after=after,
                reason=_reason(after, section, tokens, len(members), budget),
                chunks=len(members),
                marker=marker,
                marker_origin=origin,
            )
        )
    return tuple(result)


def members_inside(members: tuple[int, ...], starts: Sequence[int], span: Span) -> tuple[int, ...]:
    """Return the members (consecutive section indices) that a span can touch, found by bisection."""
    return members if len(members) < 2 else tuple(_inside(members, starts, span))


def _inside(members: tuple[int, ...], starts: Sequence[int], span: Span) -> range:
    first = max(members[0], bisect_right(starts, span.start) - 1)
    last = min(members[-1] + 1, bisect_left(starts, span.end))
    return range(first, max(last, first + 1))


def _members(parts: tuple[Section, ...], pieces: Iterable[_Piece]) -> list[list[_Piece]]:
    """Return the pieces that hold text of each section."""
    members: list[list[_Piece]] = [[] for _ in parts]
    for piece in pieces:
        for index in piece.sections:
            if parts[index].span.overlaps(piece.span):
                members[index].append(piece)
    return members


def _has_words(document: Document, section: Section) -> bool:
    return any(
        b.kind not in DROPPED_KINDS
        and b.kind != "blank"
        and _WORD.search(document.text, b.span.start, b.span.end) is not None
        for b in section.blocks
    )


def _before(document: Document, section: Section, tokens: int, budget: Budget) -> Fate:
    """Return what a chunker does that drops sections below the minimum."""
    if not _has_words(document, section):
        return "dropped_header_only" if section.heading is not None else "dropped_empty"
    if tokens < budget.minimum:
        return "dropped_tiny"
    return "split" if tokens > budget.maximum else "kept_normal"


def _fate(document: Document, section: Section, members: list[_Piece], tokens: int, budget: Budget) -> Fate:
    """Return what becomes of a section whose text is in these pieces."""
    before = _before(document, section, tokens, budget)
    if not members:
        return before if before.startswith("dropped") else "dropped_tiny"
    if len(members) > 1:
        return "split"
    if members[0].shared:
        return "merged"
    if members[0].atomic:
        return "kept_atomic_fact"
    return "rescued" if before.startswith("dropped") else "kept_normal"


def _reason(fate: Fate, section: Section, tokens: int, chunks: int, budget: Budget) -> str:
    """Say in one sentence why a section met its fate."""
    if fate == "kept_normal":
        return f"{tokens} tokens fit into one chunk."
    if fate == "split":
        return f"{tokens} tokens make {chunks} chunks (target {budget.target}, maximum {budget.maximum})."
    below = f"below the minimum of {budget.minimum}"
    if fate == "rescued" and tokens:
        return f"{tokens} tokens, {below}; kept as a chunk of its own."
    if fate == "dropped_header_only" and section.heading is not None and section.path:
        return "It has no text of its own; its heading is in the path of its subsections."
    return {
        "merged": f"{tokens} tokens; they share a chunk with neighbouring sections.",
        "kept_atomic_fact": f"{tokens} tokens, but it states a fact of its own; never merged.",
        "rescued": "It has no text of its own; its heading is kept as a chunk.",
        "dropped_tiny": f"{tokens} tokens, {below}; a strict policy drops it.",
        "dropped_header_only": "It has neither heading nor text.",
        "dropped_empty": "It has no words beyond declared drops.",
    }[fate]


def _marker(scope: Scope | None, index: int) -> tuple[str, str]:
    """Return the marker of a section and where it comes from."""
    if scope is None:
        return "", ""
    own, found = scope.own(index), scope.markers(index)
    if found:
        return found[0], "own" if own else "inherited"
    inferred = scope.inferred(index)
    return (inferred[0], "inferred") if inferred else ("", "")
