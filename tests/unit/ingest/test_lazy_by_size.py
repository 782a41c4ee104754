"""Where nobody says when vectors are made, the size of the collection does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from withgrain import app
from withgrain.app.collection import verify
from withgrain.chunk import policy
from withgrain.embed import when
from withgrain.ingest import IngestReport, IngestSettings, ingest
from withgrain.store import memory_store
from withgrain.testing import HashEmbedder
from withgrain.tokens import words
from withgrain.types import Store


def _page(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(f"# {name}\n\nThe key of {name} is rotated.\n\n## Why\n\nBecause of {name}.\n")


def _sync(store: Store, folder: Path, **changes: object) -> IngestReport:
    settings = IngestSettings(
        policy=policy("heading"), tokenizer=words(), embedder=HashEmbedder(), eager_chunks=4, force=True
    )
    return ingest(store, [folder], replace(settings, **changes))


def test_vectors_wait_where_the_collection_is_large(tmp_path: Path) -> None:
    """Up to the limit all vectors are made; beyond it new ones wait, nothing is done again, and the report says so."""
    store, folder = memory_store(), tmp_path / "docs"
    for name in ("one", "two"):
        _page(folder, name)
    first = _sync(store, folder)
    assert first.chunks == 4
    assert (first.lazy, first.vectors.made) == (False, first.vectors.total)
    for name in ("three", "four"):
        _page(folder, name)
    second = _sync(store, folder)
    assert (second.lazy, second.embedded, second.vectors.made) == (True, 0, first.vectors.made)
    assert second.to_json()["lazy"] is True
    third = _sync(store, folder)
    assert (third.documents.kept, third.written.documents) == (4, 0)


def test_vectors_are_made_when_the_collection_is_small_again_or_somebody_asks(tmp_path: Path) -> None:
    """The limit is about the state, not about its history."""
    store, folder = memory_store(), tmp_path / "docs"
    for name in ("one", "two", "three", "four"):
        _page(folder, name)
    assert _sync(store, folder).vectors.made == 0
    for name in ("one", "two"):
        (folder / f"{name}.md").unlink()
    _sync(store, folder)
    small = _sync(store, folder)
    assert (small.lazy, small.vectors.made) == (False, small.vectors.total)
    _page(folder, "five")
    asked = _sync(store, folder, eager_chunks=None)
    assert asked.vectors.made == asked.vectors.total > small.vectors.total


def test_a_dry_run_knows_it(tmp_path: Path) -> None:
    """What would wait is no text to embed."""
    store, folder = memory_store(), tmp_path / "docs"
    for name in ("one", "two"):
        _page(folder, name)
    small = _sync(store, folder, dry_run=True).dry_run
    _page(folder, "three")
    large = _sync(store, folder, dry_run=True).dry_run
    assert small is not None
    assert large is not None
    assert small.tokens > 0
    assert (large.tokens, large.leaves) == (0, 0)


def test_the_bundled_model_waits_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a large collection ingest makes no vectors of ``minilm``, and a search makes those of its candidates."""
    monkeypatch.setattr(when, "EAGER_CHUNKS", 2)
    folder = tmp_path / "docs"
    for name in ("one", "two"):
        _page(folder, name)
    with app.open(tmp_path / "kb", policy="heading", embedder="minilm") as library:
        report = library.ingest(folder)
        assert (report.lazy, report.embedded) == (True, 0)
        found = library.search("How is the key of one changed?")
        assert found.trace["lazy"]["embedded"] > 0
    assert app.open(tmp_path / "kb", lazy=0).search("key").trace.get("lazy") is None
    verified = verify(tmp_path / "kb", lazy=None)
    assert verified.problems == ()


@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
def test_other_embedders_never_wait(embedder: HashEmbedder | None) -> None:
    """A server is asked when the user ingests, a fast model needs no waiting."""
    assert when.eager_chunks(embedder) is None
