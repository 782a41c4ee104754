"""Embeds what was never embedded before, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from withgrain.embed.cache import EmbeddingCache, in_single_precision
from withgrain.errors import IntegrityError
from withgrain.types import Embedder

#: Texts that are embedded and stored together: what an interruption can cost at most.
BATCH = 64


@runtime_checkable
class Batching(Protocol):
    """An embedder whose requests are dear or may fail: it says which texts are one."""

    def batches(self, texts: Sequence[str]) -> Iterable[Sequence[str]]:
        """Cut the texts into those of one request each, in order."""
        ...


def fingerprint(embedder: Embedder) -> str:
    """Return what names the embedder's vectors in a contract and in a cache: ``id@revision``."""
    return f"{embedder.id}@{embedder.revision}"


def embed_cached(
    embedder: Embedder,
    cache: EmbeddingCache | None,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[tuple[float, ...]], int]:
    """Return the vector of each text, in order, and the number of texts that were really embedded.

    A text that occurs more than once is embedded once. New vectors go into the cache in batches of 64, or in those of a
    `Batching` embedder, before ``progress`` is told, so that a run that ends early keeps what it made. Vectors are in
    single precision whether they come from the embedder or from the cache, so that a second run returns what the first
    one did.

    Args:
        embedder: Makes what is missing.
        cache: Keeps it; without one every distinct text is embedded.
        texts: May be empty and may have duplicates.
        progress: Called after each batch with the number of texts embedded so far and the number to embed.

    Raises:
        UsageError: A text is longer than the embedder's window.
        IntegrityError: The embedder returned another number of vectors, or vectors of another length, than it must.
    """
    space = fingerprint(embedder)
    distinct = list(dict.fromkeys(texts))
    known = cache.get_many(space, distinct) if cache is not None else [None] * len(distinct)
    vectors = {text: v for text, v in zip(distinct, known, strict=True) if v is not None and len(v) == embedder.dims}
    missing = [text for text in distinct if text not in vectors]
    done = 0
    for batch in embedder.batches(missing) if isinstance(embedder, Batching) else _batches(missing):
        made = [in_single_precision(vector) for vector in embedder.embed_documents(batch)]
        _check(embedder, batch, made)
        if cache is not None:
            cache.put_many(space, batch, made)
        vectors.update(zip(batch, made, strict=True))
        done += len(batch)
        if progress:
            progress(done, len(missing))
    return [vectors[text] for text in texts], len(missing)


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))


def _check(embedder: Embedder, texts: Sequence[str], vectors: Sequence[tuple[float, ...]]) -> None:
    if len(vectors) != len(texts) or any(len(vector) != embedder.dims for vector in vectors):
        lengths = sorted({len(vector) for vector in vectors})
        raise IntegrityError(
            f"the embedder {fingerprint(embedder)} returned {len(vectors)} vectors of {lengths} numbers "
            f"for {len(texts)} texts of {embedder.dims}; nothing of this batch was kept"
        )
