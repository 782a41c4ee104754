"""Token vectors in a short form, and what they are good for."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from withgrain.embed import EmbeddingCache, MiniLM, embed_cached, embed_with_tokens, fingerprint
from withgrain.embed.codes import BITS, DIMS, bits, directions, encode, nearness
from withgrain.model import Embedded
from withgrain.tokens import wordpiece
from withgrain.types import TokenEmbedder

TEXTS = ["Suspend a user with POST /users/{id}/suspend.", "The cafeteria opens at nine.", "statuskey=1 means active."]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM(workers=1)


def test_the_bundled_model_makes_them(minilm: MiniLM) -> None:
    assert isinstance(minilm, TokenEmbedder)


def test_the_vector_is_the_same_with_tokens_and_without(minilm: MiniLM) -> None:
    """One run of the model gives both; a collection made with either is compared with the other."""
    made = minilm.embed_with_tokens(TEXTS)
    assert [one.vector for one in made] == minilm.embed_documents(TEXTS)


def test_sixteen_bytes_for_each_token(minilm: MiniLM) -> None:
    for text, one in zip(TEXTS, minilm.embed_with_tokens(TEXTS), strict=True):
        assert len(one.token_codes) == 16 * wordpiece().count(text)


def test_results_do_not_depend_on_workers(minilm: MiniLM) -> None:
    assert MiniLM(workers=2).embed_with_tokens(TEXTS) == minilm.embed_with_tokens(TEXTS)


def test_directions_are_at_right_angles() -> None:
    found = directions()
    assert found.shape == (DIMS, BITS)
    assert numpy.allclose(found.T @ found, numpy.eye(BITS), atol=2e-3)


def test_codes_are_the_signs_along_the_directions() -> None:
    vectors = numpy.random.default_rng(0).normal(size=(7, DIMS)).astype(numpy.float32)
    assert numpy.array_equal(bits(encode(vectors)), vectors @ directions() > 0)


def test_nearness_is_the_mean_of_the_best_products() -> None:
    """MaxSim written out by hand; the pieces of a text are one text; a text without tokens is the farthest."""
    random = numpy.random.default_rng(1)
    question = random.normal(size=(3, DIMS)).astype(numpy.float32)
    texts = [[random.normal(size=(n, DIMS)).astype(numpy.float32) for n in sizes] for sizes in ((4,), (1, 5), (2, 2))]
    asked = question @ directions()
    by_hand = []
    for pieces in texts:
        rows = numpy.vstack([numpy.where(p @ directions() > 0, 1.0, -1.0) for p in pieces])
        by_hand.append(sum(max(float(a @ row) for row in rows) for a in asked) / len(asked))
    codes = [[encode(p) for p in pieces] for pieces in texts]
    assert nearness(question, codes) == pytest.approx(by_hand, rel=1e-4)
    with_nothing = nearness(question, [codes[0], [], codes[1]])
    assert with_nothing[1] <= min(by_hand)
    assert with_nothing[::2] == pytest.approx(by_hand[:2], rel=1e-4)
    assert nearness(question, [[], []]) == [0.0, 0.0]


def test_the_text_that_says_it_is_nearest(minilm: MiniLM) -> None:
    codes = [[one.token_codes] for one in minilm.embed_with_tokens(TEXTS)]
    for question, wanted in (
        ("How do I suspend a user?", 0),
        ("When does lunch begin?", 1),
        ("what is statuskey", 2),
    ):
        scores = minilm.token_scores(question, codes)
        assert scores.index(max(scores)) == wanted


def test_a_question_without_tokens_scores_nothing(minilm: MiniLM) -> None:
    codes = [[one.token_codes] for one in minilm.embed_with_tokens(TEXTS)]
    assert minilm.token_scores("", codes) == [0.0] * len(TEXTS)


def test_the_cache_keeps_both(minilm: MiniLM, tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "c.sqlite") as cache:
        first, made = embed_with_tokens(minilm, cache, TEXTS)
        again, none = embed_with_tokens(minilm, cache, TEXTS)
    assert (made, none) == (len(TEXTS), 0)
    assert first == again
    assert all(one.token_codes for one in first)


def test_a_vector_without_codes_is_made_again(minilm: MiniLM, tmp_path: Path) -> None:
    """A cache that an older version filled gives its vectors to who wants vectors only."""
    with EmbeddingCache(tmp_path / "c.sqlite") as cache:
        vectors, _ = embed_cached(minilm, cache, TEXTS)
        assert embed_cached(minilm, cache, TEXTS)[1] == 0
        made, count = embed_with_tokens(minilm, cache, TEXTS)
        assert count == len(TEXTS)
        assert [one.vector for one in made] == vectors


def test_what_is_forgotten_is_forgotten_with_its_codes(minilm: MiniLM, tmp_path: Path) -> None:
    space = fingerprint(minilm)
    with EmbeddingCache(tmp_path / "c.sqlite") as cache:
        made, _ = embed_with_tokens(minilm, cache, TEXTS)
        cache.delete_many(space, TEXTS[:1])
        cache.keep_only([made[2].vector])
        assert cache.get_embedded(space, TEXTS) == [None, None, made[2]]
        for gone in made[:2]:
            assert gone.token_codes not in cache.path.read_bytes()


def test_damaged_codes_count_as_missing(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "c.sqlite") as cache:
        cache.put_embedded("e@1", ["a", "b"], [Embedded((1.0,), b"x" * 16), Embedded((2.0,), b"y" * 16)])
        cache._connection.execute("UPDATE codes SET codes = x'00' WHERE codes = ?", (b"x" * 16,))
        assert cache.get_embedded("e@1", ["a", "b"]) == [None, Embedded((2.0,), b"y" * 16)]
        assert cache.get_many("e@1", ["a"]) == [(1.0,)]
