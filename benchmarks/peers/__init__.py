"""Chunkers that are measured side by side. One file each; a package that is not installed is left out and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from benchmarks.judge.source import Piece, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The most that a chunk may hold; ``count`` counts tokens, or characters when ``tokens`` is False."""

    limit: int
    count: Callable[[str], int]
    tokens: bool = True


class Chunker(Protocol):
    """One contestant under one size."""

    def cut(self, source: Source) -> Sequence[object]:
        """Return its chunks in its own form: what is timed."""
        ...

    def pieces(self, source: Source) -> list[Piece]:
        """Return its chunks for the judge."""
        ...


#: Name in the tables -> (module of this package, class, distributions whose versions are reported).
CHUNKERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "withgrain": ("own", "Own", ("withgrain", "pyromark", "tokie")),
    "withgrain, no facts, no audit": ("own", "OwnBare", ("withgrain",)),
    "semantic-text-splitter": ("text_splitter", "SemanticTextSplitter", ("semantic-text-splitter",)),
    "LangChain Markdown": ("langchain", "Markdown", ("langchain-text-splitters",)),
    "LangChain headers + recursive": ("langchain", "Headers", ("langchain-text-splitters",)),
    "chonkie recursive": ("chonkie_recursive", "Recursive", ("chonkie", "chonkie-core")),
    "LlamaIndex Markdown + sentence": ("llama", "MarkdownSentence", ("llama-index-core",)),
    "Docling hybrid": ("docling_hybrid", "Hybrid", ("docling-slim", "docling-core")),
}
OWN = ("withgrain", "withgrain, no facts, no audit")


def load(name: str) -> Callable[[Sizes], Chunker]:
    """Return the class of a contestant.

    Raises:
        ImportError: Its package is not installed.
    """
    module, cls, _ = CHUNKERS[name]
    found: Callable[[Sizes], Chunker] = getattr(import_module(f"benchmarks.peers.{module}"), cls)
    return found


def available(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names that can be loaded, and those that cannot."""
    there, missing = [], []
    for name in names:
        try:
            load(name)
        except ImportError:
            missing.append(name)
        else:
            there.append(name)
    return there, missing


def versions(names: Sequence[str]) -> dict[str, str]:
    """Return the installed versions of the contestants' distributions."""
    from importlib.metadata import version

    return {d: version(d) for name in names for d in CHUNKERS[name][2]}
