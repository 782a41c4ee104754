"""WordPiece of a question in plain letters, without the engine: loading that takes longer than all else of a question.

Source: as `withgrain.tokens.wordpiece`. In printable ASCII every rule of BERT's is simple: lower case, words between
spaces and signs, each sign by itself, of each word the longest parts that the vocabulary has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

#: Longer texts, and words, are the engine's business.
_LONGEST = 500
_LONGEST_WORD = 100
_WORD = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")


def encode_plain(text: str, vocabulary: Mapping[str, int]) -> list[int] | None:
    """Return the token ids of a short text in printable ASCII; None for another text.

    A bracket may begin one of the model's special tokens: then it is none of these.
    """
    if len(text) > _LONGEST or "[" in text or not (text.isascii() and text.isprintable()):
        return None
    words = _WORD.findall(text.lower())
    if any(len(word) > _LONGEST_WORD for word in words):
        return None
    return [part for word in words for part in _parts(word, vocabulary)]


def _parts(word: str, vocabulary: Mapping[str, int]) -> Iterator[int]:
    """Yield the longest parts of a word from left to right; every letter and sign is in the vocabulary by itself."""
    start = 0
    while start < len(word):
        front = "##" if start else ""
        end = next(end for end in range(len(word), start, -1) if front + word[start:end] in vocabulary)
        yield vocabulary[front + word[start:end]]
        start = end
