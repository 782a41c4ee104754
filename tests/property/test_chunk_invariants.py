"""The invariants of the architecture, over generated Markdown."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from withgrain.chunk import POLICIES, STRUCTURE_AWARE, Chunked, Context, Policy, chunk_document
from withgrain.model import Block, Chunk, Document
from withgrain.parse import parse
from withgrain.testing.embedders import HashEmbedder
from withgrain.testing.markdown import documents
from withgrain.tokens import from_callable, wordpiece

SETTINGS = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
EACH = settings(SETTINGS, max_examples=30)  # for each of ten policies
CONTEXT = Context(embed=HashEmbedder(window=10_000).embed_documents)
#: Policies that see structure: invariants 4 and 5 are theirs.
STRUCTURED = ("parent_child", "structure_aware", "strict", "semantic", "page")
MAXIMA = st.sampled_from([16, 30, 60, 120, 480])
COUNT = wordpiece().count


class Cut(NamedTuple):
    """A text that was parsed and cut."""

    text: str
    document: Document
    chunked: Chunked
    policy: Policy
    maximum: int

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks."""
        return self.chunked.chunks


def cut(text: str, policy: Policy, maximum: int) -> Cut:
    """Parse and cut a Markdown text."""
    document = parse(text.encode(), uri="generated.md")
    policy = replace(policy, classes=()).with_maximum(maximum)
    return Cut(text, document, chunk_document(document, policy, wordpiece(), context=CONTEXT), policy, maximum)


@pytest.mark.parametrize("name", sorted(POLICIES))
@EACH
@given(text=documents(), maximum=MAXIMA, window=st.sampled_from([16, 40, 120]))
def test_invariants(name: str, text: str, maximum: int, window: int) -> None:
    """Every policy keeps the invariants that are true to it; documents are drawn once for all of them."""
    made = cut(text, POLICIES[name], maximum)
    is_lossless(made)
    is_exact(made)
    fits(made)
    fits_the_window(made, window)
    is_linked(made)
    is_deterministic(made)
    if name in STRUCTURED:
        is_never_severed(made)
        is_anchored(made)


def is_lossless(made: Cut) -> None:
    """1: bodies + headings + declared drops cover every word of the document."""
    assert made.chunked.audit.words_lost == 0


def is_exact(made: Cut) -> None:
    """2: document.text[chunk.span] == chunk.body; spans strictly increase and are disjoint; to_source agrees."""
    at = 0
    for chunk in made.chunks:
        assert chunk.span is not None
        assert chunk.span.of(made.document.text) == chunk.body
        assert chunk.body.strip()
        assert chunk.span.start >= at
        at = chunk.span.end
        source = made.document.to_source(chunk.span)
        assert source is not None
        assert source.of(made.text).split() == chunk.body.split()


def fits(made: Cut) -> None:
    """3: the maximum is never exceeded, counted exactly on the rendered string, in the unit of the policy."""
    in_tokens = made.policy.unit == "tokens"
    for chunk in made.chunks:
        size = COUNT(chunk.embed_text) if in_tokens else len(chunk.embed_text)
        assert chunk.tokens == (size if in_tokens else None)  # characters count no tokens
        # One grapheme cluster (a family of emoji) may be longer than a limit of a few tokens: nothing can be cut.
        assert size <= made.maximum or len(chunk.body) <= 12, (size, chunk.embed_text)


def fits_the_window(made: Cut, window: int) -> None:
    """3: the window of the embedder is never exceeded in its own tokens, whatever the policy counts."""
    policy = POLICIES[made.policy.name]
    for chunk in chunk_document(made.document, policy, wordpiece(), limit=window, context=CONTEXT).chunks:
        assert chunk.tokens is not None
        assert chunk.tokens <= window or len(chunk.body) <= 12, (chunk.tokens, chunk.embed_text)


