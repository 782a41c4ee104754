"""LlamaIndex: its Markdown parser, then its sentence splitter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.core.schema import BaseNode, Document, MetadataMode

from benchmarks.judge.source import Piece, Source
from benchmarks.peers import Sizes


class MarkdownSentence:
    """``MarkdownNodeParser`` and ``SentenceSplitter``. Its hook wants the tokens: it gets a range of their number."""

    def __init__(self, sizes: Sizes) -> None:
        self._sections = MarkdownNodeParser()
        self._sentences = SentenceSplitter(chunk_size=sizes.limit, chunk_overlap=0, tokenizer=numbers(sizes.count))

    def cut(self, source: Source) -> Sequence[object]:
        """Return its nodes."""
        return self._nodes(source)

    def pieces(self, source: Source) -> list[Piece]:
        """Return its nodes; the text to embed has the metadata in front."""
        return [
            Piece(
                text=node.get_content(MetadataMode.EMBED),
                body=node.get_content(MetadataMode.NONE),
                start=getattr(node, "start_char_idx", None),
                end=getattr(node, "end_char_idx", None),
                path=tuple(p for p in str(node.metadata.get("header_path", "")).split("/") if p),
            )
            for node in self._nodes(source)
        ]

    def _nodes(self, source: Source) -> Sequence[BaseNode]:
        nodes: Sequence[BaseNode] = [Document(text=source.text)]
        if source.markdown:
            nodes = self._sections(nodes)
        return self._sentences(nodes)


def numbers(count: Callable[[str], int]) -> Callable[[str], Sequence[int]]:
    """Return a tokenizer whose result has the right length."""
    return lambda text: range(count(text))
