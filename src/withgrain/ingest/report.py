"""What an ingest did, or would do: counts, reasons, and the proof per document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from withgrain.model import Audit, Notice

#: Version of the JSON shapes of this module.
REPORT_SCHEMA = 1

ActionName = Literal["add", "update", "keep", "rename", "delete", "copy", "fail", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A file that failed or was skipped, and why, in one sentence for a person."""

    uri: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many documents met each end."""

    added: int = 0
    updated: int = 0
    kept: int = 0
    renamed: int = 0
    deleted: int = 0
    failed: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows written to and removed from the tables; all 0 when nothing had changed."""

    documents: int = 0
    chunks: int = 0
    leaves: int = 0
    documents_removed: int = 0
    chunks_removed: int = 0
    leaves_removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How many vectors of the whole collection are there, of those that it shall have."""

    made: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentNotice:
    """A warning about one document."""

    uri: str
    notice: Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSummary:
    """The audit of one document of this run, in numbers.

    Attributes:
        uri: The document.
        doc_class: The class that chose its budgets.
        chunks: Number of chunks.
        sections: Number of sections.
        rescued: Sections that a drop-below-minimum chunker would have lost.
        words_lost: 0, or the document failed.
    """

    uri: str
    doc_class: str
    chunks: int
    sections: int
    rescued: int
    words_lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAction:
    """One line of a dry run.

    Attributes:
        action: What would be done.
        uri: The document.
        reason: Why it fails or is skipped; for a rename the uri it comes from.
        chunks: Number of chunks it would have.
        tokens: Tokens that would be embedded: leaves that are not in the cache.
        leaves: Number of those leaves.
    """

    action: ActionName
    uri: str
    reason: str = ""
    chunks: int = 0
    tokens: int = 0
    leaves: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What an ingest would do.

    Attributes:
        actions: One a document, sorted by uri; kept ones are left out.
        tokens: Tokens to embed.
        leaves: Texts to embed.
        seconds: Estimate of the whole run, or None where there is nothing to base it on.
        refusal: Why the run would be refused without ``force``; empty when it would not.
    """

    actions: tuple[PlannedAction, ...]
    tokens: int
    leaves: int
    seconds: float | None
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What an ingest did.

    Attributes:
        documents: How many documents met each end; in a dry run, would meet.
        chunks: Chunks of the synced documents after the run.
        embedded: Texts that were really embedded, not found in the cache.
        words_lost: Words lost over all documents; a document that loses words fails.
        failures: Documents that failed; their old versions stay.
        skipped: Files that are not documents.
        seconds: Wall time.
        written: Rows written and removed.
        notices: Warnings about documents of this run.
        summaries: The audit in numbers, one a document that was cut in this run.
        dry_run: The plan, when nothing was written on purpose; else None.
        version: Version of the collection afterwards; None while it is empty.
        copies: Files that hold nothing but what another document holds, which lists them.
        vectors: How many vectors the collection has then, and how many it shall have.
        lazy: Those that it has not are made when a question needs them.
    """

    documents: Counts
    chunks: int
    embedded: int
    words_lost: int
    failures: tuple[Reason, ...] = ()
    skipped: tuple[Reason, ...] = ()
    seconds: float = 0.0
    written: Rows = field(default_factory=Rows)
    notices: tuple[DocumentNotice, ...] = ()
    summaries: tuple[DocumentSummary, ...] = ()
    dry_run: DryRun | None = None
    version: int | None = None
    copies: int = 0
    vectors: Made = Made()
    lazy: bool = False

    @property
    def exit_code(self) -> int:
        """4 when a document failed, else 0."""
        return 4 if self.failures else 0

    @property
    def rescued(self) -> int:
        """Sections of this run that a drop-below-minimum chunker would have lost."""
        return sum(s.rescued for s in self.summaries)

    @property
    def total(self) -> int:
        """Documents that the synced paths have in the collection after the run."""
        counts = self.documents
        return counts.added + counts.updated + counts.kept + counts.renamed

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-able values; keys may be added in later versions, none is renamed."""
        shape: dict[str, Any] = {
            "schema": REPORT_SCHEMA,
            "documents": _fields(self.documents),
            "chunks": self.chunks,
            "embedded": self.embedded,
            "words_lost": self.words_lost,
            "failures": [_fields(r) for r in self.failures],
            "skipped": [_fields(r) for r in self.skipped],
            "seconds": round(self.seconds, 3),
            "written": _fields(self.written),
            "rescued": self.rescued,
            "notices": [{"uri": n.uri, "kind": n.notice.kind, "message": n.notice.message} for n in self.notices],
            "audit": [_fields(s) for s in self.summaries],
            "version": self.version,
            "copies": self.copies,
            "vectors": _fields(self.vectors),
            "lazy": self.lazy,
        }
        if self.dry_run is not None:
            shape["dry_run"] = {
                "actions": [_fields(a) for a in self.dry_run.actions],
                "tokens": self.dry_run.tokens,
                "leaves": self.dry_run.leaves,
                "seconds": self.dry_run.seconds,
                "refusal": self.dry_run.refusal,
            }
        return shape


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What a chunker that drops small sections would lose, and what became of every section and word.

    Attributes:
        documents: The audits, sorted by uri.
        failures: Documents that cannot be read or parsed.
        skipped: Files that are not documents.
    """

    documents: tuple[Audit, ...]
    failures: tuple[Reason, ...] = ()
    skipped: tuple[Reason, ...] = ()

    @property
    def words_lost(self) -> int:
        """Words lost over all documents."""
        return sum(a.words_lost for a in self.documents)

    @property
    def rescued(self) -> int:
        """Sections that a drop-below-minimum chunker would have lost."""
        return sum(a.rescued for a in self.documents)

    @property
    def exit_code(self) -> int:
        """4 when a document failed, 1 when words were lost, else 0."""
        if self.failures:
            return 4
        return 1 if self.words_lost else 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-able values; keys may be added in later versions, none is renamed."""
        return {
            "schema": REPORT_SCHEMA,
            "documents": [_audit(a) for a in self.documents],
            "failures": [_fields(r) for r in self.failures],
            "skipped": [_fields(r) for r in self.skipped],
            "rescued": self.rescued,
            "words_lost": self.words_lost,
        }


def _fields(value: object) -> dict[str, Any]:
    """Return the fields of a flat record by name, in the order of their definition."""
    names: Mapping[str, Any] = getattr(type(value), "__dataclass_fields__", {})
    return {name: getattr(value, name) for name in names}


def _audit(audit: Audit) -> dict[str, Any]:
    return {
        "uri": audit.uri,
        "doc_class": audit.doc_class,
        "class_reasons": list(audit.class_reasons),
        "before": audit.distribution("before"),
        "after": audit.distribution("after"),
        "rescued": audit.rescued,
        "transformations": list(audit.transformations),
        "dropped": [
            {"reason": d.reason, "span": [d.span.start, d.span.end] if d.span else None, "text": d.text}
            for d in audit.dropped
        ],
        "words_lost": audit.words_lost,
        "words": audit.words,
        "sections": [
            {
                "path": list(s.path),
                "span": [s.span.start, s.span.end],
                "tokens": s.tokens,
                "before": s.before,
                "predicted": s.predicted,
                "after": s.after,
                "reason": s.reason,
                "chunks": s.chunks,
                "marker": s.marker,
                "marker_origin": s.marker_origin,
            }
            for s in audit.sections
        ],
    }
