"""What the tests of a whole sync share: a folder, a collection in memory, and a fast embedder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from withgrain.chunk import policy
from withgrain.ingest import FileRules, IngestReport, IngestSettings, ingest
from withgrain.ingest.discover import Scan, list_names
from withgrain.model import DocumentRecord
from withgrain.store import memory_store
from withgrain.testing.embedders import HashEmbedder
from withgrain.tokens import words
from withgrain.types import Snapshot, Store

Shape = dict[str, tuple[str, tuple[tuple[str, str, str], ...]]]


def write(place: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files under a folder, with their folders."""
    for name, content in files.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    place.mkdir(parents=True, exist_ok=True)
    return place


@dataclass(kw_only=True)
class Collection:
    """A collection under test; ``sync`` ingests the folder with small groups."""

    folder: Path
    store: Store = field(default_factory=memory_store)
    embedder: HashEmbedder | None = field(default_factory=lambda: HashEmbedder(dims=8))
    cache: Path | None = None

    def settings(self, **changes: Any) -> IngestSettings:
        base = IngestSettings(
            policy=policy("structure_aware"),
            tokenizer=words(),
            embedder=self.embedder,
            cache=self.cache,
            rules=FileRules(),
            group_documents=3,
        )
        return replace(base, **changes)

    def sync(self, paths: Sequence[Path] | None = None, *, scan: Scan = list_names, **changes: Any) -> IngestReport:
        return ingest(self.store, paths or [self.folder], self.settings(**changes), scan=scan)

    def snapshot(self) -> Snapshot:
        snapshot = self.store.snapshot()
        assert snapshot is not None
        return snapshot

    def documents(self) -> dict[str, DocumentRecord]:
        snapshot = self.store.snapshot()
        return {d.uri: d for d in snapshot.documents()} if snapshot else {}

    def texts(self) -> dict[str, str]:
        snapshot = self.store.snapshot()
        found = {d.uri: snapshot.document(d.id) for d in snapshot.documents()} if snapshot else {}
        return {uri: d.text for uri, d in found.items() if d is not None}

    def shape(self) -> Shape:
        """Everything that two collections of the same folder must agree on: ids, texts, terms, vectors."""
        snapshot = self.store.snapshot()
        if snapshot is None:
            return {}
        result: Shape = {}
        for document in snapshot.documents():
            chunks = snapshot.chunks(doc_id=document.id)
            leaves = snapshot.leaves([c.chunk.id for c in chunks])
            stored = snapshot.document(document.id)
            assert stored is not None
            rows = [(c.chunk.id, c.chunk.embed_text, c.terms) for c in chunks]
            rows += [(leaf.id, leaf.chunk_id, repr([round(x, 5) for x in leaf.vector])) for leaf in leaves]
            result[document.uri] = (stored.text, tuple(sorted(rows)))
        return result


def reasons(report: IngestReport) -> dict[str, str]:
    """Failures of a report by uri."""
    return {r.uri: r.reason for r in report.failures}


def counts(report: IngestReport) -> dict[str, int]:
    """The counts of a report that are not 0."""
    return {k: v for k, v in {**report.to_json()["documents"], "copies": report.copies}.items() if v}


def nothing_written(report: IngestReport) -> bool:
    """Whether a sync wrote no row and embedded no text."""
    return not any(report.to_json()["written"].values()) and report.embedded == 0


class Recorder:
    """A progress that remembers what it was told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int, str]] = []

    def update(self, stage: str, done: int, total: int, detail: str = "") -> None:
        self.calls.append((stage, done, total, detail))

    def of(self, stage: str) -> list[tuple[int, int]]:
        return [(done, total) for s, done, total, _ in self.calls if s == stage]


def names(found: Iterable[DocumentRecord]) -> list[str]:
    """Uris of documents."""
    return [d.uri for d in found]
