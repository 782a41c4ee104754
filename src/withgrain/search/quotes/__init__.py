"""Quotes: whether and where a text stands in a collection. The check against invented citations."""

from withgrain.search.quotes.cite import Quote, cite
from withgrain.search.quotes.nearest import Difference

__all__ = ["Difference", "Quote", "cite"]
