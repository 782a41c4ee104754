"""Docling: its Markdown reader and its hybrid chunker. Both work without a model.

Tables are serialised as Markdown, one of the serialisers that it ships: its own default, triplets of row, column and
value, cannot be found again in a source. Text files go through the Markdown reader, as in Docling itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from docling.backend.md_backend import MarkdownDocumentBackend
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.transforms.chunker.hierarchical_chunker import ChunkingDocSerializer, ChunkingSerializerProvider
from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer
from docling_core.transforms.serializer.markdown import MarkdownTableSerializer

from benchmarks.judge.source import Piece, Source
from benchmarks.peers import Sizes


class Counter(BaseTokenizer):
    """Counts with the given function."""

    function: Callable[[str], int]
    limit: int

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens."""
        return self.function(text)

    def get_max_tokens(self) -> int:
        """Return the limit."""
        return self.limit

    def get_tokenizer(self) -> Any:
        """Return what splits a text that is too long: the function."""
        return self.function


class Tables(ChunkingSerializerProvider):
    """Serialises tables as Markdown."""

    def get_serializer(self, doc: Any) -> ChunkingDocSerializer:
        """Return the serialiser of a document."""
        return ChunkingDocSerializer(doc=doc, table_serializer=MarkdownTableSerializer())


class Hybrid:
    """``HybridChunker`` with its default rules."""

    def __init__(self, sizes: Sizes) -> None:
        tokenizer = Counter(function=sizes.count, limit=sizes.limit)
        self._chunker = HybridChunker(tokenizer=tokenizer, serializer_provider=Tables())

    def cut(self, source: Source) -> Sequence[object]:
        """Return its chunks."""
        return self._chunks(source)

    def pieces(self, source: Source) -> list[Piece]:
        """Return its chunks with their headings; the text to embed has the headings in front. Gives no offsets."""
        return [
            Piece(text=self._chunker.contextualize(c), body=c.text, path=tuple(c.meta.headings or ()))
            for c in self._chunks(source)
        ]

    def _chunks(self, source: Source) -> list[Any]:
        stream = BytesIO(source.text.encode())
        given = InputDocument(
            path_or_stream=stream, format=InputFormat.MD, backend=MarkdownDocumentBackend, filename="source.md"
        )
        document = MarkdownDocumentBackend(in_doc=given, path_or_stream=stream).convert()
        return list(self._chunker.chunk(document))
