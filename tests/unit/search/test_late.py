"""Late interaction: the first candidates in the order of their tokens' nearness, from what the collection keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import withgrain
from tests.unit.search.build import Doc, Text, bundles, collection, contract
from withgrain.embed import MiniLM
from withgrain.errors import UsageError
from withgrain.model import Change, Compare
from withgrain.search import Weights, search
from withgrain.store import memory_store
from withgrain.testing.embedders import HashEmbedder
from withgrain.types import Embedder, Snapshot

BODIES = (
    "The badge office is on the first floor. Users ask there for a new badge.",
    "To let a user in again, lift the suspension in the console.",
    "A user who left is removed after thirty days.",
    "Users see the AADSTS50011 error when the reply address is wrong.",
)
DOCS = tuple(Doc(path=f"{n}.md", chunks=(Text(body=body),)) for n, body in enumerate(BODIES))


class Told(HashEmbedder):
    """An embedder whose token codes are the text itself, and whose scores are told."""

    def __init__(self, *near: str) -> None:
        super().__init__()
        self.near, self.asked = near, list[str]()

    def embed_with_tokens(self, texts: Sequence[str]) -> list[withgrain.model.Embedded]:
        made = zip(self.embed_documents(texts), texts, strict=True)
        return [withgrain.model.Embedded(vector, text.encode()) for vector, text in made]

    def token_scores(self, question: str, codes: Sequence[Sequence[bytes]]) -> list[float]:
        self.asked.append(question)
        return [float(any(n.encode() in b"".join(pieces) for n in self.near)) for pieces in codes]


def bodies(kb: Snapshot, query: str, embedder: Embedder, weights: Weights | None = None, **given: object) -> list[str]:
    return [h.chunk.body for h in search(kb, query, embedder=embedder, weights=weights, **given).hits]  # type: ignore[arg-type]


def test_the_nearest_tokens_decide_among_the_first() -> None:
    embedder = Told("thirty days")
    kb = collection(DOCS, embedder)
    plain = bodies(kb, "user badge", embedder, Weights(late=0))
    assert plain[0] == BODIES[0]
    assert embedder.asked == []
    assert bodies(kb, "user badge", embedder, Weights(late=100))[0] == BODIES[2]
    assert embedder.asked == ["user badge"]


def test_an_identifier_stays_first() -> None:
    """Quote: "An identifier that exists in the collection puts the chunk that has it literally first"."""
    embedder = Told("thirty days")
    kb = collection(DOCS, embedder)
    assert bodies(kb, "user AADSTS50011", embedder, Weights(late=100))[0] == BODIES[3]


def test_only_the_first_candidates_are_looked_at() -> None:
    embedder = Told("thirty days")
    kb = collection(DOCS, embedder)
    weights = Weights(late=100, late_candidates=2)
    first = bodies(kb, "user badge", embedder, replace(weights, late=0))[:2]
    assert set(bodies(kb, "user badge", embedder, weights)[:2]) == set(first)


def test_hits_and_trace_say_so() -> None:
    embedder = Told("thirty days")
    found = search(collection(DOCS, embedder), "user badge", embedder=embedder)
    assert all("late" in h.channels for h in found.hits)
    assert found.trace["weights"]["late"] == Weights().late


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_words_only_means_words_only(mode: str) -> None:
    embedder = Told("thirty days")
    search(collection(DOCS, embedder), "user badge", embedder=embedder, mode=mode)  # type: ignore[arg-type]
    assert bool(embedder.asked) == (mode != "lexical")


def test_a_filter_holds() -> None:
    embedder = Told("thirty days")
    kb = collection(DOCS, embedder)
    only = Compare(field="document", operator="eq", value="0.md")
    assert bodies(kb, "user badge", embedder, where=only) == [BODIES[0]]


def test_leaves_that_an_older_version_stored_have_none() -> None:
    """Nothing changes where no chunk has codes; where some have, the others count as average."""
    embedder = Told("thirty days")
    made = bundles(DOCS, embedder)

    def without(*numbers: int) -> Snapshot:
        stripped = [
            replace(b, leaves=tuple(replace(leaf, token_codes=b"") for leaf in b.leaves)) if n in numbers else b
            for n, b in enumerate(made)
        ]
        with memory_store().writer(contract(embedder)) as writer:
            writer.commit(Change(upsert=tuple(stripped)))
            return writer.snapshot()

    plain = bodies(without(), "user badge", embedder, Weights(late=0))
    assert bodies(without(0, 1, 2, 3), "user badge", embedder) == plain
    assert not embedder.asked
    assert bodies(without(0), "user badge", embedder, Weights(late=100))[0] == BODIES[2]
    assert bodies(without(2), "user badge", embedder, Weights(late=100)) == plain  # the others are all alike


def test_other_embedders_go_without() -> None:
    embedder = HashEmbedder()
    found = search(collection(DOCS, embedder), "user badge", embedder=embedder)
    assert found.hits and not any("late" in h.channels for h in found.hits)


@pytest.mark.parametrize("wrong", [{"late": -1}, {"late": float("nan")}, {"late_candidates": 0}])
def test_numbers_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="late"):
        Weights(**wrong)  # type: ignore[arg-type]


def test_with_the_bundled_model_from_the_folder_to_the_answer(tmp_path: Path) -> None:
    """Ingestion keeps the codes, an edit and a rename keep those of what stayed, and an answer uses them."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for n, body in enumerate(BODIES):
        (docs / f"{n}.md").write_text(f"# Page {n}\n\n{body}\n", encoding="utf-8")
    with withgrain.open(tmp_path / "kb", embedder="minilm") as library:
        library.ingest(docs)
        (docs / "0.md").rename(docs / "moved.md")
        (docs / "1.md").write_text(f"# Page 1\n\n{BODIES[1]} Then log it.\n\n## More\n\nNothing.\n", encoding="utf-8")
        report = library.ingest(docs)
        assert report.embedded == 2
        snapshot = library.snapshot()
        ids = [r.chunk.id for d in snapshot.documents() for r in snapshot.chunks(doc_id=d.id)]
        assert snapshot.token_codes(ids).keys() == set(ids)
        for leaf in snapshot.leaves(ids):
            assert len(leaf.token_codes) == 16 * leaf.tokens
        hits = search(snapshot, "How do I unblock an account?", embedder=MiniLM(workers=1)).hits
        assert hits[0].chunk.body.startswith(BODIES[1])
        assert "late" in hits[0].channels
