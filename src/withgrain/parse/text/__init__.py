"""Plain text and logs to a `Document`."""

from __future__ import annotations

from withgrain.parse.text.parser import parse_text

__all__ = ["parse_text"]