def is_linked(made: Cut) -> None:
    """Chunks are numbered and linked in document order."""
    chunks = made.chunks
    for i, chunk in enumerate(chunks):
        assert (chunk.ordinal, chunk.total) == (i, len(chunks))
        assert chunk.prev_id == (chunks[i - 1].id if i else None)
        assert chunk.next_id == (chunks[i + 1].id if i + 1 < len(chunks) else None)


def is_deterministic(made: Cut) -> None:
    """6: same bytes, policy, versions: the same chunks; ids are unique in the document."""
    again = cut(made.text, POLICIES[made.policy.name], made.maximum)
    assert (made.document, made.chunked) == (again.document, again.chunked)
    ids = [c.id for c in made.chunks]
    assert len(set(ids)) == len(ids)


def _atoms(block: Block) -> list[Block]:
    """Return the blocks that must not be cut while they fit."""
    found = [block] if block.kind in ("code", "math", "table_row", "list_item") else []
    for child in block.children:
        found.extend(_atoms(child))
    return found


def is_never_severed(made: Cut) -> None:
    """4: a code fence, table row, list item or math block that fits is in one chunk."""
    text = made.document.text
    cuts = sorted({c.span.start for c in made.chunks if c.span} | {c.span.end for c in made.chunks if c.span})
    for top in made.document.blocks:
        for block in _atoms(top):
            whole = block.span.of(text)
            body = whole.strip()
            # Path and repeated parts may take a third of the limit each; well below the rest it surely fits.
            if COUNT(body) > made.maximum // 4:
                continue
            first = block.span.start + len(whole) - len(whole.lstrip())
            last = first + len(body)
            assert not [c for c in cuts if first < c < last], (block.kind, body)


def is_anchored(made: Cut) -> None:
    """5: every chunk carries title and heading path in the embedded text, at most a third of the budget."""
    for chunk in made.chunks:
        path = [p.text for p in chunk.parts if p.role == "path"]
        assert len(path) <= 1
        if not path:
            assert made.maximum < 60 or not (chunk.title or chunk.heading_path)
            continue
        assert chunk.embed_text.startswith(path[0])
        assert COUNT(path[0]) <= max(1, made.maximum // 3)
        if "…" not in path[0]:
            assert all(name in path[0] for name in (chunk.title, *chunk.heading_path))


@SETTINGS
@given(text=documents(), maximum=MAXIMA)
def test_fits_any_counter(text: str, maximum: int) -> None:
    """3: any callable counts, additive or not."""
    document = parse(text.encode(), uri="generated.md")
    policy = replace(STRUCTURE_AWARE, classes=()).with_maximum(maximum * 4)
    tokenizer = from_callable(len, name="characters", version="1")
    for chunk in chunk_document(document, policy, tokenizer).chunks:
        assert chunk.tokens == len(chunk.embed_text)
        assert chunk.tokens <= maximum * 4 or len(chunk.body) <= 12


@SETTINGS
@given(text=documents(), most=st.integers(40, 400))
def test_fits_predicate(text: str, most: int) -> None:
    """5: `fits` may be a plain predicate; then it is the hard limit and tokens is None."""
    document = parse(text.encode(), uri="generated.md")
    for chunk in chunk_document(document, fits=lambda t: len(t) <= most).chunks:
        assert chunk.tokens is None
        assert len(chunk.embed_text) <= most or len(chunk.body) <= 12


@SETTINGS
@given(text=documents(), maximum=MAXIMA)
def test_merging_siblings_keeps_the_invariants(text: str, maximum: int) -> None:
    """Merged sections are listed, keep their headings in the body, and lose nothing."""
    chunked = cut(text, replace(STRUCTURE_AWARE, merge="siblings"), maximum).chunked
    assert chunked.audit.words_lost == 0
    for chunk in chunked.chunks:
        for reference in chunk.sections:
            assert chunk.span is not None
            assert chunk.span.contains(reference.span)
        assert chunk.tokens is not None
        assert chunk.tokens <= maximum or len(chunk.body) <= 12
