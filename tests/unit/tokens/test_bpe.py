"""Issue 3: "tiktoken-compatible BPE (extra)", without a download."""

from __future__ import annotations

import pytest

from withgrain.chunk import chunk_document
from withgrain.parse import parse
from withgrain.tokens import load_tokenizer

pytest.importorskip("bpe_openai")


@pytest.mark.parametrize(
    ("encoding", "text", "tokens"),
    [
        ("cl100k_base", "tiktoken is great!", 6),
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("o200k_base", "tiktoken is great!", 6),
        ("o200k_base", "お誕生日おめでとう", 8),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("cl100k_base", "", 0),
    ],
)
def test_counts_as_tiktoken_documents_them(encoding: str, text: str, tokens: int) -> None:
    """The counts that OpenAI's cookbook gives for these strings."""
    assert load_tokenizer(encoding).count(text) == tokens


def test_special_tokens_in_a_text_are_text() -> None:
    """A document that quotes a special token is no instruction."""
    assert load_tokenizer("cl100k_base").count("<|endoftext|>") > 1


def test_lone_surrogates_count() -> None:
    """Total: every string has a count."""
    assert load_tokenizer("cl100k_base").count("a\ud800b") == load_tokenizer("cl100k_base").count("a\ufffdb")


def test_chunks_fit_in_its_tokens() -> None:
    """Invariant 3 with a tokenizer that is not additive."""
    tokenizer = load_tokenizer("o200k_base")
    text = "# Title\n\n" + "\n\n".join(f"Paragraph {n} says `x_{n}` in words, e.g. 3.14 or {n}%." for n in range(60))
    chunks = chunk_document(parse(text.encode(), uri="a.md"), tokenizer=tokenizer, limit=64).chunks
    assert len(chunks) > 5
    assert all(chunk.tokens == tokenizer.count(chunk.embed_text) <= 64 for chunk in chunks)
