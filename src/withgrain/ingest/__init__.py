"""Sync folders of documents into a collection: plan by hash, run document by document, commit whole documents."""

from __future__ import annotations

from withgrain.ingest.auditing import audit_files
from withgrain.ingest.contract import embedder_name, make_contract
from withgrain.ingest.limits import Limits
from withgrain.ingest.report import AuditReport, IngestReport
from withgrain.ingest.settings import MAX_BYTES, FileRules, IngestSettings
from withgrain.ingest.sync import ingest

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
