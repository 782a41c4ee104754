"""Filters as people write them: text in, a `withgrain.model.Filter` tree out. See `parser` for the grammar."""

from withgrain.search.filters.compare import field_named
from withgrain.search.filters.parser import parse_filter
from withgrain.search.filters.scope import checked_scope, read_scope
from withgrain.search.filters.writing import written

__all__ = ["checked_scope", "field_named", "parse_filter", "read_scope", "written"]
