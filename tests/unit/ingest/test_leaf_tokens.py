"""The tokens of leaves, and the vector of a document that they weigh, through a whole sync."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.unit.ingest.support import Collection, write
from withgrain.model import LeafRecord
from withgrain.store import memory_store
from withgrain.store.lance import LanceStore
from withgrain.testing.embedders import HashEmbedder
from withgrain.types import Store

DIMS = 8
PAGES = {
    "short.md": "# Short\n\nOne sentence.\n",
    "uneven.md": "# Uneven\n\n## One\n\nFew words.\n\n## Two\n\n" + " ".join(f"Word {n}." for n in range(600)) + "\n",
}


@pytest.fixture(params=["memory", "disk"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    return memory_store if request.param == "memory" else lambda: LanceStore(tmp_path / "kb")


@pytest.mark.parametrize("patience", [1000.0, 0.0], ids=["with the words", "after them"])
def test_a_leaf_has_the_tokens_of_the_text_that_its_vector_was_made_from(
    make_store: Callable[[], Store], tmp_path: Path, patience: float
) -> None:
    """`LeafRecord.tokens`: as the embedder's tokenizer counts the text of the leaf."""
    embedder = HashEmbedder(dims=DIMS)
    docs = Collection(folder=write(tmp_path / "docs", PAGES), embedder=embedder, store=make_store())
    docs.sync(patience=patience)
    embedded = list(embedder.embedded)
    texts = dict(zip(map(_rounded, embedder.embed_documents(embedded)), embedded, strict=True))
    leaves = [leaf for uri in docs.documents() for leaf in _leaves(docs, uri)]
    assert len(leaves) > len(PAGES)
    assert [leaf.tokens for leaf in leaves] == [
        embedder.tokenizer.count(texts[_rounded(leaf.vector)]) for leaf in leaves
    ]


def test_the_vector_of_a_document_is_the_mean_of_its_leaves_weighted_by_their_tokens(
    make_store: Callable[[], Store], tmp_path: Path
) -> None:
    """ "document vector = token-weighted mean of its leaves, not its first page"."""
    docs = Collection(folder=write(tmp_path / "docs", PAGES), embedder=HashEmbedder(dims=DIMS), store=make_store())
    docs.sync()
    leaves = _leaves(docs, "docs/uneven.md")
    assert len({leaf.tokens for leaf in leaves}) > 1
    found = docs.snapshot().document_vectors()[leaves[0].doc_id]
    assert found == pytest.approx(_mean(leaves, [leaf.tokens for leaf in leaves]), abs=1e-5)
    assert found != pytest.approx(_mean(leaves, [1] * len(leaves)), abs=1e-3)


def _leaves(docs: Collection, uri: str) -> list[LeafRecord]:
    chunks = docs.snapshot().chunks(doc_id=docs.documents()[uri].id)
    return docs.snapshot().leaves([c.chunk.id for c in chunks])


def _mean(leaves: Sequence[LeafRecord], weights: Sequence[int]) -> tuple[float, ...]:
    sums = [sum(w * leaf.vector[n] for w, leaf in zip(weights, leaves, strict=True)) for n in range(DIMS)]
    return tuple(x / math.hypot(*sums) for x in sums)


def _rounded(vector: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(x, 5) for x in vector)
