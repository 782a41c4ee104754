"""The commands below ``withgrain eval``."""
