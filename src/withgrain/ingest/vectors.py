"""Vectors for leaves: from the stored version, from the cache, and only then from the model; some later than others."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from withgrain.ingest.prepare import Prepared
from withgrain.model import ChunkRecord, Embedded, Leaf, LeafRecord, leaf_id
from withgrain.types import Embedder, TokenEmbedder

if TYPE_CHECKING:
    from withgrain.embed import EmbeddingCache

#: Texts that are embedded to see how fast it goes.
SAMPLE = 32


def stored_vectors(
    prepared: Prepared, old_chunks: Sequence[ChunkRecord], old_leaves: Sequence[LeafRecord]
) -> dict[str, Embedded]:
    """Return vectors of a document's leaves, by their text, that its stored version has.

    The id of a leaf is a hash of its chunk's id and its text; so an old leaf is known by its text although the text is
    not stored: in a chunk that stayed, or, for a document that moved, in the chunk at the same place.
    """
    known = {leaf.id: Embedded(leaf.vector, leaf.token_codes) for leaf in old_leaves if leaf.vector}
    before = {r.chunk.ordinal: r.chunk.id for r in old_chunks}
    place = {r.chunk.id: r.chunk.ordinal for r in prepared.chunks}
    found: dict[str, Embedded] = {}
    for leaf, nth in _numbered(prepared.leaves):
        vector = known.get(leaf.id)
        if vector is None and (old := before.get(place[leaf.chunk_id])) is not None:
            vector = known.get(leaf_id(old, leaf.text, nth))
        if vector is not None:
            found[leaf.text] = vector
    return found


def _numbered(leaves: Sequence[Leaf]) -> Iterator[tuple[Leaf, int]]:
    seen: dict[tuple[str, str], int] = {}
    for leaf in leaves:
        key = (leaf.chunk_id, leaf.text)
        nth = seen[key] = seen.get(key, -1) + 1
        yield leaf, nth


def leaf_records(
    prepared: Prepared, vectors: Mapping[str, Embedded], tokens: Mapping[str, int]
) -> tuple[LeafRecord, ...]:
    """Return the rows of a document's leaves; those without a vector wait for it."""
    return tuple(
        LeafRecord(
            id=leaf.id,
            chunk_id=leaf.chunk_id,
            doc_id=prepared.document.id,
            span=leaf.span,
            vector=vectors[leaf.text].vector if leaf.text in vectors else (),
            tokens=tokens.get(leaf.text, 0),
            token_codes=vectors[leaf.text].token_codes if leaf.text in vectors else b"",
        )
        for leaf in prepared.leaves
    )


@dataclass(slots=True, kw_only=True)
class Vectors:
    """Makes vectors and remembers how long that takes.

    Attributes:
        embedder: The model; None makes none.
        cache: Keeps what was made.
        progress: Told the number of texts embedded so far, and of those that were asked for or wait.
        embedded: Texts that the model really embedded.
        waiting: Texts that were put aside.
        seconds: Time that it took, less what the first text took while trying out.
    """

    embedder: Embedder | None
    cache: EmbeddingCache | None
    progress: Callable[[int, int], None] = lambda done, total: None
    embedded: int = 0
    waiting: int = 0
    seconds: float = 0.0

    def known(self, texts: Sequence[str]) -> dict[str, Embedded]:
        """Return the vectors that the cache has."""
        embedder, cache = self.embedder, self.cache
        if embedder is None or cache is None or not texts:
            return {}
        from withgrain.embed import known

        return known(embedder, cache, texts, tokens=isinstance(embedder, TokenEmbedder))

    def make(self, texts: Sequence[str]) -> dict[str, Embedded]:
        """Return the vector of each text.

        Raises:
            Exception: Whatever the embedder raises.
        """
        if self.embedder is None or not texts:
            return {}
        from withgrain.embed import embed_with_tokens

        started, before = time.monotonic(), self.embedded

        def told(done: int, asked: int) -> None:
            self.progress(before + done, before + max(asked, self.waiting))

        vectors, embedded = embed_with_tokens(self.embedder, self.cache, texts, told)
        self.embedded += embedded
        self.seconds += time.monotonic() - started
        return dict(zip(texts, vectors, strict=True))

    def try_out(self, texts: Sequence[str]) -> dict[str, Embedded]:
        """Return the vectors of a few texts, to see how fast it goes; the first may load a model, and is not counted.

        Raises:
            Exception: Whatever the embedder raises.
        """
        first = self.make(texts[:1])
        self.seconds = 0.0
        return first | self.make(texts[1:])

    def would_take(self, texts: int) -> float:
        """Return the seconds that so many texts may take, as far as was seen; 0 where nothing was seen yet."""
        return texts * self.seconds / self.embedded if self.embedded else 0.0


@dataclass(slots=True, kw_only=True)
class Backlog:
    """Leaves of committed documents that wait for their vectors; on disk, since they may be many."""

    total: int = 0
    documents: int = 0
    _file: IO[str] | None = field(default=None)

    def add(self, doc_id: str, texts: Mapping[str, str]) -> None:
        """Put the leaves of a document aside: id of the leaf to its text."""
        if self._file is None:
            self._file = tempfile.TemporaryFile("w+", encoding="ascii")  # noqa: SIM115  # closed by `close`
        self._file.write(json.dumps([doc_id, texts]) + "\n")
        self.total += len(texts)
        self.documents += 1

    def __iter__(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield (document, leaf → text) in the order in which they were put aside."""
        if self._file is not None:
            self._file.seek(0)
            for line in self._file:
                doc_id, texts = json.loads(line)
                yield doc_id, texts

    def close(self) -> None:
        """Give the disk space back."""
        if self._file is not None:
            self._file.close()
            self._file = None


def by_leaves(backlog: Iterable[tuple[str, dict[str, str]]], most: int) -> Iterator[list[tuple[str, dict[str, str]]]]:
    """Group documents that together wait for about ``most`` vectors."""
    group: list[tuple[str, dict[str, str]]] = []
    for entry in backlog:
        group.append(entry)
        if sum(len(texts) for _, texts in group) >= most:
            yield group
            group = []
    if group:
        yield group
