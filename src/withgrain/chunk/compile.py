"""The way from a document to chunks: sections, regions, drafts, chunks, audit. Pure: no I/O, no clock, no globals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from withgrain.chunk.assemble import assemble
from withgrain.chunk.cascade import PART_SHARE
from withgrain.chunk.catalogue import STRUCTURE_AWARE
from withgrain.chunk.classify import Classification, classify
from withgrain.chunk.context import Context
from withgrain.chunk.coverage import count_words, lost_words
from withgrain.chunk.draft import Draft, Limits, Plan
from withgrain.chunk.drafter import Drafter
from withgrain.chunk.fates import Forecast, Planned, forecast, section_audits
from withgrain.chunk.merge import merge_siblings
from withgrain.chunk.notes import notes_of
from withgrain.chunk.policy import Budget, Policy
from withgrain.chunk.region import Region
from withgrain.chunk.regions import drops, regions, settled
from withgrain.chunk.scope import Scope
from withgrain.chunk.semantic import cut_at_topics
from withgrain.chunk.split_block import as_records
from withgrain.chunk.strict import drop_small
from withgrain.chunk.summary import document_summary
from withgrain.errors import ConfigError
from withgrain.model import Audit, Chunk, Document, Drop, Facts, Notice, Section, sections
from withgrain.signals import detect
from withgrain.tokens import wordpiece
from withgrain.types import Fits, Tokenizer

_NOTHING = Context()

#: Changes whenever the chunks of an unchanged document can change.
CHUNKER_VERSION = "6"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunked:
    """The outcome for one document.

    Attributes:
        chunks: In document order.
        audit: The fate of every section and word.
        notices: The parser's warnings and the chunker's.
        doc_class: The class that chose the sizes.
        class_reasons: Why it is of that class: plain sentences, the strongest first.
    """

    chunks: tuple[Chunk, ...]
    audit: Audit
    notices: tuple[Notice, ...]
    doc_class: str
    class_reasons: tuple[str, ...] = ()


def chunk_document(
    document: Document,
    policy: Policy = STRUCTURE_AWARE,
    tokenizer: Tokenizer | None = None,
    *,
    limit: int | None = None,
    fits: Fits | None = None,
    metadata: Mapping[str, Any] | None = None,
    facts: bool = True,
    audit: bool = True,
    context: Context = _NOTHING,
) -> Chunked:
    """Cut a document under a policy.

    Args:
        document: From `withgrain.parse.parse`.
        policy: Sizes and rules.
        tokenizer: Counts tokens; the bundled model's WordPiece when None.
        limit: Hard limit in tokens of the whole embedded text (an embedder's window).
        fits: A plain predicate as the hard limit. Sizes are then estimated from the longest beginning of the text
            that fits, every final string is asked, and ``Chunk.tokens`` is None.
        metadata: Embedded in front of every body, cut to what a third of the maximum leaves beside the path.
        facts: Run the detectors. Without them chunks have no facts, quality 50, and none is an atomic fact.
        audit: Account for every section and word. Without it ``Chunked.audit`` says so: it has no sections.
        context: What is known beside the document.

    Raises:
        ConfigError: The policy's sizes contradict each other, nothing fits into the limit, or a policy that cuts at
            topics has no embedder.
    """
    tokenizer = tokenizer or wordpiece()
    classification = context.classification or classify(document)
    policy, budget = _sized(policy, document, classification.doc_class, tokenizer, limit=limit, fits=fits)
    limits = Limits(maximum=budget.maximum, tokens=limit, fits=fits)
    drafter = Drafter(document.text, policy, budget, tokenizer, limits, title=document.title, metadata=metadata)
    parts = sections(document)
    found, dropped, small = _regions(document, parts, drafter, context)
    planned = drafter.plan(found)
    look = _looking(policy)
    predicted = _forecast(document, parts, planned, drafter, small, look) if audit else None
    drafts = drafter.drafts(planned)
    scope = Scope(document, parts, rules=policy.signals, domain=context.domain) if facts else None
    outline = _outline(document, parts, drafter, len(drafts), facts=facts) if policy.summary else ()
    chunks = assemble(
        document,
        parts,
        drafts,
        policy,
        budget,
        counted=drafter.counted,
        scope=scope,
        look=look if facts else None,
        beside=len(outline),
    )
    chunks = (*chunks, *outline)
    return Chunked(
        chunks=chunks,
        audit=_audit(document, classification, drafter, drafts, _Outcome(parts, chunks, dropped, predicted, scope))
        if predicted is not None
        else _unaudited(document, classification.doc_class),
        notices=(*document.notices, *_notices(drafter), *_empty(document, chunks)),
        doc_class=classification.doc_class,
        class_reasons=classification.reasons,
    )


def _looking(policy: Policy) -> Callable[[str], Facts]:
    """Return what finds the facts of a text, once for each: a plan and its chunks are mostly the same texts."""
    known: dict[str, Facts] = {}

    def look(text: str) -> Facts:
        found = known.get(text)
        if found is None:
            found = known[text] = detect(text, rules=policy.signals)
        return found

    return look


def _sized(
    policy: Policy, document: Document, doc_class: str, tokenizer: Tokenizer, *, limit: int | None, fits: Fits | None
) -> tuple[Policy, Budget]:
    """Return the policy as it holds for a document, and its budget: the hard limit is above all sizes."""
    policy.check()
    policy = settled(policy, document)
    if fits is not None:
        policy = policy.with_maximum(_largest(document.text, fits, tokenizer))
    budget = policy.budget_for(doc_class)
    if policy.unit == "tokens" and limit is not None and limit < budget.maximum:
        policy = policy.with_maximum(max(1, limit))
        budget = policy.budget_for(doc_class)
    return policy, budget


def _regions(
    document: Document, parts: tuple[Section, ...], drafter: Drafter, context: Context
) -> tuple[list[Region], tuple[Drop, ...], dict[int, int]]:
    """Return what is packed on its own, what is dropped, and the sizes of the sections that a strict policy drops."""
    policy, budget, ruler = drafter.policy, drafter.budget, drafter.ruler
    found = regions(document, parts, policy)
    if policy.joint == "block":
        ruler.notes = notes_of(document, budget.maximum // PART_SHARE)
    if policy.table_mode == "records":
        ruler.records = True
        for region in found:
            for unit in region.units:
                as_records(unit, document.text)
    if policy.topics:
        found = _topics(found, drafter, context)
    if policy.merge == "siblings":
        ruler.measure(u for r in found for u in r.units if not ruler.surely_longer(u, budget.maximum))
        found = merge_siblings(found, parts, ruler, budget, policy)
    dropped = drops(document)
    if not policy.strict:
        return found, dropped, {}
    found, below, small = drop_small(found, parts, ruler, budget.minimum)
    return found, (*dropped, *below), small


def _topics(found: list[Region], drafter: Drafter, context: Context) -> list[Region]:
    policy, budget = drafter.policy, drafter.budget
    if context.embed is None:
        raise ConfigError(
            f"The policy {policy.name} cuts at changes of topic and needs an embedder to see them. Choose an embedder "
            "(minilm), or a policy that needs none (structure_aware)."
        )
    return list(cut_at_topics(found, drafter.ruler, context.embed, percentile=policy.topics, minimum=budget.minimum))


def _outline(
    document: Document, parts: tuple[Section, ...], drafter: Drafter, ordinal: int, *, facts: bool
) -> tuple[Chunk, ...]:
    found = document_summary(
        document,
        parts,
        drafter.policy,
        count=drafter.tokenizer.count,
        fits=drafter.fits,
        ordinal=ordinal,
        facts=facts,
    )
    if found is None:
        return ()
    return (found if drafter.counted else replace(found, tokens=None),)


class _Outcome(NamedTuple):
    """What the audit looks at when all is cut."""

    parts: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    dropped: tuple[Drop, ...]
    predicted: Forecast
    scope: Scope | None


def _forecast(
    document: Document,
    parts: tuple[Section, ...],
    planned: list[Plan | Draft],
    drafter: Drafter,
    small: dict[int, int],
    look: Callable[[str], Facts],
) -> Forecast:
    plans = [
        Planned(region=plan.region, span=plan.span, size=plan.size)
        if isinstance(plan, Draft)
        else Planned(region=plan[0], units=plan[1][plan[2].first : plan[2].stop])
        for plan in planned
    ]
    return forecast(document, parts, plans, drafter.policy, drafter.budget, small, look)


def _audit(
    document: Document, classification: Classification, drafter: Drafter, drafts: list[Draft], outcome: _Outcome
) -> Audit:
    parts, chunks, dropped, predicted, scope = outcome
    lost, where = lost_words(document, parts, chunks, dropped)
    found = section_audits(document, parts, chunks, drafter.budget, predicted, scope)
    inferred = sum(s.marker_origin == "inferred" for s in found)
    return Audit(
        uri=document.source.uri,
        doc_class=classification.doc_class,
        sections=found,
        dropped=dropped,
        words=count_words(document.text),
        words_lost=lost + len(document.unread),
        lost=where,
        transformations=(
            *_transformations(drafts, drafter),
            *([f"Inferred markers for {inferred} sections from path and headings, as metadata only."] * bool(inferred)),
        ),
        class_reasons=classification.reasons,
    )


def _unaudited(document: Document, doc_class: str) -> Audit:
    return Audit(uri=document.source.uri, doc_class=doc_class, sections=(), dropped=(), words=0, words_lost=0)


def _largest(text: str, fits: Fits, tokenizer: Tokenizer) -> int:
    """Return the size in estimated tokens of the longest beginning of ``text`` that fits, found by bisection."""
    if not fits(""):
        raise ConfigError("The given fits() refuses even an empty text; nothing can be cut to it.")
    if fits(text):
        return max(1, tokenizer.count(text))
    low, high = 0, min(len(text), 1024)
    while high < len(text) and fits(text[:high]):
        low, high = high, min(len(text), 2 * high)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(text[:middle]):
            low = middle
        else:
            high = middle
    return max(1, tokenizer.count(text[:low]))


def _transformations(drafts: list[Draft], drafter: Drafter) -> list[str]:
    lines = [
        f"Left out the header of the table at offset {start}: it is over its share."
        if kind == "table_header"
        else f"Split a {kind} at offset {start}."
        for kind, start in sorted(drafter.split_kinds, key=lambda k: (k[1], k[0]))
    ]
    repeated: dict[str, int] = {}
    for draft in drafts:
        for part in draft.parts:
            if part.role != "path":
                repeated[part.role] = repeated.get(part.role, 0) + 1
    lines += [f"Repeated {role} beside {count} chunks." for role, count in sorted(repeated.items())]
    lines += [f"Elided the path {' > '.join(path)}." for path, p in drafter.prefixes.changed() if p.elided]
    return lines


def _empty(document: Document, chunks: tuple[Chunk, ...]) -> tuple[Notice, ...]:
    """Say that nothing is left to index: only front matter, comments or headings that are nobody's path."""
    if chunks or any(n.kind == "empty_document" for n in document.notices):
        return ()
    return (Notice(kind="empty_document", message="The document holds no text beyond front matter and comments."),)


def _notices(drafter: Drafter) -> list[Notice]:
    found = []
    if any(kind == "table_row" for kind, _ in drafter.split_kinds):
        found.append(Notice(kind="oversize_row", message="A table row is over the limit; it was cut at its cells."))
    if any(kind == "table_header" for kind, _ in drafter.split_kinds):
        found.append(
            Notice(
                kind="wide_table",
                message="A table's header is over two thirds of the limit; it is not repeated beside its parts.",
            )
        )
    if any(p.elided for _, p in drafter.prefixes.changed()):
        found.append(
            Notice(
                kind="context_truncated",
                message="A heading path is over a third of the limit; its outer part was left out.",
            )
        )
    if any(p.truncated for _, p in drafter.prefixes.changed()):
        found.append(Notice(kind="metadata_truncated", message="The metadata to embed do not fit; they were cut."))
    return found
