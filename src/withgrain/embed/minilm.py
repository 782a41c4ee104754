"""The bundled embedder: all-MiniLM-L6-v2, on the CPU, offline."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from withgrain.embed.codes import encode, nearness
from withgrain.embed.engine import GRAPH_SHA256, Engine
from withgrain.embed.weights import WEIGHTS_SHA256, require_search_extra
from withgrain.errors import UsageError
from withgrain.model import Embedded, sha256_hex
from withgrain.tokens import WordPiece, wordpiece
from withgrain.tokens.wordpiece import CLS, SEP
from withgrain.types import Tokenizer

if TYPE_CHECKING:
    import numpy

T = TypeVar("T")

#: Positions that the sentence model was published with; two of them are for the special tokens.
POSITIONS = 256


class MiniLM:
    """Sentence vectors of all-MiniLM-L6-v2 (Reimers & Gurevych, sentence-transformers, Apache-2.0).

    Mean of the token vectors, scaled to length 1. One text a run and no padding, so that a vector is the same bit for
    bit whatever its neighbours and the number of workers are. The model is loaded when the first vector is asked for.

    The window is 254 tokens: the model was published for 256 positions and trained on texts of 128 tokens. Its position
    table reaches to 512, but what lies beyond 256 was never fine-tuned.

    Attributes:
        id: ``minilm``.
        revision: Start of the hash of the weights, and hash of the engine's settings.
        dims: 384.
        window: 254.
        normalised: True.
        tokenizer: The model's own.
        workers: Texts embedded at the same time, each in one thread.
    """

    id = "minilm"
    dims = 384
    window = POSITIONS - 2
    normalised = True

    def __init__(self, *, workers: int | None = None) -> None:
        require_search_extra()
        if workers is not None and workers < 1:
            raise UsageError(f"workers must be 1 or more, not {workers}")
        self.workers = workers or _cores()
        self._wordpiece: WordPiece = wordpiece()
        self.tokenizer: Tokenizer = self._wordpiece
        settings = {
            "graph": GRAPH_SHA256,
            "window": self.window,
            "pooling": "mean",
            "tokenizer": self.tokenizer.version,
        }
        settings_hash = sha256_hex(json.dumps(settings, sort_keys=True))
        self.revision = f"{WEIGHTS_SHA256[:8]}-{settings_hash[:8]}"
        self._lock = Lock()
        self._loaded: Engine | None = None
        self._last: tuple[str, tuple[tuple[float, ...], numpy.ndarray[Any, Any]]] | None = None

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return one vector a text, in order.

        Raises:
            UsageError: A text is longer than ``window`` tokens; nothing was embedded.
            IntegrityError: The model file is not the one that it should be.
        """
        return self._each(self._embed, texts)

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        """Return for each text the vector of `embed_documents` and the codes of its tokens (`withgrain.embed.codes`).

        Raises:
            UsageError: A text is longer than ``window`` tokens; nothing was embedded.
            IntegrityError: The model file, or the file of directions, is not the one that it should be.
        """
        return self._each(self._embed_with_tokens, texts)

    def embed_query(self, text: str) -> tuple[float, ...]:
        """Return the vector of a question, of its first ``window`` tokens when it is longer."""
        return self._asked_for(text)[0]

    def token_vectors(self, text: str) -> numpy.ndarray[Any, Any]:
        """Return one vector of length 1 for each token of a text, of its first ``window`` tokens when it is longer."""
        return self._engine().with_tokens(self._ids(text))[1]

    def token_scores(self, question: str, codes: Sequence[Sequence[bytes]]) -> list[float]:
        """Return how near the tokens of a question come to those of some texts: a larger number is nearer.

        Args:
            question: As given to `embed_query`.
            codes: For each chunk, the codes of its leaves.
        """
        return nearness(self._asked_for(question)[1], codes)

    def _asked_for(self, question: str) -> tuple[tuple[float, ...], numpy.ndarray[Any, Any]]:
        """Return what the model makes of a question; who asks for its vector asks for its tokens next."""
        last = self._last
        if last is None or last[0] != question:
            last = self._last = question, self._engine().with_tokens(self._ids(question))
        return last[1]

    def _each(self, make: Callable[[str], T], texts: Sequence[str]) -> list[T]:
        self._check_lengths(texts)
        workers = min(self.workers, len(texts))
        if workers < 2:
            return [make(text) for text in texts]
        self._engine()
        with ThreadPoolExecutor(workers, thread_name_prefix="withgrain-embed") as pool:
            try:
                return list(pool.map(make, texts))
            except BaseException:
                pool.shutdown(cancel_futures=True)  # an interrupted run does not work off its queue first
                raise

    def _ids(self, text: str) -> list[int]:
        return [CLS, *self._wordpiece.encode(text)[: self.window], SEP]

    def _embed(self, text: str) -> tuple[float, ...]:
        return self._engine().vector(self._ids(text))

    def _embed_with_tokens(self, text: str) -> Embedded:
        vector, tokens = self._engine().with_tokens(self._ids(text))
        return Embedded(vector, encode(tokens))

    def _check_lengths(self, texts: Sequence[str]) -> None:
        for index, tokens in enumerate(self.tokenizer.count_many(texts)):
            if tokens > self.window:
                raise UsageError(
                    f"text {index} has {tokens} tokens, the embedder {self.id} reads {self.window} "
                    f"(the text begins {texts[index][:60]!r}). Cut it into shorter ones: nothing is truncated silently"
                )

    def _engine(self) -> Engine:
        with self._lock:
            if self._loaded is None:
                self._loaded = Engine(by_token=True)
            return self._loaded


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
