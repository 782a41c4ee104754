"""The audit of files and folders, without a collection."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.ingest.discover import FoundFile, Scan, discover, list_names
from withgrain.ingest.explaining import explain
from withgrain.ingest.reading import read_file
from withgrain.ingest.report import AuditReport, Reason
from withgrain.ingest.roots import resolve_roots
from withgrain.ingest.settings import FileRules
from withgrain.model import Audit
from withgrain.types import Progress, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Policy


def audit_files(
    paths: Sequence[Path],
    *,
    policy: Policy,
    tokenizer: Tokenizer,
    rules: FileRules,
    name: str | None = None,
    progress: Progress | None = None,
    scan: Scan = list_names,
) -> AuditReport:
    """Cut every document of some files and folders and return their audits; nothing is stored.

    Raises:
        UsageError: A path that cannot be used.
    """
    found = discover(resolve_roots(paths, name=name, collection=rules.collection), rules, scan=scan)
    audits: list[Audit] = []
    failures = [Reason(uri=o.uri, reason=o.reason) for o in found.left_out if o.failed]
    skipped = tuple(Reason(uri=o.uri, reason=o.reason) for o in found.left_out if not o.failed)
    for number, file in enumerate(found.files):
        if progress is not None:
            progress.update("chunk", number, len(found.files), file.uri)
        try:
            audits.append(_audit_one(file, policy, tokenizer, rules.max_bytes))
        except Exception as error:
            failures.append(Reason(uri=file.uri, reason=explain(error, file.uri)))
    if progress is not None:
        progress.update("chunk", len(found.files), len(found.files))
    return AuditReport(documents=tuple(audits), failures=tuple(sorted(failures, key=lambda r: r.uri)), skipped=skipped)


def _audit_one(file: FoundFile, policy: Policy, tokenizer: Tokenizer, limit: int) -> Audit:
    from withgrain.chunk import chunk_document
    from withgrain.parse import parse

    content = read_file(file.file, limit)
    document = parse(content.data, uri=file.uri, root=file.root, modified=content.modified)
    return chunk_document(document, policy, tokenizer).audit
