"""HTML: main content, tables, code, notes and anchors; what is chrome or invisible is left out and listed."""

from __future__ import annotations

from withgrain.parse.html.parser import parse_html

__all__ = ["parse_html"]
