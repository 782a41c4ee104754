"""The audit of files and folders, without a collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.ingest.discover import FoundFile, Scan, discover, list_names
from withgrain.ingest.explaining import explain
from withgrain.ingest.isolated import isolated_member
from withgrain.ingest.limits import Limits
from withgrain.ingest.preparing import guarded_parse, limits_for
from withgrain.ingest.process import Worker
from withgrain.ingest.reading import read_file
from withgrain.ingest.records import Placement
from withgrain.ingest.report import AuditReport, Reason
from withgrain.ingest.roots import resolve_roots
from withgrain.ingest.settings import FileRules
from withgrain.ingest.unpacking import with_members
from withgrain.model import Audit, Document
from withgrain.types import Progress, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Chunked, Embed, Policy

    Visit = Callable[[FoundFile, Document, Chunked], None]


def audit_files(  # noqa: PLR0913  # every argument but four has its usual value
    paths: Sequence[Path],
    *,
    policy: Policy,
    tokenizer: Tokenizer,
    rules: FileRules,
    name: str | None = None,
    progress: Progress | None = None,
    placement: Placement | None = None,
    embed: Embed | None = None,
    visit: Visit | None = None,
    scan: Scan = list_names,
) -> AuditReport:
    """Cut every document of some files and folders and return their audits; nothing is stored.

    Args:
        paths: Folders and files.
        policy: How to cut.
        tokenizer: Whose tokens count.
        rules: Which files belong to a folder.
        name: Name of the root, for one path only.
        progress: Told how it goes on.
        placement: Domains and classes by path.
        embed: Embeds sentences, for policies that cut at topics.
        visit: Called with the file, the document and its chunks of each document that was cut.
        scan: Lists the names in a folder.

    Raises:
        UsageError: A path that cannot be used.
    """
    from withgrain.chunk import chunk_document

    roots = resolve_roots(paths, name=name, collection=rules.collection)
    found = with_members(discover(roots, rules, scan=scan), rules)
    audits: list[Audit] = []
    failures = [Reason(uri=o.uri, reason=o.reason) for o in found.left_out if o.failed]
    skipped = tuple(Reason(uri=o.uri, reason=o.reason) for o in found.left_out if not o.failed)
    with Worker() as worker:
        for number, file in enumerate(found.files):
            if progress is not None:
                progress.update("chunk", number, len(found.files), file.uri)
            try:
                document = _read(file, rules.max_bytes, worker)
                context = (placement or Placement()).context(document.source.path, embed)
                chunked = chunk_document(document, policy, tokenizer, context=context)
            except Exception as error:
                failures.append(Reason(uri=file.uri, reason=explain(error, file.uri)))
                continue
            audits.append(chunked.audit)
            if visit is not None:
                visit(file, document, chunked)
    if progress is not None:
        progress.update("chunk", len(found.files), len(found.files))
    return AuditReport(documents=tuple(audits), failures=tuple(sorted(failures, key=lambda r: r.uri)), skipped=skipped)


def _read(file: FoundFile, limit: int, worker: Worker) -> Document:
    if file.inside:
        limits = limits_for(file.uri, file.size, Limits())
        return isolated_member(
            str(file.file), file.inside, uri=file.uri, root=file.root, limit=limit, limits=limits, worker=worker
        )
    content = read_file(file.file, limit)
    return guarded_parse(content.data, uri=file.uri, root=file.root, modified=content.modified, worker=worker)
