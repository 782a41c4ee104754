"""Data of withgrain's embedder ``static``: ``model.bin``, 30,522 records of a 16-bit weight and 256 8-bit numbers."""
