"""Workers, late vectors and old ids in a whole sync."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.unit.ingest.evil import evil_format
from tests.unit.ingest.support import Collection, counts, reasons, write
from withgrain.ingest import Limits
from withgrain.ingest.watch import changes
from withgrain.model import Change, CommitResult
from withgrain.store.memory import MemoryWriter
from withgrain.testing.embedders import HashEmbedder

PAGE = "# {0}\n\n## Reset\n\nReset the password of {0}.\n\n## Codes\n\nstatuskey={0} means active.\n"


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, evil_format(tmp_path_factory.mktemp("evil"), patch):
        yield


@pytest.mark.usefixtures("evil")
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    """ "results do not depend on the number of workers"; deaths and failures included."""
    files = {f"{n:02}.md": PAGE.format(n) for n in range(12)}
    files |= {"die.evil": "die 9", "odd.evil": "raise", "fine.evil": "some words", "copy.md": PAGE.format(3)}
    folder = write(tmp_path / "docs", files)
    here = Collection(folder=folder)
    seen = []
    for workers in (1, 2, 4):
        docs = Collection(folder=folder)
        report = docs.sync(workers=workers)
        seen.append((docs.shape(), counts(report), reasons(report)))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][1] == {"added": 13, "failed": 2, "copies": 1}
    assert "SIGKILL" in seen[0][2]["docs/die.evil"]
    here.sync(rules=here.settings().rules.__class__(include=("*.md",)))
    assert here.shape() == {uri: rows for uri, rows in seen[0][0].items() if uri.endswith(".md")}, "read here: the same"


@pytest.mark.usefixtures("evil")
def test_a_document_over_its_limits_keeps_its_old_version(tmp_path: Path) -> None:
    """ "A failed parse … keeps the old version, marks it `stale`, exits 4"."""
    docs = Collection(folder=write(tmp_path / "docs", {"a.evil": "good old words", "b.evil": "other words"}))
    docs.sync()
    write(docs.folder, {"a.evil": "eat all words"})
    report = docs.sync(limits=Limits(memory=300 << 20, cpu_seconds=5, wall_seconds=60))
    assert counts(report) == {"kept": 1, "failed": 1}
    assert docs.texts()["docs/a.evil"].startswith("good old")
    assert "300 MB" in docs.documents()["docs/a.evil"].stale


class _Slow(HashEmbedder):
    """Says when it is asked."""

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        self.asked()
        return super().embed_documents(texts)

    def asked(self) -> None:
        """Replaced by a test."""


@pytest.fixture
def docs(tmp_path: Path) -> Collection:
    files = {f"{n}.md": PAGE.format(n) for n in range(7)}
    return Collection(folder=write(tmp_path / "docs", files), cache=tmp_path / "cache.sqlite")


def test_words_can_be_searched_before_there_are_vectors(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Lexical search works as soon as a document is committed; vectors may follow in the same run"."""
    slow = docs.embedder = _Slow(dims=8)
    states: list[tuple[int, int, bool]] = []

    def asked() -> None:
        count = docs.snapshot().count()
        states.append((count["documents"], count["vectors"], bool(docs.snapshot().lexical(["password"], None, 1))))

    monkeypatch.setattr(slow, "asked", asked)
    report = docs.sync(patience=0)
    assert states[0] == (7, 0, True)
    assert report.vectors.made == report.vectors.total == docs.snapshot().count()["leaves"] > 0
    at_once = Collection(folder=docs.folder)
    at_once.sync()
    assert at_once.shape() == docs.shape()


