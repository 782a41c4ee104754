"""Text and numbers as they stand in the page."""

from __future__ import annotations

import html
import re

# What could change how the page around a quoted document looks: controls, and marks that reverse the reading order.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def escape(text: str) -> str:
    """Return text that is nothing but text inside a page."""
    return html.escape(_CONTROL.sub("\ufffd", text))


def share(value: float) -> str:
    """Return ``.806``, ``1.000``."""
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text


def gap(value: float) -> str:
    """Return a difference with its sign: ``+.041``, ``−.007``."""
    text = f"{abs(value):.3f}"
    shown = text[1:] if text.startswith("0.") else text
    if float(text) == 0:
        return "±.000"
    return ("+" if value > 0 else "−") + shown


def probability(value: float) -> str:
    """Return ``< .001`` or ``.042``."""
    return "< .001" if value < 0.001 else share(value)


def size(value: float) -> str:
    """Return bytes for a person."""
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def milliseconds(value: float) -> str:
    """Return a time for a person."""
    return f"{value:.1f} ms" if 0 < value < 10 else f"{value:,.0f} ms"
