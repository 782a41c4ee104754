"""The Protocols: what a part must do to take the place of a built-in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from withgrain.model import (
        Candidates,
        Change,
        ChunkRecord,
        CommitResult,
        Contract,
        Document,
        DocumentRecord,
        Embedded,
        Facts,
        Filter,
        LeafRecord,
        RetiredRecord,
        Source,
        Span,
        State,
    )

#: Limits may be given as any of these: a predicate "does this text fit?" or a counter.
Fits = Callable[[str], bool]
Count = Callable[[str], int]


@runtime_checkable
class Tokenizer(Protocol):
    """Counts the tokens of a text, without the special tokens that a model adds.

    Attributes:
        name: For the contract ("minilm-wordpiece").
        version: For the contract; changes whenever a count can change.
        additive: True when ``count(a + w + b) == count(a) + count(b)`` for every white space ``w``: then lengths of
            joined texts come from sums.
    """

    name: str
    version: str
    additive: bool

    def count(self, text: str) -> int:
        """Return the exact number of tokens of ``text``."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``[count(t) for t in texts]``, faster."""
        ...


@runtime_checkable
class Parser(Protocol):
    """Turns bytes into a `Document`. Pure: no I/O, no clock, no globals.

    Attributes:
        name: For the contract ("markdown").
        version: Changes whenever the blocks of an unchanged file can change.
    """

    name: str
    version: str

    def parse(self, data: bytes, source: Source) -> Document:
        """Parse the bytes.

        Raises:
            DocumentError: The bytes are not of this format or cannot be read; says what and where.
        """
        ...


