"""Cut documents with the grain: structure-aware chunks, proof that nothing was lost, search with exact citations.

::

    import withgrain

    chunks = withgrain.chunk(Path("runbook.md"))       # only chunks
    lib = withgrain.open("kb")                         # a collection
    lib.ingest("docs/")
    for hit in lib.search("how do I reset a password?").hits:
        print(hit.citation, hit.text)

The names below are the public catalogue. They load when they are first used: ``import withgrain`` reads no other
module of the package.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from withgrain.app import Library, audit, chunk, open
    from withgrain.chunk import Policy
    from withgrain.errors import (
        ConfigError,
        ContractMismatch,
        DocumentError,
        IntegrityError,
        MissingExtra,
        Unavailable,
        UsageError,
        WithgrainError,
    )
    from withgrain.ingest import AuditReport, IngestReport
    from withgrain.model import Audit, Chunk, Citation, Document, Facts, Hit, Results, Span, content_key
    from withgrain.types import Tokenizer

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "AuditReport",
    "Chunk",
    "Citation",
    "ConfigError",
    "ContractMismatch",
    "Document",
    "DocumentError",
    "Facts",
    "Hit",
    "IngestReport",
    "IntegrityError",
    "Library",
    "MissingExtra",
    "Policy",
    "Results",
    "Span",
    "Unavailable",
    "UsageError",
    "WithgrainError",
    "__version__",
    "audit",
    "chunk",
    "content_key",
    "open",
]

_HOMES = {
    "app": ("Library", "audit", "open"),
    "chunk": ("Policy",),
    "errors": (
        "ConfigError",
        "ContractMismatch",
        "DocumentError",
        "IntegrityError",
        "MissingExtra",
        "Unavailable",
        "UsageError",
        "WithgrainError",
    ),
    "ingest": ("AuditReport", "IngestReport"),
    "model": ("Audit", "Chunk", "Citation", "Document", "Facts", "Hit", "Results", "Span", "content_key"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name == "chunk":
        return import_module("withgrain.chunk")
    if name not in _HOME:
        raise AttributeError(f"module 'withgrain' has no attribute {name!r}")
    value = getattr(import_module(f"withgrain.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)


class _CallablePackage(ModuleType):
    """``withgrain.chunk`` is the package of the chunker and, called, `withgrain.app.chunk`."""

    def __call__(
        self,
        text_or_path: str | Path,
        *,
        policy: str | Policy = "structure_aware",
        max_tokens: int | None = None,
        tokenizer: str | Tokenizer = "wordpiece",
    ) -> tuple[Chunk, ...]:
        """Cut a text or a file into chunks; see `withgrain.app.chunk`."""
        from withgrain import app

        return app.chunk(text_or_path, policy=policy, max_tokens=max_tokens, tokenizer=tokenizer)


class _Package(ModuleType):
    """Makes ``withgrain.chunk`` callable, whoever imports it first.

    The import system binds a sub-package to its parent when it is first loaded and would hide a function of the same
    name, depending on what else was imported before.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name == "chunk" and isinstance(value, ModuleType):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
