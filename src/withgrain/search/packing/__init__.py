"""The best context for a token budget: what an agent or a prompt gets."""

from withgrain.search.packing.pack import pack
from withgrain.search.packing.packed import LeftOut, Pack, PackedItem

__all__ = ["LeftOut", "Pack", "PackedItem", "pack"]
