"""semantic-text-splitter (Rust): its Markdown splitter for Markdown, its text splitter for text."""

from __future__ import annotations

from collections.abc import Sequence

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from benchmarks.judge.source import Piece, Source
from benchmarks.peers import Sizes


class SemanticTextSplitter:
    """Sizes by callback, or its own count of characters."""

    def __init__(self, sizes: Sizes) -> None:
        if sizes.tokens:
            self._markdown = MarkdownSplitter.from_callback(sizes.count, sizes.limit)
            self._text = TextSplitter.from_callback(sizes.count, sizes.limit)
        else:
            self._markdown, self._text = MarkdownSplitter(sizes.limit), TextSplitter(sizes.limit)

    def cut(self, source: Source) -> Sequence[object]:
        """Return the chunks."""
        return self._of(source).chunks(source.text)

    def pieces(self, source: Source) -> list[Piece]:
        """Return the chunks at the character offsets that it gives."""
        return [
            Piece(text=body, body=body, start=start, end=start + len(body))
            for start, body in self._of(source).chunk_indices(source.text)
        ]

    def _of(self, source: Source) -> MarkdownSplitter | TextSplitter:
        return self._markdown if source.markdown else self._text
