"""What happens to the ranking: rerank, diversify, collapse; and to the hits: lists whole, expand, merge, fold."""

from withgrain.search.after.settings import After

__all__ = ["After"]
