"""When vectors are made, if nobody says: with a document, or when a question needs them."""

from __future__ import annotations

from withgrain.types import Embedder

#: Chunks up to which the vectors of the bundled model are made with the documents: docs/results/collections.md
#: says what that takes. Beyond it, questions that wait a second cost less than an index that waits.
EAGER_CHUNKS = 20_000
#: Embedders that are slow, local and cost nothing else: theirs may wait for a question.
SLOW = ("minilm",)


def may_wait(embedder: Embedder | None) -> bool:
    """Return whether the vectors of an embedder may wait until a question needs them, though nobody asked for that."""
    return embedder is not None and embedder.id in SLOW


def eager_chunks(embedder: Embedder | None) -> int | None:
    """Return the size of a collection beyond which its vectors wait for a question; None when they never do."""
    return EAGER_CHUNKS if may_wait(embedder) else None
