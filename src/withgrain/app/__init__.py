"""The facade: open a collection, ingest, search, get; or only chunk and audit."""

from typing import TYPE_CHECKING

from withgrain.app.defaults import (
    CACHE_FILE,
    DEFAULT_COLLECTION,
    DEFAULT_EMBEDDER,
    DEFAULT_POLICY,
    DEFAULT_TOKENIZER,
)

if TYPE_CHECKING:
    from withgrain.app.asking import Mode
    from withgrain.app.chunking import Cut, audit, chunk, files_in, ingestion_version, inspect, read
    from withgrain.app.content import Content
    from withgrain.app.library import Info, Library, open
else:
    from withgrain.lazy import named

    __getattr__ = named(
        __name__,
        asking="Mode",
        chunking="Cut audit chunk files_in ingestion_version inspect read",
        content="Content",
        library="Info Library open",
    )

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
