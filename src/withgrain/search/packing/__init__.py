"""The best context for a token budget: what an agent or a prompt gets."""

from withgrain.search.packing.pack import WHOLE, pack
from withgrain.search.packing.packed import LeftOut, Pack, PackedItem

__all__ = ["WHOLE", "LeftOut", "Pack", "PackedItem", "pack"]
