"""The proof that nothing was lost: the fate of every section and of every word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from withgrain.model.document import Drop
from withgrain.model.span import Span

Fate = Literal[
    "kept_normal",
    "kept_atomic_fact",
    "split",
    "merged",
    "rescued",
    "dropped_tiny",
    "dropped_header_only",
    "dropped_empty",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionAudit:
    """What became of one section.

    Attributes:
        path: Heading path.
        span: Heading and blocks.
        tokens: Tokens of its text, without the heading.
        before: What a chunker that drops sections below the policy's minimum would do.
        predicted: What the plan said before anything was cut; always what was done.
        after: What was done.
        reason: One plain sentence.
        chunks: Number of chunks that hold its text.
        marker: The nearest marker in scope, or one inferred from path and headings; empty for none.
        marker_origin: ``own`` | ``inherited`` | ``inferred``; empty where there is no marker.
    """

    path: tuple[str, ...]
    span: Span
    tokens: int
    before: Fate
    predicted: Fate
    after: Fate
    reason: str
    chunks: int
    marker: str = ""
    marker_origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The audit of one document.

    ``words_lost`` counts words of the canonical text that are in no body, heading path or named drop. It is 0, or
    the document fails.

    Attributes:
        uri: The document.
        doc_class: The class that chose its budgets.
        class_reasons: Why it is of that class, the strongest reason first.
        sections: Fates in document order.
        dropped: Declared drops, of the parser and of the chunker.
        words: White-space separated words of the canonical text.
        words_lost: See above.
        lost: Spans of the lost words, at most 20.
        transformations: Plain sentences: what was split, merged, repeated, elided, and why.
    """

    uri: str
    doc_class: str
    sections: tuple[SectionAudit, ...]
    dropped: tuple[Drop, ...]
    words: int
    words_lost: int
    lost: tuple[Span, ...] = ()
    transformations: tuple[str, ...] = ()
    class_reasons: tuple[str, ...] = ()

    @property
    def rescued(self) -> int:
        """Number of sections that a drop-below-minimum chunker would have lost."""
        return sum(s.before.startswith("dropped") and not s.after.startswith("dropped") for s in self.sections)

    def distribution(self, when: Literal["before", "after"]) -> dict[str, int]:
        """Return how many sections met each fate."""
        counts: dict[str, int] = {}
        for section in self.sections:
            fate = section.before if when == "before" else section.after
            counts[fate] = counts.get(fate, 0) + 1
        return counts
