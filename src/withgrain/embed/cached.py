"""Embeds what was never embedded before, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from withgrain.embed.cache import EmbeddingCache, in_single_precision
from withgrain.errors import IntegrityError
from withgrain.model import Embedded
from withgrain.types import Embedder, TokenEmbedder

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
    distinct = list(dict.fromkeys(texts))
    vectors = {text: one.vector for text, one in known(embedder, cache, distinct, tokens=False).items()}
    missing = [text for text in distinct if text not in vectors]
    vectors |= {text: one.vector for text, one in _made(embedder, cache, missing, progress, tokens=False)}
    return [vectors[text] for text in texts], len(missing)


def embed_with_tokens(
    embedder: Embedder,
    cache: EmbeddingCache | None,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Embedded], int]:
    """Do as `embed_cached` does, and return with each vector the codes of its text's tokens, if the embedder has any.

    A vector that the cache has without its codes counts as missing for a `TokenEmbedder`.
    """
    distinct = list(dict.fromkeys(texts))
    tokens = isinstance(embedder, TokenEmbedder)
    found = known(embedder, cache, distinct, tokens=tokens)
    missing = [text for text in distinct if text not in found]
    found |= dict(_made(embedder, cache, missing, progress, tokens=tokens))
    return [found[text] for text in texts], len(missing)


def known(
    embedder: Embedder, cache: EmbeddingCache | None, texts: Sequence[str], *, tokens: bool
) -> dict[str, Embedded]:
    """Return what the cache has of some texts; with ``tokens`` only what has codes as well."""
    if cache is None:
        return {}
    space = fingerprint(embedder)
    found: Iterable[Embedded | None]
    if tokens:
        found = cache.get_embedded(space, texts)
    else:
        found = (None if vector is None else Embedded(vector) for vector in cache.get_many(space, texts))
    return {
        text: one
        for text, one in zip(texts, found, strict=True)
        if one is not None and len(one.vector) == embedder.dims
    }


def _made(
    embedder: Embedder,
    cache: EmbeddingCache | None,
    missing: Sequence[str],
    progress: Callable[[int, int], None] | None,
    *,
    tokens: bool,
) -> Iterator[tuple[str, Embedded]]:
    """Embed texts batch by batch, keep them, and tell how far it is."""
    space, done = fingerprint(embedder), 0
    for batch in embedder.batches(missing) if isinstance(embedder, Batching) else _batches(missing):
        if tokens and isinstance(embedder, TokenEmbedder):
            made = [Embedded(in_single_precision(v), codes) for v, codes in embedder.embed_with_tokens(batch)]
        else:
            made = [Embedded(in_single_precision(vector)) for vector in embedder.embed_documents(batch)]
        _check(embedder, batch, [one.vector for one in made])
        if cache is not None and tokens:
            cache.put_embedded(space, batch, made)
        elif cache is not None:
            cache.put_many(space, batch, [one.vector for one in made])
        yield from zip(batch, made, strict=True)
        done += len(batch)
        if progress:
            progress(done, len(missing))


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))


def _check(embedder: Embedder, texts: Sequence[str], vectors: Sequence[tuple[float, ...]]) -> None:
    if len(vectors) != len(texts) or any(len(vector) != embedder.dims for vector in vectors):
        lengths = sorted({len(vector) for vector in vectors})
        raise IntegrityError(
            f"the embedder {fingerprint(embedder)} returned {len(vectors)} vectors of {lengths} numbers "
            f"for {len(texts)} texts of {embedder.dims}; nothing of this batch was kept"
        )
