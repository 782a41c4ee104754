"""Vectors: the bundled model, and a cache so that nothing is embedded twice."""

from withgrain.embed.cache import EmbeddingCache
from withgrain.embed.cached import embed_cached, fingerprint
from withgrain.embed.loading import load_embedder
from withgrain.embed.minilm import MiniLM

__all__ = ["EmbeddingCache", "MiniLM", "embed_cached", "fingerprint", "load_embedder"]
