"""Filters as people write them: text in, a `withgrain.model.Filter` tree out. See `parser` for the grammar."""

from withgrain.search.filters.compare import field_named
from withgrain.search.filters.parser import parse_filter

__all__ = ["field_named", "parse_filter"]
