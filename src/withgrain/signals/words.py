"""Word lists that stay readable: written as text, used as sets."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, which white space separates."""
    return frozenset(text.split())
