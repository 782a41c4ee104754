"""The static embedder: the promises of all embedders, exact vectors, and what is said when its table is not there."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from withgrain import app
from withgrain.embed import load_embedder, static
from withgrain.embed.static import MODEL_SHA256, Static, read_model
from withgrain.errors import IntegrityError, MissingExtra, UsageError
from withgrain.search import Weights
from withgrain.testing.embedders import HashEmbedder, embedder_conformance


@pytest.fixture(scope="module")
def embedder() -> Static:
    try:
        return Static()
    except MissingExtra:
        pytest.skip("withgrain-static is not installed")


def test_conformance(embedder: Static) -> None:
    """Every embedder keeps the promises of the Protocol."""
    embedder_conformance(embedder)


def test_specification(embedder: Static) -> None:
    """It is loaded by its name; the revision begins with the hash of the table."""
    found = load_embedder("static")
    assert isinstance(found, Static)
    assert found.revision == embedder.revision
    assert found.revision.startswith(MODEL_SHA256[:8])


def test_its_vectors_count_less(embedder: Static) -> None:
    """Equal weight with weak vectors loses to words alone; a model's vectors keep the weight 1."""
    assert Weights.of(embedder).dense == 0.35
    assert Weights.of(HashEmbedder()) == Weights.of(None) == Weights()


def test_vectors_are_the_same_bits_everywhere(embedder: Static) -> None:
    """A sum of whole numbers is exact: whatever adds it up gets the vector bit for bit."""
    weights, vectors = embedder._table
    for text in ("rotate the signing key", "the " * 254, "AADSTS50011: the redirect URI does not match"):
        ids = embedder._wordpiece.encode(text)
        total = [sum(int(weights[i]) * int(vectors[i][n]) for i in ids) for n in range(embedder.dims)]
        length = math.sqrt(sum(t * t for t in total))
        (found,) = embedder.embed_documents([text])
        assert found == pytest.approx([t / length for t in total], abs=1e-7)


def test_similar_sentences_are_nearer(embedder: Static) -> None:
    """Sentences about the same thing in other words are nearer than sentences about other things."""
    left = ["How do I change a forgotten password?", "The contract ends after two years."]
    right = ["Steps to reset login credentials", "This agreement terminates on its second anniversary."]
    for n, question in enumerate(left):
        vector = embedder.embed_query(question)
        scores = [sum(a * b for a, b in zip(vector, v, strict=True)) for v in embedder.embed_documents(right)]
        assert max(scores) == scores[n]


def test_a_text_over_the_window_is_refused(embedder: Static) -> None:
    """Nothing is silently truncated."""
    with pytest.raises(UsageError, match="text 1 has 255 tokens"):
        embedder.embed_documents(["fine", "the " * 255])


def test_another_table_is_refused(tmp_path: Path) -> None:
    """The table is checked against its hash before it is used."""
    (tmp_path / "model.bin").write_bytes(b"something else")
    with pytest.raises(IntegrityError, match="is not the static model"):
        read_model(tmp_path / "model.bin")
    with pytest.raises(IntegrityError, match="cannot be read"):
        read_model(tmp_path / "nothing")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is an error that names the line to type."""
    monkeypatch.setattr(static, "_PACKAGE", "no_such_package")
    with pytest.raises(MissingExtra, match=r'pip install "withgrain\[static\]"'):
        Static()


def test_a_collection_of_static_vectors(embedder: Static, tmp_path: Path) -> None:
    """`ingest --embedder static` makes all vectors; the contract names the table; a search uses it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\nThe signing key is rotated every ninety days.\n")
    (tmp_path / "docs" / "rain.md").write_text("# Rain\n\nIt rains in Norway.\n")
    with app.open(tmp_path / "kb", embedder="static") as library:
        report = library.ingest(tmp_path / "docs")
        assert report.vectors.made == report.vectors.total > 0
        contract = library.info().contract
        assert contract is not None
        assert contract.embedder == f"static@{embedder.revision}"
    with app.open(tmp_path / "kb", embedder="minilm") as library:  # the collection says which embedder it has
        found = library.search("How are certificates changed?", mode="dense")
        assert found.hits[0].chunk.title == "Keys"
