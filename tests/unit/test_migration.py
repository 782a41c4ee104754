"""`withgrain migrate`: a whole collection anew under other settings, beside the old state, in one step."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

import withgrain
from tests.support import REPO
from withgrain.app.collection import forget, history, verify
from withgrain.app.migration import migrate
from withgrain.errors import ConfigError, UsageError
from withgrain.model import SCHEMA_VERSION
from withgrain.store import open_store
from withgrain.testing.embedders import HashEmbedder
from withgrain.types import Snapshot

DATA = Path(__file__).parent / "store" / "data"


@pytest.fixture(params=[1, 2])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A collection that an older schema wrote, without the files that it was made from."""
    with tarfile.open(DATA / f"schema{request.param}.tar.gz") as archive:
        archive.extractall(tmp_path)  # our own fixture; Python 3.11.2 knows no filter
    return tmp_path / "collection"


def _snapshot(place: Path) -> Snapshot:
    found = open_store(place).snapshot()
    assert found is not None
    return found


def test_an_old_collection_is_rebuilt_from_its_texts(old: Path) -> None:
    """Older schemas, files gone: texts, source offsets and labels stay, vectors are not made twice, no row is wrong."""
    before = _snapshot(old)
    documents = {d.uri: before.document(d.id) for d in before.documents()}
    embedder = HashEmbedder(8)
    done = migrate(old, embedder=embedder)
    assert "schema" in done.differences and done.documents["text"] == sorted(documents) and done.version == 3
    after = _snapshot(old)
    assert after.contract.schema == SCHEMA_VERSION
    for uri, was in documents.items():
        now = after.document(was.id) if was else None
        assert was is not None and now is not None
        assert (now.text, now.removed, now.sha256, now.labels) == (was.text, was.removed, was.sha256, was.labels), uri
    assert {d.language for d in after.documents()} <= {"en", "de", ""}
    assert verify(old).problems == ()
    assert [s.version for s in history(old)][-1] == 3
    assert _snapshot(old).retired(["nobody"]) == []
    again = migrate(old, embedder=embedder)
    assert again.version is None and not again.differences


def test_ids_that_change_lead_to_the_new_chunks(old: Path) -> None:
    """Another policy cuts elsewhere: every old id has a successor that is there."""
    ids = [c.chunk.id for d in _snapshot(old).documents() for c in _snapshot(old).chunks(doc_id=d.id)]
    done = migrate(old, policy="paragraph", embedder=HashEmbedder(8))
    after = _snapshot(old)
    gone = set(ids) - {c.chunk.id for c in after.chunks(ids=ids)}
    assert gone and done.retired == len(gone)
    found = after.retired(sorted(gone))
    assert len(found) == len(gone)
    successors = [r.successor for r in found if r.successor]
    assert successors and len(after.chunks(ids=successors)) == len(successors)


def test_an_unchanged_file_is_preferred_to_the_kept_text(tmp_path: Path) -> None:
    """A file at hand with the stored hash is read again; one that changed is not: that is the business of ingest."""
    docs, place = tmp_path / "docs", tmp_path / "kb"
    docs.mkdir()
    for name in ("status-codes.md", "ledger-tables.md"):
        shutil.copy(REPO / "examples" / "handbook" / "schema" / name, docs)
    library = withgrain.open(place, embedder="none")
    library.ingest(docs)
    (docs / "ledger-tables.md").write_text("# Changed\n\nElse.\n")
    done = migrate(place, policy="paragraph")
    assert (done.documents["file"], done.documents["text"]) == (["docs/status-codes.md"], ["docs/ledger-tables.md"])
    report = withgrain.open(place, embedder="none", policy="paragraph").ingest(docs)
    assert (report.documents.updated, report.documents.kept) == (1, 1)


def test_nothing_to_migrate(tmp_path: Path, old: Path) -> None:
    """No collection; an embedder that has no name here; a rehearsal."""
    with pytest.raises(UsageError):
        migrate(tmp_path / "nothing")
    with pytest.raises(ConfigError, match="--embedder"):
        migrate(old)
    assert "schema" in migrate(old, embedder=HashEmbedder(8), dry_run=True).differences
    assert _snapshot(old).contract.schema < SCHEMA_VERSION


def test_a_forgotten_document_leaves_the_cache_too(tmp_path: Path) -> None:
    """Vectors of its texts are neither in the tables nor in the cache; the others stay."""
    docs, place, embedder = tmp_path / "docs", tmp_path / "kb", HashEmbedder(8)
    docs.mkdir()
    (docs / "secret.md").write_text("# Secret\n\nThe xq7word is hidden.\n")
    (docs / "open.md").write_text("# Open\n\nEverybody may know this.\n")
    library = withgrain.open(place, embedder=embedder)
    library.ingest(docs)
    (docs / "secret.md").write_text("# Secret\n\nThe xq7word was hidden.\n")
    library.ingest(docs)
    done = forget(place, ["secret.md"])
    assert done.documents == ("docs/secret.md",) and done.vectors == 2 and done.found == ()
    assert not [f for f in place.rglob("*") if f.is_file() and b"xq7word" in f.read_bytes()]
    (docs / "secret.md").unlink()
    embedder.embedded.clear()
    withgrain.open(place, embedder=embedder).ingest(docs, force=True)
    assert embedder.embedded == [], "the vectors of what stays are still there"
    with pytest.raises(UsageError, match="No kept state"):
        forget(place, ["secret.md"])


def test_who_asks_to_forget_a_copy_is_told_whose(tmp_path: Path) -> None:
    """ "There is no such document" would be untrue: its words are there, under the name of the other file."""
    docs, place = tmp_path / "docs", tmp_path / "kb"
    docs.mkdir()
    for name in ("a.md", "cafe\u0301.md"):
        (docs / name).write_text("# Secret\n\nThe same words.\n")
    with withgrain.open(place, embedder="none") as library:
        library.ingest(docs)
    with pytest.raises(UsageError, match=r'forget "docs/a\.md"'):
        forget(place, ["./caf\u00e9.md"])
    assert forget(place, ["./a.md"]).copies == ("docs/caf\u00e9.md",)
