"""Vectors: the bundled model, servers, and a cache so that nothing is embedded twice."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withgrain.embed.cache import EmbeddingCache
    from withgrain.embed.cached import embed_cached, embed_with_tokens, fingerprint, known
    from withgrain.embed.endpoint import Endpoint
    from withgrain.embed.loading import load_embedder, spec_of
    from withgrain.embed.minilm import MiniLM
    from withgrain.embed.static import Static
else:
    from withgrain.lazy import named

    __getattr__ = named(
        __name__,
        cache="EmbeddingCache",
        cached="embed_cached embed_with_tokens fingerprint known",
        endpoint="Endpoint",
        loading="load_embedder spec_of",
        minilm="MiniLM",
        static="Static",
    )

__all__ = [
    "EmbeddingCache",
    "Endpoint",
    "MiniLM",
    "Static",
    "embed_cached",
    "embed_with_tokens",
    "fingerprint",
    "known",
    "load_embedder",
    "spec_of",
]
