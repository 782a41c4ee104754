"""Sync folders of documents into a collection: plan by hash, run document by document, commit whole documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withgrain.ingest.auditing import audit_files
    from withgrain.ingest.contract import embedder_name, make_contract
    from withgrain.ingest.limits import Limits
    from withgrain.ingest.report import AuditReport, IngestReport
    from withgrain.ingest.settings import MAX_BYTES, FileRules, IngestSettings
    from withgrain.ingest.sync import ingest
else:
    from withgrain.lazy import named

    __getattr__ = named(
        __name__,
        auditing="audit_files",
        contract="embedder_name make_contract",
        limits="Limits",
        report="AuditReport IngestReport",
        settings="MAX_BYTES FileRules IngestSettings",
        sync="ingest",
    )

__all__ = [
    "MAX_BYTES",
    "AuditReport",
    "FileRules",
    "IngestReport",
    "IngestSettings",
    "Limits",
    "audit_files",
    "embedder_name",
    "ingest",
    "make_contract",
]
