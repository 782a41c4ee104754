"""The facade: open a collection, ingest, search, get; or only chunk and audit."""

from withgrain.app.asking import Mode
from withgrain.app.chunking import Cut, audit, chunk, files_in, ingestion_version, inspect, read
from withgrain.app.content import Content
from withgrain.app.defaults import (
    CACHE_FILE,
    DEFAULT_COLLECTION,
    DEFAULT_EMBEDDER,
    DEFAULT_POLICY,
    DEFAULT_TOKENIZER,
)
from withgrain.app.library import Info, Library, open

__all__ = [
    "CACHE_FILE",
    "DEFAULT_COLLECTION",
    "DEFAULT_EMBEDDER",
    "DEFAULT_POLICY",
    "DEFAULT_TOKENIZER",
    "Content",
    "Cut",
    "Info",
    "Library",
    "Mode",
    "audit",
    "chunk",
    "files_in",
    "ingestion_version",
    "inspect",
    "open",
    "read",
]
