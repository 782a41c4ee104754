"""Vectors made when a question needs them: only for the leaves of the first candidates that the words found.

The text of a leaf is not stored. The document is parsed anew from its canonical text and cut as it was; a leaf is known
again by its id, which is a hash of its text. What is made goes into the collection's cache, where an eager ingest finds
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from withgrain.embed import EmbeddingCache, embed_with_tokens
from withgrain.errors import DocumentError, IntegrityError, MissingExtra, Unavailable
from withgrain.model import ChunkRecord, Document, DocumentRecord, LeafRecord
from withgrain.search.dense import Nearest
from withgrain.types import Embedder, Snapshot

#: Chunks whose leaves are compared, when nobody says otherwise.
CANDIDATES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Lazy:
    """How to make missing vectors.

    Attributes:
        embedder: The embedder of the collection's contract.
        cache: File that keeps what was made; None keeps nothing.
        candidates: Chunks, the best by words, whose leaves are embedded at most.
    """

    embedder: Embedder
    cache: Path | None = None
    candidates: int = CANDIDATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What was added to the dense channel.

    Attributes:
        cosines: (chunk, leaf, cosine) of the chunks that had no vectors.
        trace: Number of ``chunks`` and ``leaves`` that waited, of leaves ``embedded`` now, and of those ``unknown``:
            their text could not be made again.
        notice: What could not be done.
    """

    cosines: Nearest
    trace: Mapping[str, int]
    notice: str = ""


def fill(
    snapshot: Snapshot, vector: Sequence[float], scores: Mapping[str, float], found: Nearest, lazy: Lazy
) -> Filled:
    """Return the cosines of the best candidates that have no vector yet.

    Args:
        snapshot: The state.
        vector: The question's.
        scores: Candidates by words.
        found: What was compared already.
        lazy: How to make vectors.
    """
    compared = {chunk_id for chunk_id, _, _ in found}
    best = sorted(scores, key=lambda i: (-scores[i], i))[: lazy.candidates]
    waiting = [i for i in best if i not in compared]
    leaves = [leaf for leaf in snapshot.leaves(waiting) if not leaf.vector] if waiting else []
    if not leaves:
        return Filled(cosines=[], trace={"chunks": 0, "leaves": 0, "embedded": 0, "unknown": 0})
    texts = _texts(snapshot, leaves, lazy.embedder)
    counts = {"leaves": len(leaves), "unknown": len(leaves) - len(texts)}
    try:
        with _opened(lazy.cache) as cache:
            made, embedded = embed_with_tokens(lazy.embedder, cache, list(texts.values()))
    except Unavailable as error:  # a server that is away takes no words away
        return Filled(cosines=[], trace={"chunks": 0, "embedded": 0, **counts}, notice=f"{error} No vectors were made.")
    near: dict[str, tuple[str, str, float]] = {}
    owner = {leaf.id: leaf.chunk_id for leaf in leaves}
    for leaf_id, one in zip(texts, made, strict=True):
        chunk_id, cosine = owner[leaf_id], _cosine(vector, one.vector)
        if chunk_id not in near or cosine > near[chunk_id][2]:
            near[chunk_id] = (chunk_id, leaf_id, cosine)
    return Filled(cosines=list(near.values()), trace={"chunks": len(near), "embedded": embedded, **counts})


def _texts(snapshot: Snapshot, leaves: Sequence[LeafRecord], embedder: Embedder) -> dict[str, str]:
    """Return the text of each leaf that can be made again, by its id."""
    from withgrain.chunk import leaves as cut

    wanted = {leaf.id for leaf in leaves}
    by_document: dict[str, list[ChunkRecord]] = {}
    for record in snapshot.chunks(ids=list(dict.fromkeys(leaf.chunk_id for leaf in leaves))):
        by_document.setdefault(record.chunk.doc_id, []).append(record)
    found: dict[str, str] = {}
    for doc_id, records in by_document.items():
        stored = snapshot.document(doc_id)
        document = _parsed(stored) if stored is not None else None
        if document is None:
            continue
        for record in records:
            made = cut(document, record.chunk, embedder.tokenizer, embedder.window)
            found.update((leaf.id, leaf.text) for leaf in made if leaf.id in wanted)
    return found


def _parsed(record: DocumentRecord) -> Document | None:
    """Return the blocks of a stored document, from its canonical text; None when they cannot be made again."""
    from withgrain.parse import parse

    media_type = "text/markdown" if record.rendered else record.media_type
    data = record.text.encode("utf-8", "surrogatepass")
    try:
        document = parse(data, uri=record.uri, root=record.root, media_type=media_type, modified=record.modified)
    except (DocumentError, MissingExtra):
        return None
    return document if document.text == record.text else None


@contextmanager
def _opened(place: Path | None) -> Iterator[EmbeddingCache | None]:
    """Open the cache; a collection that only may be read, or a damaged cache, is used without it."""
    try:
        cache = EmbeddingCache(place) if place is not None else None
    except (Unavailable, IntegrityError):
        cache = None
    try:
        yield cache
    finally:
        if cache is not None:
            cache.close()


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0
