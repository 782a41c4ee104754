"""Embedders and tokenizers for tests, and the checks that every embedder must pass."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from hashlib import shake_128

from withgrain.errors import UsageError
from withgrain.tokens import words
from withgrain.types import Embedder, Tokenizer

_WORD = re.compile(r"\w+")
#: How far two vectors of the same text may differ in one number, and a length from 1.
TOLERANCE = 1e-6


class HashEmbedder:
    """A deterministic embedder without a model: texts that share words have similar vectors.

    Every lower-cased word adds the direction that its hash names; the sum is scaled to length 1. A text without words
    has a direction of its own. It is fast, and the same on every machine.

    Attributes:
        id: ``hash``.
        revision: ``dims`` and ``window``: they shape the vectors.
        dims: Length of a vector.
        window: Tokens (estimated from words) that it reads.
        normalised: True.
        tokenizer: ``words``.
        embedded: Texts that ``embed_documents`` embedded so far, in order.
    """

    id = "hash"
    normalised = True

    def __init__(self, dims: int = 64, *, window: int = 254) -> None:
        self.dims = dims
        self.window = window
        self.revision = f"1-{dims}-{window}"
        self.tokenizer: Tokenizer = words()
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return one vector a text.

        Raises:
            UsageError: A text is longer than ``window``.
        """
        for text in texts:
            tokens = self.tokenizer.count(text)
            if tokens > self.window:
                raise UsageError(f"a text has {tokens} tokens, the embedder {self.id} reads {self.window}")
        self.embedded.extend(texts)
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> tuple[float, ...]:
        """Return the vector of a question, of its first words when it is too long."""
        return self._vector(" ".join(text.split()[: self.window * 10 // 13]))

    def _vector(self, text: str) -> tuple[float, ...]:
        directions = map(self._direction, _WORD.findall(text.lower()) or [""])
        total = [sum(values) for values in zip(*directions, strict=True)]
        length = math.hypot(*total)
        return tuple(value / length for value in total)

    def _direction(self, word: str) -> tuple[int, ...]:
        digest = shake_128(word.encode("utf-8", "surrogatepass")).digest(2 * self.dims)
        return struct.unpack(f"<{self.dims}h", digest)


class CountingTokenizer:
    """Wraps a tokenizer and counts what it is asked for: how a test proves that work grows linearly.

    Attributes:
        name, version, additive: Of the wrapped one.
        calls: Calls of ``count`` and ``count_many``.
        texts: Texts counted.
        characters: Characters of those texts.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.name = tokenizer.name
        self.version = tokenizer.version
        self.additive = tokenizer.additive
        self.calls = 0
        self.texts = 0
        self.characters = 0

    def count(self, text: str) -> int:
        """Return the wrapped count."""
        self._note([text])
        return self._tokenizer.count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the wrapped counts."""
        self._note(texts)
        return self._tokenizer.count_many(texts)

    def _note(self, texts: Sequence[str]) -> None:
        self.calls += 1
        self.texts += len(texts)
        self.characters += sum(map(len, texts))


def embedder_conformance(embedder: Embedder) -> None:
    """Check that an embedder keeps the promises of the Protocol. Works with any embedder, local or remote.

    Raises:
        AssertionError: It does not; the message names the promise.
    """
    texts = [
        "Reset a password",
        "Reset a forgotten password of a user",
        "x",
        "",
        "Größe 日本語 🤖",
        "rotate the key " * 12,
    ]
    vectors = embedder.embed_documents(texts)
    _check_shape(embedder, texts, vectors)
    _check_same("determinism", vectors, embedder.embed_documents(texts))
    _check_same("independence of the batch", vectors, [embedder.embed_documents([text])[0] for text in texts])
    _check_same("independence of the order", vectors[::-1], embedder.embed_documents(texts[::-1]))
    _check_same("duplicates", [vectors[0]] * 3, embedder.embed_documents([texts[0]] * 3))
    assert embedder.embed_documents([]) == [], "no texts, no vectors"
    _check_window(embedder)
    _check_query(embedder)


def _check_shape(embedder: Embedder, texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
    assert isinstance(embedder, Embedder), "it has every member of the Protocol"
    assert embedder.id and embedder.revision, "it has an id and a revision for the contract"
    assert embedder.window > 0, "it has a window"
    assert len(vectors) == len(texts), "one vector a text"
    for text, vector in zip(texts, vectors, strict=True):
        assert len(vector) == embedder.dims, f"a vector has dims numbers: {text!r}"
        assert all(isinstance(value, float) and math.isfinite(value) for value in vector), f"finite floats: {text!r}"
        if embedder.normalised:
            assert abs(math.hypot(*vector) - 1) <= TOLERANCE, f"a normalised vector has length 1: {text!r}"


def _check_same(promise: str, expected: Sequence[Sequence[float]], found: Sequence[Sequence[float]]) -> None:
    assert len(expected) == len(found), promise
    for one, other in zip(expected, found, strict=True):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= TOLERANCE, promise


def _check_window(embedder: Embedder) -> None:
    count = embedder.tokenizer.count
    fitting = "word"
    while count(fitting + " word") <= embedder.window:
        fitting += " word"
    assert len(embedder.embed_documents([fitting])) == 1, "a text as long as the window is embedded"
    too_long = fitting + " word"
    try:
        embedder.embed_documents(["short", too_long])
    except UsageError:
        pass
    else:
        raise AssertionError("a text longer than the window is refused, not truncated")
    assert len(embedder.embed_query(too_long)) == embedder.dims, "a question longer than the window is cut"


def _check_query(embedder: Embedder) -> None:
    query = embedder.embed_query("How to reset a password")
    _check_shape(embedder, ["the question"], [query])
    _check_same("determinism of a question", [query], [embedder.embed_query("How to reset a password")])
    near, far = embedder.embed_documents(["reset the password of a user", "quarterly rainfall in Norway"])
    assert _dot(query, near) > _dot(query, far), "a text that is about the question is nearer than one that is not"


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))
