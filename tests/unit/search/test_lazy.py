"""Lazy vectors: ingest stores words, a question has the leaves of its first candidates embedded, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from withgrain import app
from withgrain.errors import Unavailable
from withgrain.testing import HashEmbedder

QUESTION = "How is the signing key rotated?"
KEYS = "# Keys\n\n" + "\n\n".join(
    f"## Key {n}\n\nThe signing key {n} is rotated every {n} days by hand." for n in range(9)
)
TABLE = "# Ports\n\n| port | use |\n|---|---|\n" + "\n".join(
    f"| {n} | the key service of zone {n} |" for n in range(20)
)
PAGE = "<html><body><h1>Rotation</h1><p>The key of the page is rotated.</p><ul><li>one key</li></ul></body></html>"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    place.mkdir()
    for name, text in (("keys.md", KEYS), ("ports.md", TABLE), ("other.md", "# Tea\n\nGreen.\n")):
        (place / name).write_text(text)
    return place


def opened(docs: Path, embedder: HashEmbedder, **settings: object) -> app.Library:
    return app.open(docs.parent / "kb", embedder=embedder, **settings)  # type: ignore[arg-type]


def test_ingest_embeds_nothing_and_says_so(docs: Path) -> None:
    """Words only are stored; the contract names the embedder; the state of the vectors is shown; nothing is re-done."""
    embedder = HashEmbedder()
    with opened(docs, embedder, lazy=50) as library:
        report = library.ingest(docs)
        assert (report.embedded, report.vectors.made) == (0, 0)
        assert report.vectors.total > 0
        assert embedder.embedded == []
        info = library.info()
        assert info.contract is not None
        assert info.contract.embedder == f"hash@{embedder.revision}"
        again = library.ingest(docs)
        assert (again.documents.kept, again.written.documents) == (3, 0)
        (docs / "keys.md").write_text(KEYS + "\n\nOne more paragraph about nothing.\n")
        assert library.ingest(docs).documents.updated == 1
        assert embedder.embedded == []


def test_question_embeds_its_first_candidates_once(docs: Path) -> None:
    """Only leaves of the best candidates by words are embedded; the trace says how many; the second time none."""
    embedder = HashEmbedder()
    with opened(docs, embedder, lazy=3) as library:
        total = library.ingest(docs).vectors.total
        first = library.search(QUESTION)
        made = first.trace["lazy"]
        assert made["chunks"] == 3 or made["leaves"] >= made["chunks"] > 0
        assert made["unknown"] == 0
        assert 0 < made["embedded"] == len(embedder.embedded) < total
        assert not any("Green" in text for text in embedder.embedded)
        second = library.search(QUESTION)
        assert second.trace["lazy"] == {**made, "embedded": 0}
        assert [h.chunk.id for h in second.hits] == [h.chunk.id for h in first.hits]
        assert library.info().vectors == 0, "a search does not write to the collection"


def test_lazy_scores_are_the_eager_ones(docs: Path) -> None:
    """Each text is made again exactly, in raw and rendered formats, so that cosines are those of stored vectors."""
    (docs / "page.html").write_text(PAGE)
    with opened(docs, HashEmbedder(), lazy=50) as library:
        library.ingest(docs)
        lazy = library.search(QUESTION, k=30)
    with app.open(docs.parent / "eager", embedder=HashEmbedder()) as library:
        library.ingest(docs)
        eager = library.search(QUESTION, k=30)
    stored = {h.chunk.id: h.channels["dense"][1] for h in eager.hits}
    made = {h.chunk.id: h.channels["dense"][1] for h in lazy.hits if "dense" in h.channels}
    assert len(made) > 5
    assert {h.chunk.doc_id for h in lazy.hits if "dense" in h.channels} >= {h.chunk.doc_id for h in eager.hits[:5]}
    assert made == pytest.approx({i: stored[i] for i in made}, abs=1e-6)


def test_switching_keeps_the_cache(docs: Path) -> None:
    """lazy -> eager makes what waits and nothing twice; eager -> lazy keeps vectors and makes no new ones."""
    embedder = HashEmbedder()
    with opened(docs, embedder, lazy=50) as library:
        total = library.ingest(docs).vectors.total
        library.search(QUESTION)
        made = len(embedder.embedded)
    with opened(docs, embedder) as library:
        report = library.ingest(docs)
        assert (report.vectors.made, report.vectors.total) == (total, total)
        assert len(embedder.embedded) == len(set(embedder.embedded)), "no text is embedded twice"
        assert 0 < made < len(embedder.embedded)
    before = len(embedder.embedded)
    with opened(docs, embedder, lazy=50) as library:
        (docs / "other.md").write_text("# Tea\n\nGreen.\n\n## Coffee\n\nBlack.\n")
        report = library.ingest(docs)
        assert report.vectors.made >= total - 1
        assert report.vectors.made < report.vectors.total
        assert len(embedder.embedded) == before
        assert library.search(QUESTION).trace["lazy"]["embedded"] == 0


def test_eager_search_makes_nothing(docs: Path) -> None:
    """Without the setting a question never embeds documents, even where vectors are missing."""
    embedder = HashEmbedder()
    with opened(docs, embedder, lazy=50) as library:
        library.ingest(docs)
    with opened(docs, embedder) as library:
        assert library.search(QUESTION).trace["lazy"] is None
    assert embedder.embedded == []


class Away(HashEmbedder):
    """Embeds questions only."""

    def embed_documents(self, texts: object) -> list[tuple[float, ...]]:
        raise Unavailable("The server is away.")


def test_server_away(docs: Path) -> None:
    """Vectors that cannot be made now take no words away, and the trace says so."""
    with opened(docs, Away(), lazy=50) as library:
        library.ingest(docs)
        found = library.search(QUESTION)
    assert found.hits
    assert "The server is away." in str(found.trace["notices"])


def test_damaged_cache_does_no_harm(docs: Path) -> None:
    """A cache that cannot be used costs time only."""
    embedder = HashEmbedder()
    with opened(docs, embedder, lazy=50) as library:
        library.ingest(docs)
        cache = docs.parent / "kb" / "embeddings.sqlite"
        for place in docs.parent.glob("kb/embeddings.sqlite*"):
            place.unlink()
        cache.write_bytes(b"no database" * 1000)
        assert library.search(QUESTION).trace["lazy"]["embedded"] > 0


def test_verify_takes_a_waiting_vector_for_no_problem(docs: Path) -> None:
    """Where vectors are lazy, one that waits is as it shall be; elsewhere it is a problem."""
    from withgrain.app import collection

    with opened(docs, HashEmbedder(), lazy=50) as library:
        library.ingest(docs)
    assert {p.kind for p in collection.verify(docs.parent / "kb").problems} == {"vector_missing"}
    found = collection.verify(docs.parent / "kb", lazy=True)
    assert found.problems == ()
    assert any("made when they are needed" in note for note in found.notes)
