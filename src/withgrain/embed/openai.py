"""Vectors from a server that speaks OpenAI's ``/v1/embeddings``: Ollama, TEI, vLLM, LM Studio, OpenAI and others."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from withgrain.embed.endpoint import Endpoint, key_for
from withgrain.embed.service import Service, TextsRefused
from withgrain.errors import ConfigError, IntegrityError, Unavailable, UsageError
from withgrain.model import sha256_hex
from withgrain.tokens import load_tokenizer
from withgrain.types import Tokenizer

Vector = tuple[float, ...]

#: What stands before the model's name in a specification.
NAME = "openai"
#: Bytes of text a request at most, one text not counted.
BATCH_BYTES = 256 * 1024
#: Seconds that a question may wait for a try, and tries: a person waits for the answer.
QUERY_SECONDS = 15
QUERY_TRIES = 2


class OpenAIEmbedder:
    """Asks a server; see the module. Nothing is sent before the first vector or length is asked for.

    Vectors are scaled to length 1 here, whatever the server does. Whether a vector depends on its neighbours in the
    batch, in its last digits, is the server's doing.

    Attributes:
        id: ``openai:MODEL``.
        revision: The user's name for the weights, if any, and a hash of everything here that shapes a vector. The
            address is not part of it: the same model may move to another machine.
        dims: Length of a vector: what a contract says, or what the first answer shows.
        window: Tokens of a text, prefix and special tokens not counted.
        normalised: True.
        tokenizer: As the endpoint says.
    """

    normalised = True

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        *,
        dims: int = 0,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Prepare to ask; ``dims`` is the length that vectors are known to have, 0 when it is not known.

        Raises:
            ConfigError: The address, the tokenizer or the window cannot be used.
        """
        self.id = f"{NAME}:{model}"
        self._model, self._endpoint = model, endpoint
        self.tokenizer: Tokenizer = load_tokenizer(endpoint.tokenizer)
        self.window = endpoint.window - self._tokens(endpoint.document_prefix)
        self._query_window = endpoint.window - self._tokens(endpoint.query_prefix)
        if min(self.window, self._query_window) < 1:
            raise ConfigError(f"A prefix of {self.id} fills its whole window of {endpoint.window} tokens.")
        self.revision = _revision(endpoint, self.tokenizer)
        self._length = endpoint.dimensions or dims
        self._most = endpoint.batch  # texts a request; less when the server turns out to take less
        url = endpoint.address()
        self._service = Service(url=url, key=key_for(url), sleep=sleep, chance=chance)

    @property
    def dims(self) -> int:
        """Length of a vector; the server is asked when nothing else tells it."""
        if not self._length:
            self._ask([f"{self._endpoint.document_prefix}length"])
        return self._length

    @dims.setter
    def dims(self, length: int) -> None:
        self._length = length

    def batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the texts of one request each: what is answered can be kept before the next is sent."""
        start, size = 0, 0
        for index, text in enumerate(texts):
            length = len(text.encode("utf-8", "surrogatepass"))
            if index > start and (index - start >= self._most or size + length > BATCH_BYTES):
                yield texts[start:index]
                start, size = index, 0
            size += length
        if start < len(texts):
            yield texts[start:]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order.

        Raises:
            UsageError: A text is longer than ``window`` (then nothing was sent), or the server refuses one.
            Unavailable: The server cannot be reached, or its answer cannot be used.
            ConfigError: It refuses the key or does not know the model.
            IntegrityError: Its vectors are not of the length they must have.
        """
        for index, tokens in enumerate(self.tokenizer.count_many(texts)):
            if tokens > self.window:
                raise UsageError(
                    f"text {index} has {tokens} tokens, the embedder {self.id} reads {self.window} "
                    f"(the text begins {texts[index][:60]!r}). Cut it into shorter ones: nothing is truncated silently"
                )
        prefix = self._endpoint.document_prefix
        return [v for batch in self.batches(texts) for v in self._ask([prefix + text for text in batch])]

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, of its beginning when it is longer than the window.

        Raises:
            Unavailable, ConfigError, IntegrityError: As `embed_documents`; it waits and tries again less.
        """
        asked = self._endpoint.query_prefix + self._beginning(text)
        return self._ask([asked], seconds=QUERY_SECONDS, tries=QUERY_TRIES)[0]

    def _ask(self, texts: Sequence[str], **patience: int) -> list[Vector]:
        """Return the vectors of one request, or of its halves when the server takes no more: it may have a limit."""
        try:
            return self._ask_once(texts, **patience)
        except TextsRefused:
            half = len(texts) // 2
            if not half:
                raise
        vectors = self._ask(texts[:half], **patience) + self._ask(texts[half:], **patience)
        self._most = min(self._most, len(texts) - half)
        return vectors

    def _ask_once(self, texts: Sequence[str], **patience: int) -> list[Vector]:
        given = [_sendable(text) for text in texts]
        body: dict[str, Any] = {"model": self._model, "input": given, "encoding_format": "float"}
        if self._endpoint.dimensions:
            body["dimensions"] = self._endpoint.dimensions
        timeout = min(self._endpoint.timeout, patience.get("seconds", self._endpoint.timeout))
        tries = {"tries": patience["tries"]} if "tries" in patience else {}
        answer = self._service.post(body, timeout=timeout, **tries)
        rows = _rows(answer, len(texts))
        if rows is None:
            said = self._service.said(answer)
            raise Unavailable(
                f"{self._service.url} did not give one vector, with its index, for each of {len(texts)} texts"
                f"{f' ({said})' if said else ''}."
            )
        lengths = {len(row) for row in rows}
        wanted = self._length or min(lengths)
        if lengths != {wanted}:
            raise IntegrityError(
                f"{self._service.url} gave vectors of {', '.join(map(str, sorted(lengths)))} numbers, not of {wanted}. "
                f"Another model stands behind {self.id} now: check the base url, or use another collection."
            )
        self._length = wanted
        return [_scaled(row, self._service.url) for row in rows]

    def _tokens(self, prefix: str) -> int:
        return self.tokenizer.count(prefix) + 1 if prefix else 0  # 1: a token may change where prefix and text meet

    def _beginning(self, text: str) -> str:
        count, most = self.tokenizer.count, self._query_window
        text = text[: 16 * most]
        if count(text) <= most:
            return text
        low, high = 0, len(text)
        while low < high:  # the longest beginning that fits
            middle = (low + high + 1) // 2
            low, high = (middle, high) if count(text[:middle]) <= most else (low, middle - 1)
        return text[:low]


def _revision(endpoint: Endpoint, tokenizer: Tokenizer) -> str:
    shaping = {
        "dimensions": endpoint.dimensions,
        "document_prefix": endpoint.document_prefix,
        "query_prefix": endpoint.query_prefix,
        "window": endpoint.window,
        "tokenizer": [tokenizer.name, tokenizer.version],
        "revision": endpoint.revision,
    }
    name = "".join(c if c.isalnum() or c in "._" else "-" for c in endpoint.revision[:40])
    return "-".join(filter(None, (name, sha256_hex(json.dumps(shaping, sort_keys=True))[:8])))


def _sendable(text: str) -> str:
    """Return what JSON can carry: no lone half of a surrogate pair; and no empty text, which servers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8") or " "


def _rows(answer: Any, count: int) -> list[list[float]] | None:
    """Return the vectors in the order of the texts; None when the answer is not of the form that it must have."""
    try:
        entries = answer["data"]
        found = {entry["index"]: entry["embedding"] for entry in entries}
        rows = [found[number] for number in range(count)]
    except (TypeError, KeyError, AttributeError):
        return None
    if len(entries) != count or not all(isinstance(row, list) and row for row in rows):
        return None
    try:
        numbers = all(type(x) in (int, float) and math.isfinite(x) for row in rows for x in row)
    except OverflowError:  # a whole number of more than 308 digits
        return None
    return rows if numbers else None


def _scaled(row: Sequence[float], url: str) -> Vector:
    length = math.hypot(*row)
    if not length or not math.isfinite(length):
        raise IntegrityError(f"{url} gave a vector that has no direction (length {length}).")
    return tuple(x / length for x in row)
