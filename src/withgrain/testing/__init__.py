"""For tests of and beside withgrain: fakes, and the checks that every implementation of a Protocol must pass."""

from withgrain.testing.embedders import CountingTokenizer, HashEmbedder, embedder_conformance

__all__ = ["CountingTokenizer", "HashEmbedder", "embedder_conformance"]
