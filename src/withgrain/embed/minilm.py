"""The bundled embedder: all-MiniLM-L6-v2, on the CPU, offline."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from withgrain.embed.engine import GRAPH_SHA256, Engine
from withgrain.embed.weights import WEIGHTS_SHA256, require_search_extra
from withgrain.errors import UsageError
from withgrain.model import sha256_hex
from withgrain.tokens import WordPiece, wordpiece
from withgrain.tokens.wordpiece import CLS, SEP
from withgrain.types import Tokenizer

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

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return one vector a text, in order.

        Raises:
            UsageError: A text is longer than ``window`` tokens; nothing was embedded.
            IntegrityError: The model file is not the one that it should be.
        """
        self._check_lengths(texts)
        workers = min(self.workers, len(texts))
        if workers < 2:
            return [self._embed(text) for text in texts]
        self._engine()
        with ThreadPoolExecutor(workers, thread_name_prefix="withgrain-embed") as pool:
            try:
                return list(pool.map(self._embed, texts))
            except BaseException:
                pool.shutdown(cancel_futures=True)  # an interrupted run does not work off its queue first
                raise

    def embed_query(self, text: str) -> tuple[float, ...]:
        """Return the vector of a question, of its first ``window`` tokens when it is longer."""
        return self._embed(text)

    def _embed(self, text: str) -> tuple[float, ...]:
        return self._engine().vector([CLS, *self._wordpiece.encode(text)[: self.window], SEP])

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
                self._loaded = Engine()
            return self._loaded


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
