"""The bundled embedder, the fake one, and the promises that both keep."""

from __future__ import annotations

import importlib.util
import math
import random
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from withgrain.embed import MiniLM, load_embedder
from withgrain.embed.weights import WEIGHTS_SHA256, read_weights
from withgrain.errors import ConfigError, IntegrityError, MissingExtra, UsageError
from withgrain.testing.embedders import CountingTokenizer, HashEmbedder, embedder_conformance
from withgrain.tokens import wordpiece
from withgrain.types import Embedder

PROSE = [
    "Administrators rotate the signing key every ninety days.",
    "The pod restarts when the liveness probe fails three times in a row.",
    "Net revenue grew by 4.2 % to $1,203 million in fiscal 2019.",
    "This Agreement shall be governed by the laws of the State of New York.",
    "AADSTS50011: the redirect URI in the request does not match.",
    "GET /api/v1/users/{userId}/lifecycle/suspend",
    "日本語の文です。",
    "",
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM(workers=1)


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("make", [HashEmbedder, lambda: HashEmbedder(16), MiniLM, lambda: MiniLM(workers=3)])
def test_conformance(make: object) -> None:
    """Every embedder keeps the promises of the Protocol."""
    embedder_conformance(make())  # type: ignore[operator]


class _Truncates(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        return [self.embed_query(text) for text in texts]


class _Depends(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        vectors = super().embed_documents(texts)
        return [vectors[0], *vectors[:-1]] if vectors else []


class _Unscaled(HashEmbedder):
    def _vector(self, text: str) -> tuple[float, ...]:
        return tuple(2 * value for value in super()._vector(text))


@pytest.mark.parametrize(("broken", "promise"), [(_Truncates, "refused"), (_Depends, "batch"), (_Unscaled, "length 1")])
def test_conformance_finds_broken_promises(broken: type[HashEmbedder], promise: str) -> None:
    """The checks can fail: each broken promise is named."""
    with pytest.raises(AssertionError, match=promise):
        embedder_conformance(broken())


def test_similar_sentences_are_nearer(minilm: MiniLM) -> None:
    """Paraphrases, without shared words, are nearer than other sentences."""
    pairs = [
        ("How do I change a forgotten password?", "Steps to reset login credentials"),
        ("The server crashed because memory ran out.", "An out-of-memory error brought the machine down."),
        ("The contract ends after two years.", "This agreement terminates on its second anniversary."),
    ]
    left = [minilm.embed_query(one) for one, _ in pairs]
    right = minilm.embed_documents([other for _, other in pairs])
    for row, one in enumerate(left):
        scores = [dot(one, other) for other in right]
        assert scores[row] == max(scores)
        assert scores[row] > 0.4
        assert scores[row] > sorted(scores)[-2] + 0.2


def test_same_bits_whatever_the_batch_and_the_workers(minilm: MiniLM) -> None:
    """Results are bitwise equal alone, in any order, in any batch and with any number of workers."""
    rng = random.Random(3)
    texts = [" ".join(rng.choices(" ".join(PROSE).split(), k=rng.randint(1, 60))) for _ in range(14)] + PROSE
    alone = {text: minilm.embed_documents([text])[0] for text in texts}
    for workers in (1, 2, 5):
        shuffled = rng.sample(texts, len(texts))
        assert MiniLM(workers=workers).embed_documents(shuffled) == [alone[text] for text in shuffled]


def test_query_and_document_vectors_are_the_same(minilm: MiniLM) -> None:
    """The model has no prefixes: a question is embedded as a text is."""
    assert minilm.embed_query(PROSE[0]) == minilm.embed_documents([PROSE[0]])[0]


def test_text_over_the_window_is_refused_before_any_work(minilm: MiniLM) -> None:
    """A text of 254 tokens is embedded, one of 255 is refused, naming it and its length."""
    assert minilm.window == 254
    assert len(minilm.embed_documents(["the " * 254])) == 1
    with pytest.raises(UsageError, match=r"text 1 has 255 tokens.* 'the the"):
        MiniLM().embed_documents(["fine", "the " * 255])


def test_question_over_the_window_is_cut(minilm: MiniLM) -> None:
    """A question longer than the window is cut, and that is no error."""
    assert minilm.embed_query("the " * 300) == minilm.embed_query("the " * 254)


def test_special_tokens_in_a_text_do_no_harm(minilm: MiniLM) -> None:
    """A literal special token changes the vector a little and raises nothing."""
    plain, special = minilm.embed_documents(["reset the password", "reset [SEP] the password [PAD]"])
    assert dot(plain, special) > 0.8


def test_many_threads_may_share_one_embedder() -> None:
    """Loaded once, used by several threads at once: the same vectors."""
    shared = MiniLM(workers=2)
    expected = MiniLM(workers=1).embed_documents(PROSE)
    results: list[list[tuple[float, ...]]] = []
    threads = [threading.Thread(target=lambda: results.append(shared.embed_documents(PROSE))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 3


def test_nothing_heavy_is_loaded_before_the_first_vector() -> None:
    """Importing, and loading the embedder, load no numpy and no onnxruntime; the first vector does."""
    script = (
        "import sys; from withgrain.embed import load_embedder, EmbeddingCache, embed_cached\n"
        "e = load_embedder(); assert e.revision and e.tokenizer.count('a b') == 2\n"
        "assert not {'numpy', 'onnxruntime'} & set(sys.modules), 'too early'\n"
        "e.embed_query('x'); assert 'onnxruntime' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_revision_names_the_weights(minilm: MiniLM) -> None:
    """The revision starts with the hash of the weights, and is the same for every worker count."""
    assert minilm.revision.startswith(WEIGHTS_SHA256[:8] + "-")
    assert minilm.revision == MiniLM(workers=4).revision


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    """The model file is checked before it is used."""
    path = tmp_path / "model.onnx"
    path.write_bytes(read_weights()[:-1] + b"\x01")
    with pytest.raises(IntegrityError, match="is not the embedding model"):
        read_weights(path)
    with pytest.raises(IntegrityError, match="cannot be read"):
        read_weights(tmp_path / "absent.onnx")


def test_missing_extra_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, the error says what to install, when the embedder is named and not later."""
    real = importlib.util.find_spec
    monkeypatch.setattr("withgrain.embed.weights.find_spec", lambda name: None if name == "onnxruntime" else real(name))
    with pytest.raises(MissingExtra, match=r'pip install "withgrain\[search\]"'):
        load_embedder("minilm")


def test_load_by_name() -> None:
    """``minilm`` and ``none`` exist; another word says so."""
    embedder = load_embedder()
    assert isinstance(embedder, Embedder)
    assert (embedder.id, embedder.dims, embedder.normalised) == ("minilm", 384, True)
    assert load_embedder("none") is None
    with pytest.raises(ConfigError, match='Did you mean "minilm"'):
        load_embedder("minilmm")
    with pytest.raises(ConfigError, match="WITHGRAIN_OPENAI_BASE_URL"):
        load_embedder("openai:text-embedding-3-small")


def test_workers_must_be_positive() -> None:
    """No workers is a mistake, not a default."""
    with pytest.raises(UsageError, match="1 or more"):
        MiniLM(workers=0)


def test_counting_tokenizer_counts_calls_and_characters() -> None:
    """The wrapper changes no count and remembers what was asked."""
    counting = CountingTokenizer(wordpiece())
    assert counting.count("reset it") == 2
    assert counting.count_many(["a", "b c"]) == [1, 2]
    assert (counting.calls, counting.texts, counting.characters) == (2, 3, 12)
    assert (counting.name, counting.version, counting.additive) == (wordpiece().name, wordpiece().version, True)
