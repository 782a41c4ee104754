"""Counts a run while it goes on and makes its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from withgrain.ingest.plan import Action, Plan
from withgrain.ingest.prepare import Prepared
from withgrain.ingest.report import (
    Counts,
    DocumentNotice,
    DocumentSummary,
    DryRun,
    IngestReport,
    Made,
    Reason,
    Rows,
)
from withgrain.model import CommitResult

_NAMES = {
    "add": "added",
    "update": "updated",
    "rename": "renamed",
    "delete": "deleted",
    "copy": "copies",
}


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has been done so far."""

    counts: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    chunks: int = 0
    embedded: int = 0
    words_lost: int = 0
    failures: list[Reason] = field(default_factory=list)
    skipped: list[Reason] = field(default_factory=list)
    notices: list[DocumentNotice] = field(default_factory=list)
    summaries: list[DocumentSummary] = field(default_factory=list)
    version: int | None = None
    vectors: Made = field(default_factory=Made)
    lazy: bool = False

    def done(self, action: Action, prepared: Prepared | None = None) -> None:
        """Count a document that is as it should be."""
        self.counts[_NAMES[action.name]] += 1
        if prepared is not None:
            uri = prepared.document.uri
            self.chunks += len(prepared.chunks)
            self.summaries.append(prepared.summary)
            self.notices += [DocumentNotice(uri=uri, notice=n) for n in prepared.notices]
        elif action.listing and action.known is not None:
            self.chunks += action.known.chunks

    def kept(self, plan: Plan) -> int:
        """Count the documents that are as they were; return the number of their chunks."""
        kept = [*plan.settled, *(a.known for a in plan.of("keep") if a.known is not None)]
        chunks = sum(document.chunks for document in kept)
        self.counts["kept"] += len(kept)
        self.chunks += chunks
        return chunks

    def left(self, action: Action) -> None:
        """Count a file that failed or was skipped; a stored version of it stays."""
        failed = action.name != "skip"
        self.counts["failed" if failed else "skipped"] += 1
        (self.failures if failed else self.skipped).append(Reason(uri=action.uri, reason=action.reason))
        self.chunks += action.known.chunks if action.known is not None else 0

    def failed_late(self, uri: str, reason: str) -> None:
        """Count a document as failed that was counted as added before: its words are there, its vectors are not."""
        self.counts["added"] -= 1
        self.counts["failed"] += 1
        self.failures.append(Reason(uri=uri, reason=reason))

    def committed(self, result: CommitResult) -> None:
        """Add the rows of a commit."""
        self.version = result.version
        self.rows.update(
            documents=result.documents_written,
            chunks=result.chunks_written,
            leaves=result.leaves_written,
            documents_removed=result.documents_removed,
            chunks_removed=result.chunks_removed,
            leaves_removed=result.leaves_removed,
        )

    def report(self, *, seconds: float, dry_run: DryRun | None = None) -> IngestReport:
        """Return the report, its lists sorted by uri."""
        return IngestReport(
            documents=Counts(**{end: n for end, n in self.counts.items() if end != "copies"}),
            copies=self.counts["copies"],
            chunks=self.chunks,
            embedded=self.embedded,
            words_lost=self.words_lost,
            failures=tuple(sorted(self.failures, key=lambda r: r.uri)),
            skipped=tuple(sorted(self.skipped, key=lambda r: r.uri)),
            seconds=seconds,
            written=Rows(**self.rows),
            notices=tuple(sorted(self.notices, key=lambda n: n.uri)),
            summaries=tuple(sorted(self.summaries, key=lambda s: s.uri)),
            dry_run=dry_run,
            version=self.version,
            vectors=self.vectors,
            lazy=self.lazy,
        )
