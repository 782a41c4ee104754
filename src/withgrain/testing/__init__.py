"""For tests of and beside withgrain: fakes, and the checks that every implementation of a Protocol must pass."""

from withgrain.testing.embedders import CountingTokenizer, HashEmbedder, embedder_conformance
from withgrain.testing.stores import StoreConformance

__all__ = ["CountingTokenizer", "HashEmbedder", "StoreConformance", "embedder_conformance"]
