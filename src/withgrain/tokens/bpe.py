"""Byte-pair encodings of remote models, as tiktoken counts them, from a package that carries their vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from withgrain.errors import MissingExtra

#: Names of encodings, as tiktoken has them.
ENCODINGS = ("cl100k_base", "o200k_base")


class BytePairEncoding:
    """Counts the tokens of ordinary text: the literal string ``<|endoftext|>`` is text, not a special token.

    Lone surrogates, which are no text, count as U+FFFD. Nothing is downloaded.

    Attributes:
        name: ``bpe:`` and the name of the encoding.
        version: Version of the package that holds the vocabulary.
        additive: False: these vocabularies join white space with the word after it.
    """

    additive = False

    def __init__(self, encoding: str) -> None:
        try:
            from bpe_openai import _bindings
        except ImportError as error:
            raise MissingExtra("bpe", need=f'the tokenizer "{encoding}"') from error
        self.name = f"bpe:{encoding}"
        self.version = version("bpe-openai")
        self._count = _bindings.tokenizer_for_encoding(encoding).count

    def count(self, text: str) -> int:
        """Return the exact number of tokens of ``text``."""
        try:
            return int(self._count(text))
        except UnicodeEncodeError:
            return int(self._count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``."""
        return [self.count(text) for text in texts]


@cache
def byte_pair_encoding(name: str) -> BytePairEncoding:
    """Return the encoding of that name; one of `ENCODINGS`.

    Raises:
        MissingExtra: The package with the vocabularies is not installed.
    """
    return BytePairEncoding(name)
