"""Source code by syntax tree: symbols as sections, statements as joints."""

from withgrain.parse.code.parser import parse_code

__all__ = ["parse_code"]
