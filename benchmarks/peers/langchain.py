"""LangChain: the Markdown separators of its recursive splitter, alone and behind its header splitter."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_text_splitters import MarkdownHeaderTextSplitter, MarkdownTextSplitter, RecursiveCharacterTextSplitter

from benchmarks.judge.source import Piece, Source
from benchmarks.peers import Sizes

_HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]


class Markdown:
    """``MarkdownTextSplitter``; ``RecursiveCharacterTextSplitter`` for text."""

    def __init__(self, sizes: Sizes) -> None:
        self._markdown = MarkdownTextSplitter(
            chunk_size=sizes.limit, chunk_overlap=0, length_function=sizes.count, add_start_index=True
        )
        self._text = RecursiveCharacterTextSplitter(
            chunk_size=sizes.limit, chunk_overlap=0, length_function=sizes.count, add_start_index=True
        )

    def cut(self, source: Source) -> Sequence[object]:
        """Return the texts."""
        return (self._markdown if source.markdown else self._text).split_text(source.text)

    def pieces(self, source: Source) -> list[Piece]:
        """Return the documents at the start index that it gives (-1: it did not find its own chunk)."""
        splitter = self._markdown if source.markdown else self._text
        return [
            Piece(
                text=d.page_content,
                body=d.page_content,
                start=d.metadata["start_index"],
                end=d.metadata["start_index"] + len(d.page_content),
            )
            for d in splitter.create_documents([source.text])
        ]


class Headers:
    """``MarkdownHeaderTextSplitter`` (headings go to the metadata), then the recursive splitter. Gives no offsets."""

    def __init__(self, sizes: Sizes) -> None:
        self._headers = MarkdownHeaderTextSplitter(_HEADERS)
        self._inner = MarkdownTextSplitter(chunk_size=sizes.limit, chunk_overlap=0, length_function=sizes.count)
        self._text = Markdown(sizes)

    def cut(self, source: Source) -> Sequence[object]:
        """Return the documents."""
        if not source.markdown:
            return self._text.cut(source)
        return self._inner.split_documents(self._headers.split_text(source.text))

    def pieces(self, source: Source) -> list[Piece]:
        """Return the documents with the headings of their metadata."""
        if not source.markdown:
            return self._text.pieces(source)
        return [
            Piece(text=d.page_content, body=d.page_content, path=tuple(d.metadata[k] for k in sorted(d.metadata)))
            for d in self._inner.split_documents(self._headers.split_text(source.text))
        ]
