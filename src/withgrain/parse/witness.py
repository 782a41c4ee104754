"""The words that a parser lost: what an independent extraction finds and the document neither has nor lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from withgrain.model import Document

_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\s]*\)")
_WORD = re.compile(r"[^\W_]+")


def lost_words(independent: str, document: Document) -> tuple[str, ...]:
    """Return the words of ``independent`` that ``document`` has less often, each as often as it is missing.

    What counts as had: the canonical text, headings and terms as plain text, what is listed as dropped with its text,
    the title and the metadata.
    """
    missing = Counter(_words(independent))
    missing.subtract(Counter(_words(document.text)))
    missing = +missing
    if not missing:
        return ()
    had = Counter(_words(" ".join(_beside(document))))
    missing.subtract({word: count for word, count in had.items() if word in missing})
    return tuple((+missing).elements())


def _words(text: str) -> list[str]:
    # `INSERT`s, [path](…)s and an escaped t\`0 are one word each, as they are where no Markdown was made of them.
    text = _LINK.sub(r"\1", text.replace("`", "").replace("\\", ""))
    return [word.casefold() for word in _WORD.findall(text)]


def _beside(document: Document) -> Iterable[str]:
    yield document.title
    yield from (drop.text for drop in document.dropped)
    yield from (str(value) for value in document.meta.values())
