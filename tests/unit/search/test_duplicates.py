"""Chunks that say the same twice, what a collection is about, and more like this."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ingest.support import Collection, write
from withgrain.search.duplicates import duplicates
from withgrain.search.like import example_from, example_of, like
from withgrain.search.topics import topics

RESET = "Reset the password of a user in the admin console and send a temporary one by mail to the person on duty."
BACKUP = "Backups of the database run at night and are kept for thirty days in the vault of the second region."


def _words(seed: int) -> str:
    return " ".join(f"word{seed * 31 + n * n}" for n in range(30))


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    files = {f"other-{n}.md": f"# Other {n}\n\n{_words(n)}\n" for n in range(20)}
    files["reset.md"] = f"# Reset\n\n{RESET}\n"
    files["again.md"] = f"# Again\n\n{RESET.upper()}\n"
    files["nearly.md"] = f"# Nearly\n\n{RESET.replace('mail', 'post')} Then close the ticket.\n"
    files |= {f"backup-{n}.md": f"# Backup {n}\n\n{BACKUP} Number {n}.\n" for n in range(4)}
    files["copy.md"] = files["backup-1.md"]
    collection = Collection(folder=write(tmp_path_factory.mktemp("d") / "docs", files))
    collection.sync()
    return collection


def test_exact_and_near_pairs_with_their_similarity(docs: Collection) -> None:
    """ "`withgrain duplicates` (exact and near, pairs with similarity)"; the most alike first."""
    found = {(p.first.document, p.second.document): p for p in duplicates(docs.snapshot(), similarity=0.5)}
    assert found["again.md", "reset.md"].kind == "exact"
    assert found["again.md", "nearly.md"].kind == "near"
    assert 0.5 < found["again.md", "nearly.md"].similarity < 1
    assert not [pair for pair in found if any(name.startswith("other") for name in pair)]
    shares = [p.similarity for p in duplicates(docs.snapshot(), similarity=0.5)]
    assert shares == sorted(shares, reverse=True)


def test_near_pairs_are_those_that_all_comparisons_find(tmp_path: Path) -> None:
    texts = [" ".join(f"w{n}" for n in range(40))]
    texts += [texts[0].replace("w7 ", "x ").replace(f"w{20 + n} ", f"y{n} ") for n in range(10)]
    docs = Collection(folder=write(tmp_path / "docs", {f"{n}.md": text for n, text in enumerate(texts)}))
    docs.sync()
    assert len(duplicates(docs.snapshot(), similarity=0.55)) == 55, "11 texts, every two alike"


def test_topics_are_the_same_every_time_and_hold_every_document_once(docs: Collection) -> None:
    """ "`withgrain topics` (clusters with representative headings; deterministic)"."""
    found = topics(docs.snapshot(), 5)
    assert found == topics(docs.snapshot(), 5)
    paths = [path for topic in found for path in topic.documents]
    assert sorted(paths) == sorted(d.path for d in docs.documents().values())
    assert all(topic.headings and topic.words and topic.chunks for topic in found)


def test_topics_show_words_as_they_are_written(docs: Collection) -> None:
    """A person reads them: "every", not the stem that search compares."""
    shown = {word for topic in topics(docs.snapshot(), 5) for word in topic.words}
    assert shown & {"database", "backups", "nights", "temporary", "vault"}
    assert not shown & {"databas", "everi", "temporari", "consol"}


def test_topics_without_vectors(docs: Collection) -> None:
    bare = Collection(folder=docs.folder, embedder=None)
    bare.sync()
    together = [{p[:6] for p in t.documents} for t in topics(bare.snapshot(), 4)]
    assert any("backup" in some for some in together)
    assert topics(bare.snapshot(), 4) == topics(bare.snapshot(), 4)


def test_more_like_a_document_a_chunk_and_a_text(docs: Collection) -> None:
    """ "`search --like ID|FILE|TEXT`"; the example itself is no answer."""
    snapshot = docs.snapshot()
    path = {c.chunk.id: c.path for d in snapshot.documents() for c in snapshot.chunks(doc_id=d.id)}
    example = example_of(snapshot, "reset.md")
    assert example is not None
    best = [path[i] for i, _ in like(snapshot, example, k=2)]
    assert set(best) == {"again.md", "nearly.md"}
    chunk = next(i for i, p in path.items() if p == "backup-1.md")
    found = example_of(snapshot, chunk)
    assert found is not None
    assert all(path[i].startswith("backup") for i, _ in like(snapshot, found, k=3))
    text = example_from("the password of a user", docs.embedder)
    assert path[like(snapshot, text, k=1)[0][0]] in {"reset.md", "again.md", "nearly.md"}
    assert example_of(snapshot, "nothing") is None
