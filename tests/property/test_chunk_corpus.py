"""The invariants over every Markdown and text document of the evaluation corpora."""

from __future__ import annotations

import pytest

from tests.support import shared
from withgrain.chunk import STRUCTURE_AWARE, chunk_document
from withgrain.parse import parse
from withgrain.testing import CountingTokenizer
from withgrain.tokens import wordpiece


@pytest.mark.parametrize("corpus", ["techops", "tatqa", "chroma", "cuad", "chunklab"])
def test_invariants_hold_on_real_documents(corpus: str) -> None:
    """1-6 on every document; encoded characters stay within 2.2 a source character over each corpus."""
    folder = shared() / "eval" / "corpus" / corpus
    files = sorted(p for p in folder.iterdir() if p.suffix in (".md", ".txt"))
    assert files
    counting = CountingTokenizer(wordpiece())
    characters = 0
    for file in files:
        data = file.read_bytes()
        document = parse(data, uri=file.name)
        chunked = chunk_document(document, STRUCTURE_AWARE, counting)
        characters += len(document.text)
        source = data.decode("utf-8")
        assert chunked.audit.words_lost == 0, file.name
        at = 0
        for chunk in chunked.chunks:
            assert chunk.span is not None
            assert chunk.span.of(document.text) == chunk.body
            assert chunk.span.start >= at
            at = chunk.span.end
            back = document.to_source(chunk.span)
            assert back is not None
            assert back.of(source).split() == chunk.body.split()
            assert chunk.tokens is not None
            assert chunk.tokens <= STRUCTURE_AWARE.budget_for(chunked.doc_class).maximum
            assert chunk.embed_text.startswith(chunk.parts[0].text)
            assert chunk.parts[0].role == "path"
        assert len({c.id for c in chunked.chunks}) == len(chunked.chunks)
    assert counting.characters <= 2.2 * characters
