"""Canonical Markdown and its blocks for formats whose text is made by the parser: HTML, PDF, office documents."""

from __future__ import annotations

from withgrain.parse.rendered.inline import Inline, clean
from withgrain.parse.rendered.table import Cell, Row
from withgrain.parse.rendered.writer import Writer

__all__ = ["Cell", "Inline", "Row", "Writer", "clean"]