def test_loading_a_fast_model_does_not_make_it_a_slow_one(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first text loads the model. When all that follow are quick, words and vectors are committed together."""
    clock = [0.0]
    monkeypatch.setattr("withgrain.ingest.vectors.time.monotonic", lambda: clock[0])
    slow = docs.embedder = _Slow(dims=8)
    committed: list[int] = []

    def asked() -> None:
        clock[0] += 0.001 if committed else 10.0
        snapshot = docs.store.snapshot()
        committed.append(snapshot.count()["documents"] if snapshot else 0)

    monkeypatch.setattr(slow, "asked", asked)
    docs.sync(patience=2)
    assert committed[-1] < 7, "no vectors were made when all words were there"


def test_vectors_that_are_missing_are_made_by_the_next_run(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = docs.embedder = _Slow(dims=8)

    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(slow, "asked", stop)
    with pytest.raises(KeyboardInterrupt):
        docs.sync(patience=0)
    count = docs.snapshot().count()
    assert (count["documents"], count["vectors"]) == (7, 0)
    monkeypatch.undo()
    report = docs.sync()
    assert counts(report) == {"updated": 7}
    assert (report.written.chunks, report.vectors.made) == (0, count["leaves"])


def test_late_failure_of_an_embedding_leaves_the_words(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    class Picky(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
            if any("statuskey=3" in t for t in texts):
                raise RuntimeError("the model choked")
            return super().embed_documents(texts)

    docs.embedder = Picky(dims=8)
    report = docs.sync(patience=0)
    assert counts(report) == {"added": 6, "failed": 1}
    assert "choked" in docs.documents()["docs/3.md"].stale
    assert docs.snapshot().pending() == [docs.documents()["docs/3.md"].id]
    docs.embedder = HashEmbedder(dims=8)
    assert counts(docs.sync()) == {"kept": 6, "updated": 1}
    assert docs.snapshot().pending() == []


def test_renamed_document_keeps_vectors_without_a_cache_and_its_ids_lead_on(docs: Collection) -> None:
    """ "A renamed file keeps its vectors, its old ids point to the new ones"."""
    docs.cache = None
    docs.sync()
    old = docs.documents()["docs/3.md"]
    before = docs.snapshot().chunks(doc_id=old.id)
    (docs.folder / "3.md").rename(docs.folder / "new.md")
    report = docs.sync()
    assert (counts(report), report.embedded) == ({"kept": 6, "renamed": 1}, 0)
    new = docs.documents()["docs/new.md"]
    after = docs.snapshot().chunks(doc_id=new.id)
    retired = docs.snapshot().retired([old.id, *(c.chunk.id for c in before)])
    assert [r.successor for r in retired] == [new.id, *(c.chunk.id for c in after)]
    assert {r.reason for r in retired} == {"moved"}
    assert {r.path for r in retired} == {"3.md"}


def test_edited_and_removed_texts_lead_to_what_took_their_place(docs: Collection) -> None:
    docs.sync()
    snapshot = docs.snapshot()
    chunks = {c.chunk.heading_path[-1]: c.chunk.id for c in snapshot.chunks(doc_id=docs.documents()["docs/3.md"].id)}
    gone = docs.documents()["docs/5.md"].id
    text = PAGE.format(3).replace("Reset the password", "Quickly reset the password")
    write(docs.folder, {"3.md": text.partition("## Codes")[0]})
    (docs.folder / "5.md").unlink()
    docs.sync()
    snapshot = docs.snapshot()
    edited, removed, deleted = snapshot.retired([chunks["Reset"], chunks["Codes"], gone])
    assert edited.reason == "changed" and edited.successor is not None
    assert "Quickly" in snapshot.chunks(ids=[edited.successor])[0].chunk.body
    assert (removed.successor, removed.reason) == (None, "gone")
    assert (deleted.successor, deleted.reason) == (None, "gone")


def test_labels_by_path_and_front_matter(docs: Collection) -> None:
    write(docs.folder, {"hr/a.md": "---\nlabels: {tier: 1}\n---\n# A\n\nText.\n"})
    docs.sync(labels=("team=x",), label_rules=(("hr/", "scope=hr"), ("*.md", "kind=page")))
    assert docs.documents()["docs/hr/a.md"].labels == ("team=x", "scope=hr", "kind=page", "tier=1")
    assert docs.documents()["docs/1.md"].labels == ("team=x", "kind=page")


def test_a_change_is_noticed_when_it_has_settled() -> None:
    looks = iter([(("a", 1, 1),), (("a", 1, 1),), (("a", 2, 2),), (("a", 3, 3),), (("a", 3, 3),), (("a", 3, 3),)])
    slept: list[float] = []
    found = changes(lambda: next(looks), interval=1.0, quiet=0.25, sleep=slept.append)
    next(found)
    assert slept == []
    next(found)
    assert slept == [1.0, 0.25, 0.25]


def test_interrupted_rename_is_finished(docs: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.sync()
    shape = docs.shape()
    (docs.folder / "3.md").rename(docs.folder / "new.md")

    def commit(self: MemoryWriter, change: Change) -> CommitResult:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(Exception, match="No space"):
        patch.setattr(MemoryWriter, "commit", commit)
        docs.sync()
    assert docs.shape() == shape
    assert counts(docs.sync()) == {"kept": 6, "renamed": 1}
