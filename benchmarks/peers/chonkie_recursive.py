"""chonkie: its recursive chunker with its default rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import chonkie
from chonkie.tokenizer import Tokenizer

from benchmarks.judge.source import Piece, Source
from benchmarks.peers import Sizes
from withgrain.tokens import wordpiece


class Counter(Tokenizer):
    """Counts with the given function. A text without any joint is cut between ids, as chonkie wants it."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__()
        self._count = count

    def __repr__(self) -> str:
        return "Counter()"

    def tokenize(self, text: str) -> Sequence[int]:
        """Return ids."""
        return wordpiece().encode(text)

    def encode(self, text: str) -> Sequence[int]:
        """Return ids."""
        return wordpiece().encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of ids, as WordPiece gives it back: lower case."""
        decoded: str = wordpiece()._engine.decode(list(tokens))
        return decoded

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens."""
        return self._count(text)


def counting(count: Callable[[str], int]) -> Counter:
    """Return the tokenizer that chonkie is given."""
    return Counter(count)


class Recursive:
    """``RecursiveChunker``."""

    def __init__(self, sizes: Sizes) -> None:
        tokenizer = counting(sizes.count) if sizes.tokens else "character"
        self._chunker = chonkie.RecursiveChunker(tokenizer=tokenizer, chunk_size=sizes.limit)

    def cut(self, source: Source) -> Sequence[object]:
        """Return its chunks."""
        found: Sequence[object] = self._chunker.chunk(source.text)
        return found

    def pieces(self, source: Source) -> list[Piece]:
        """Return its chunks at its indices."""
        return [
            Piece(text=c.text, body=c.text, start=c.start_index, end=c.end_index)
            for c in self._chunker.chunk(source.text)
        ]
