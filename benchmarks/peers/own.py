"""withgrain itself, under the default policy scaled to the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.judge.source import Piece, Source
from benchmarks.peers import Sizes
from withgrain.chunk import Chunked, chunk_document, policy
from withgrain.parse import parse
from withgrain.tokens import wordpiece


class Own:
    """Bytes to chunks, with facts and audit. Counts with the bundled WordPiece, as the others do."""

    facts = audit = True

    def __init__(self, sizes: Sizes) -> None:
        base = policy("structure_aware")
        self._policy = replace(base, unit="tokens" if sizes.tokens else "characters").with_maximum(sizes.limit)

    def cut(self, source: Source) -> Sequence[object]:
        """Return the texts to embed."""
        return [chunk.embed_text for chunk in self._chunked(source).chunks]

    def pieces(self, source: Source) -> list[Piece]:
        """Return the chunks with their spans and paths."""
        return [
            Piece(text=c.embed_text, body=c.body, start=c.span.start, end=c.span.end, path=c.heading_path)
            for c in self._chunked(source).chunks
            if c.span is not None
        ]

    def _chunked(self, source: Source) -> Chunked:
        document = parse(source.data, uri=source.path)
        return chunk_document(document, self._policy, wordpiece(), facts=self.facts, audit=self.audit)


class OwnBare(Own):
    """The same chunks without facts and without the audit."""

    facts = audit = False
