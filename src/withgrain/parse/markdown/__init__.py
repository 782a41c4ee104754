"""Markdown (CommonMark, GFM and the dialects of documentation tools) to a `Document`."""

from __future__ import annotations

from withgrain.parse.markdown.parser import parse_markdown

__all__ = ["parse_markdown"]
