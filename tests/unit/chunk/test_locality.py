"""Invariant 6: an edit changes ids only around itself."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from withgrain.chunk import POLICIES, Context, chunk_document
from withgrain.model import Chunk
from withgrain.parse import parse
from withgrain.testing.embedders import HashEmbedder

_WORDS = [
    "account",
    "archive",
    "audit",
    "border",
    "broker",
    "cache",
    "channel",
    "cluster",
    "copy",
    "credential",
    "device",
    "domain",
    "entry",
    "filter",
    "gateway",
    "group",
    "handler",
    "image",
    "index",
    "journal",
    "key",
    "label",
    "ledger",
    "limit",
    "message",
    "mirror",
    "network",
    "node",
    "owner",
    "packet",
    "policy",
    "queue",
    "record",
    "region",
    "replica",
    "request",
    "role",
    "route",
    "schema",
    "secret",
    "server",
    "session",
    "shard",
    "signal",
    "socket",
    "stream",
    "table",
    "tenant",
    "token",
    "trace",
    "tunnel",
    "user",
    "vault",
    "volume",
    "window",
    "worker",
    "zone",
]


def prose(words: int, seed: int) -> str:
    """Return sentences of a seeded generator, so that no two paragraphs are equal."""
    source = random.Random(seed)
    sentences = []
    while words > 0:
        length = source.randint(6, 22)
        words -= length
        sentences.append(" ".join(source.choices(_WORDS, k=length)).capitalize() + ".")
    return " ".join(sentences)


def section(chunks: int) -> str:
    """Return one section of about that many chunks, in paragraphs, lists and code."""
    blocks = []
    for seed in range(chunks * 4):
        text = prose(70, seed)
        if seed % 7 == 3:
            text = "\n".join(f"- {prose(12, seed * 100 + i)}" for i in range(6))
        if seed % 11 == 5:
            text = f"```python\nvalue_{seed} = {seed}\nprint(value_{seed})\n```"
        blocks.append(text)
    return "\n\n".join(blocks)


def log(lines: int) -> str:
    """Return a log without headings or blank lines."""
    source = random.Random(7)
    return "\n".join(
        f"2026-03-{1 + i // 900:02d}T{i // 60 % 24:02d}:{i % 60:02d}:00Z {source.choice(_WORDS)} "
        f"{source.choice(_WORDS)}={source.randint(1, 9999)} {prose(8, i)}"
        for i in range(lines)
    )


CONTEXT = Context(embed=HashEmbedder(window=10_000).embed_documents)


def cut(text: str, uri: str, policy: str = "structure_aware") -> tuple[Chunk, ...]:
    """Cut at the default sizes of a policy."""
    document = parse(text.encode(), uri=uri)
    return chunk_document(document, replace(POLICIES[policy], classes=()), context=CONTEXT).chunks


def insert(text: str, at: int) -> str:
    """Insert one word at the next word boundary."""
    at = text.index(" ", at)
    return f"{text[:at]} inserted{text[at:]}"


CASES = {
    "long section": ("# Manual\n\n" + section(200), "manual.md"),
    "log": (log(3000), "service.log"),
    "contract without headings": ("\n\n".join(prose(110, s) for s in range(500)), "contract.txt"),
}


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("where", [0.0, 0.13, 0.5, 0.87, 0.99])
def test_one_word_changes_at_most_three_chunks(name: str, where: float) -> None:
    """6: a one-word insertion in a 200-chunk section changes at most 3 chunks."""
    text, uri = CASES[name]
    before = cut(text, uri)
    after = cut(insert(text, int(len(text) * where) + (12 if where == 0 else 0)), uri)
    assert len(before) > 150
    changed = {c.id for c in after} - {c.id for c in before}
    assert 1 <= len(changed) <= 3, len(changed)
    kept = {c.id for c in after} & {c.id for c in before}
    assert len(kept) >= 0.98 * len(before)


@pytest.mark.parametrize("where", [0.001, 0.5, 0.95])
def test_parent_child_is_as_local(where: float) -> None:
    """6: one word changes at most three children, and the id of at most one parent, in a section of many parents."""
    text = "# Manual\n\n" + section(60)
    before = cut(text, "manual.md", "parent_child")
    after = cut(insert(text, int(len(text) * where) + 20), "manual.md", "parent_child")
    assert 1 <= len({c.id for c in after} - {c.id for c in before}) <= 3
    assert len({c.parent_id for c in before}) > 10
    assert len({c.parent_id for c in after} - {c.parent_id for c in before}) <= 1


@pytest.mark.parametrize("policy", ["structure_aware", "strict", "parent_child", "semantic", "page"])
def test_an_edit_stays_inside_its_section(policy: str) -> None:
    """6: an edit changes ids only in its own section."""
    sections = [f"## Part {i}\n\n{section(3)}" for i in range(8)]
    before = cut("# Book\n\n" + "\n\n".join(sections), "book.md", policy)
    sections[3] = sections[3].replace(". ", ". Added words here. ", 1)
    after = cut("# Book\n\n" + "\n\n".join(sections), "book.md", policy)
    old = {c.id for c in before}
    assert {c.heading_path for c in after if c.id not in old} == {("Book", "Part 3")}
