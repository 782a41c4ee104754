"""Vectors: the bundled model, servers, and a cache so that nothing is embedded twice."""

from withgrain.embed.cache import EmbeddingCache
from withgrain.embed.cached import embed_cached, embed_with_tokens, fingerprint, known
from withgrain.embed.endpoint import Endpoint
from withgrain.embed.loading import load_embedder, spec_of
from withgrain.embed.minilm import MiniLM
from withgrain.embed.static import Static

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