@runtime_checkable
class Detector(Protocol):
    """Finds facts in a text. Pure."""

    name: str
    version: str

    def detect(self, text: str) -> Facts:
        """Return the facts found in ``text``."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        id: For the contract ("minilm").
        revision: Hash of the weights and the engine's settings: another one means other vectors.
        dims: Length of a vector.
        window: Tokens of a text that the model reads, special tokens not counted.
        normalised: Whether vectors have length 1.
        tokenizer: The model's own.
    """

    id: str
    revision: str
    dims: int
    window: int
    normalised: bool
    tokenizer: Tokenizer

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return one vector a text; each depends on its text alone, not on its neighbours in the batch.

        Raises:
            UsageError: A text is longer than ``window``; nothing is ever truncated silently.
        """
        ...

    def embed_query(self, text: str) -> tuple[float, ...]:
        """Return the vector of a question. A question longer than the window is cut, and that is no error."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that keeps a short form of its token vectors beside the one vector, for late interaction."""

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        """Return for each text its vector, as `embed_documents` makes it, and the short form of its token vectors.

        Raises:
            UsageError: A text is longer than ``window``; nothing is ever truncated silently.
        """
        ...

    def token_scores(self, question: str, codes: Sequence[Sequence[bytes]]) -> list[float]:
        """Return how near the tokens of a question come to those of some texts: a larger number is nearer.

        Args:
            question: As given to `embed_query`.
            codes: For each chunk, the ``token_codes`` of its leaves; at least one that is not empty.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Reads question and text together, and so orders the first candidates better than fusion can.

    Attributes:
        name: For the trace ("structural").
    """

    name: str

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the question: one finite number a text, a larger one is better.

        A text is a line with the title and the heading path (separated by " › "), then what a reader is shown.

        Raises:
            Unavailable: A service that it needs did not answer; the search then goes on without it and says so.
        """
        ...


class Statistics(Protocol):
    """Exact lexical statistics of the chunks inside a filter.

    Attributes:
        chunks: Number of chunks.
        average_length: Mean number of terms a chunk.
        frequencies: For each asked term, the number of chunks that have it.
    """

    chunks: int
    average_length: float
    frequencies: Mapping[str, int]


class Snapshot(Protocol):
    """One consistent state of a collection; later commits do not change it."""

    version: int
    contract: Contract

    def documents(self, ids: Sequence[str] | None = None) -> list[DocumentRecord]:
        """Return documents (all for None) sorted by uri, without their text (``text`` and ``removed`` empty)."""
        ...

    def documents_called(self, path: str) -> list[str]:
        """Return the ids of the documents whose uri is ``path``, or ends with it behind a ``/``, sorted by uri.

        ``reset.md``, ``okta/reset.md`` and ``kb/okta/reset.md`` all name the document ``kb/okta/reset.md``.
        """
        ...

    def document(self, doc_id: str) -> DocumentRecord | None:
        """Return one document with its text; None when it is not there."""
        ...

    def chunks(self, *, ids: Sequence[str] | None = None, doc_id: str | None = None) -> list[ChunkRecord]:
        """Return chunks by id (in the order asked, missing ones left out) or of one document (in ordinal order)."""
        ...

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return body, headings, title and markers of chunks, each on a line of its own, to look for words in them.

        By id; missing ones left out. Much cheaper than `chunks`.
        """
        ...

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the bodies of chunks by id, missing ones left out; cheaper than `texts`."""
        ...

    def token_codes(self, chunk_ids: Sequence[str]) -> dict[str, list[bytes]]:
        """Return the token codes of the leaves of some chunks; a chunk with a leaf that has none is left out."""
        ...

    def leaves(self, chunk_ids: Sequence[str]) -> list[LeafRecord]:
        """Return the leaves of some chunks."""
        ...

    def leaf_spans(self, chunk_ids: Sequence[str]) -> dict[str, Span | None]:
        """Return where the leaves of some chunks stand, by leaf id; much cheaper than `leaves`: no vector is read."""
        ...

    def pending(self) -> list[str]:
        """Return the ids, sorted, of the documents of which a leaf still waits for its vector."""
        ...

    def sections(self, section_id: str) -> list[ChunkRecord]:
        """Return the chunks whose ``parent_id`` is this id, in ordinal order."""
        ...

    def candidates(self, ids: Sequence[str], terms: Sequence[str] = ()) -> Candidates:
        """Return light rows for ranking, in the order asked, missing ones left out.

        ``counts`` tells how often each chunk has each of ``terms``, exactly. Much cheaper than `chunks`.
        """
        ...

    def all_retired(self) -> list[RetiredRecord]:
        """Return every retired id as it was written, one step of its chain each, sorted by id."""
        ...

    def retired(self, ids: Sequence[str]) -> list[RetiredRecord]:
        """Return what became of ids that are no longer there, in the order asked, unknown ones left out.

        Each record tells where the id was; ``successor`` is the newest of its chain of successors. A chain that ends in
        a removed text has none, and the reason ``gone``.
        """
        ...

    def languages(self) -> tuple[str, ...]:
        """Return the languages of the documents, sorted; a question is analysed for each of them."""
        ...

    def roots(self) -> tuple[str, ...]:
        """Return the names of the roots of the documents, sorted."""
        ...

    def document_vectors(self, ids: Sequence[str] | None = None) -> dict[str, tuple[float, ...]]:
        """Return the vector of each document (all for None): the mean of its leaves, weighted by their tokens.

        Of unit length. A document without vectors is left out.
        """
        ...

    def similar_documents(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Return up to ``limit`` (document id, cosine of its vector), best first. Exact."""
        ...

    def lexical(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[tuple[str, float]]:
        """Return up to ``limit`` (chunk id, engine score) that have at least one of the terms, best first."""
        ...

    def phrase(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[str]:
        """Return ids of chunks that have the terms next to each other in this order."""
        ...

    def dense(
        self, vector: Sequence[float], where: Filter | None, limit: int, beside: Sequence[str] = ()
    ) -> list[tuple[str, str, float]]:
        """Return up to ``limit`` (chunk id, leaf id, cosine), best leaf a chunk, best first.

        After them come, best first, too, those of the chunks ``beside`` that are inside the filter and have a vector.
        Cosines are exact. Which chunks are among the first is exact up to 50,000 leaves inside the filter; of more, a
        store may leave out 3 in 100 of the nearest ten.
        """
        ...

    def statistics(self, terms: Sequence[str], where: Filter | None) -> Statistics:
        """Return exact statistics over the chunks inside the filter."""
        ...

    def facets(self, field: str, where: Filter | None) -> dict[str, int]:
        """Return how many chunks have each value of a payload field; spellings that filters take for one are one."""
        ...

    def count(self) -> dict[str, int]:
        """Return the number of ``documents``, ``chunks``, ``leaves``, and of ``vectors``: leaves that have one."""
        ...


class Writer(Protocol):
    """The one writer of a collection; holds its lock until closed. A context manager."""

    def snapshot(self) -> Snapshot:
        """Return the state after the last commit."""
        ...

    def commit(self, change: Change) -> CommitResult:
        """Apply a change as one atomic, durable step. Rows that are already equal are not written again."""
        ...

    def finish(self) -> None:
        """Bring the text index up to date with every row and compact by policy. Changes no answer."""
        ...

    def close(self) -> None:
        """Release the lock. What was not committed is forgotten."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class Store(Protocol):
    """A collection: many readers, one writer."""

    def contract(self) -> Contract | None:
        """Return the contract; None while nothing was ever committed.

        Raises:
            SchemaTooNew: Written by a newer version.
        """
        ...

    def snapshot(self) -> Snapshot | None:
        """Return the newest committed state; None while nothing was ever committed."""
        ...

    def writer(self, contract: Contract) -> Writer:
        """Take the lock and prepare to write under ``contract``.

        Raises:
            CollectionLocked: Another live process writes.
            ContractMismatch: The collection has another contract.
            Unavailable: The place cannot be written to.
        """
        ...


@runtime_checkable
class VersionedStore(Store, Protocol):
    """A store that keeps older states, and can give documents up for good."""

    def snapshot(self, version: int | None = None) -> Snapshot | None:
        """Return the newest committed state, or a kept one; None while nothing was ever committed.

        Raises:
            UsageError: ``version`` is not kept.
        """
        ...

    def history(self) -> list[State]:
        """Return the kept states, oldest first: the last one of each of the last runs that wrote."""
        ...

    def restore(self, version: int) -> State:
        """Make a kept state the newest again, as a new state, and return that.

        Raises:
            UsageError: ``version`` is not kept.
            CollectionLocked: Another live process writes.
        """
        ...

    def forget(self, doc_ids: Sequence[str]) -> None:
        """Remove documents from the newest state and from every kept one; other states are given up.

        Raises:
            UsageError: Nothing was ever committed.
            CollectionLocked: Another live process writes.
            Unavailable: Another process reads a state that is to go.
        """
        ...


@runtime_checkable
class Progress(Protocol):
    """Told how a long run goes on."""

    def update(self, stage: str, done: int, total: int, detail: str = "") -> None:
        """``stage`` is ``scan`` | ``chunk`` | ``embed`` | ``commit``; ``made`` counts chunks, without a total (0)."""
        ...


Texts = Iterable[str]
