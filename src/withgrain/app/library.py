"""The facade over a collection: open, ingest, search, get. A few lines each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from withgrain.app.asking import Asking, Conditions, GivenWeights, bound
from withgrain.app.asof import state_of
from withgrain.app.defaults import (
    CACHE_FILE,
    DEFAULT_COLLECTION,
    DEFAULT_EMBEDDER,
    DEFAULT_POLICY,
    DEFAULT_TOKENIZER,
)
from withgrain.app.given import paths_of, policy_of, texts_of, tokenizer_of
from withgrain.app.newest import Newest
from withgrain.errors import ConfigError, UsageError
from withgrain.ingest import MAX_BYTES
from withgrain.types import VersionedStore

if TYPE_CHECKING:
    from withgrain.chunk import Policy
    from withgrain.embed import Endpoint
    from withgrain.ingest import IngestReport, Limits
    from withgrain.model import Contract
    from withgrain.search import Weights
    from withgrain.search.lazy import Lazy
    from withgrain.types import Embedder, Progress, Snapshot, Store, Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What a collection holds.

    Attributes:
        path: Directory of the collection.
        version: Version of its state; None while nothing was ingested.
        contract: What wrote it; None while nothing was ingested.
        documents: Number of documents.
        chunks: Number of chunks.
        leaves: Number of vectors that there shall be.
        vectors: Number of vectors that are there; less while a slow model is still at work, or after it was stopped.
        stale: Documents whose stored version is older than the file, with the reason.
        withgrain: Version of this package.
    """

    path: Path
    version: int | None
    contract: Contract | None
    documents: int
    chunks: int
    leaves: int
    vectors: int
    stale: Mapping[str, str]
    withgrain: str


class Library(Asking):
    """A collection on disk. Opens lazily; a context manager; one writer, any number of readers.

    With a ``scope`` it is read-only, and nothing outside that filter can be seen through it.
    """

    def __init__(  # noqa: PLR0913  # as `open`
        self,
        path: str | Path = DEFAULT_COLLECTION,
        *,
        policy: str | Policy = DEFAULT_POLICY,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
        as_of: str | int | None = None,
        store: Store | None = None,
        scope: Conditions = None,
        endpoint: Endpoint | None = None,
        lazy: int | None = None,
        weights: GivenWeights = None,
    ) -> None:
        self.path = Path(path)
        self._as_of = as_of
        self._policy = policy
        self._embedder = embedder
        self._tokenizer = tokenizer
        self._endpoint = endpoint
        self._lazy = lazy
        self._weights = weights
        self._store = store
        self._on_disk = store is None
        self._scope = bound(scope)
        self._newest = Newest()
        self._loaded: dict[str, Embedder | None] = {}
        self._weights_for(None, None)  # a wrong one is told at once

    def ingest(  # noqa: PLR0913  # a facade: every argument but the paths has its usual value
        self,
        *paths: str | Path,
        name: str | None = None,
        include: str | Sequence[str] = (),
        exclude: str | Sequence[str] = (),
        labels: str | Sequence[str] = (),
        label_rules: Sequence[tuple[str, str]] = (),
        front_matter_labels: bool = True,
        domains: Sequence[tuple[str, str]] = (),
        classes: Sequence[tuple[str, str]] = (),
        max_bytes: int = MAX_BYTES,
        force: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
        workers: int | None = None,
        limits: Limits | None = None,
    ) -> IngestReport:
        """Bring the collection in line with folders and files: add, update, rename and delete what changed.

        Args:
            paths: Folders and files.
            name: Name of the root instead of the folder's own; for one path only.
            include: Patterns of files to look at, in the syntax of ``.gitignore``; all of a known format when empty.
            exclude: Patterns of files and folders to leave out.
            labels: ``key=value`` labels for all documents of this run.
            label_rules: (pattern, ``key=value``): labels of the documents whose path matches; all matches count.
            front_matter_labels: Whether values of front matter become labels, too. A key that ``labels`` or
                ``label_rules`` give, to whichever path, is never taken from front matter.
            domains: (pattern, domain) rules for documents whose front matter names none.
            classes: (pattern, class) rules: how documents are classified, whatever path and content say.
            max_bytes: Larger files are skipped with a reason.
            force: Delete documents even when suspiciously many files vanished.
            dry_run: Say what would be done and write nothing.
            progress: Told how it goes on.
            workers: Processes that read and cut; by processors and amount of work when None.
            limits: What one document may cost; 1 GB and 15 s of CPU time when None, more for large plain texts.

        Raises:
            UsageError: A path that cannot be used, or deletions that look like an accident.
            ContractMismatch: The collection was written with other settings.
            Unavailable: The collection is locked or cannot be written.
        """
        if self._scope is not None:
            raise UsageError("This library was opened with a scope: it is read-only. Open the collection without one.")
        from withgrain.embed.when import eager_chunks
        from withgrain.ingest import FileRules, IngestSettings, Limits, ingest

        places, embedder = paths_of(paths), self._own_embedder()
        settings = IngestSettings(
            policy=policy_of(self._policy),
            tokenizer=tokenizer_of(self._tokenizer),
            embedder=embedder,
            cache=self.path / CACHE_FILE if self._on_disk else None,
            rules=FileRules(
                include=texts_of(include),
                exclude=texts_of(exclude),
                max_bytes=max_bytes,
                collection=self.path if self._on_disk else None,
            ),
            name=name,
            labels=texts_of(labels),
            label_rules=tuple(label_rules),
            front_matter_labels=front_matter_labels,
            domains=tuple(domains),
            classes=tuple(classes),
            force=force,
            dry_run=dry_run,
            progress=progress,
            tokenizer_spec=self._tokenizer if isinstance(self._tokenizer, str) else "",
            workers=workers,
            lazy=bool(self._lazy),
            eager_chunks=eager_chunks(embedder) if self._lazy is None else None,
            limits=limits or Limits(),
        )
        self._newest.let_go()
        return ingest(self._opened(), places, settings)

    def info(self) -> Info:
        """Return what the collection holds; all zero while nothing was ingested."""
        from withgrain import __version__

        snapshot = self._scoped()
        count = snapshot.count() if snapshot else {}
        return Info(
            path=self.path,
            version=snapshot.version if snapshot else None,
            contract=snapshot.contract if snapshot else None,
            documents=count.get("documents", 0),
            chunks=count.get("chunks", 0),
            leaves=count.get("leaves", 0),
            vectors=count.get("vectors", 0),
            stale={d.uri: d.stale for d in snapshot.documents() if d.stale} if snapshot else {},
            withgrain=__version__,
        )

    def snapshot(self) -> Snapshot:
        """Return the newest state of the collection.

        Raises:
            UsageError: Nothing was ingested yet.
        """
        snapshot = self._scoped()
        if snapshot is None:
            raise UsageError(
                f'The collection "{self.path}" is empty or does not exist. Fill it first: '
                f"withgrain ingest PATH -c {self.path}"
            )
        return snapshot

    def close(self) -> None:
        """Forget what was opened; using the library again opens it again."""
        self._newest.let_go()
        if self._on_disk:
            self._store = None
        self._loaded.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _scoped(self) -> Snapshot | None:
        """Return the newest state as it is inside the scope."""
        snapshot = self._current()
        if snapshot is None or self._scope is None:
            return snapshot
        from withgrain.search.scoped import scoped

        return scoped(snapshot, self._scope)

    def _opened(self) -> Store:
        if self._store is None:
            from withgrain.store import open_store

            self._store = open_store(self.path)
        return self._store

    def _current(self) -> Snapshot | None:
        """Return the newest state, or the kept one that ``as_of`` means."""
        store = self._opened()
        if self._as_of is None:
            return self._newest.of(store)
        if not isinstance(store, VersionedStore):
            raise UsageError("This store keeps no older states.")
        return store.snapshot(state_of(store.history(), self._as_of).version)

    def _own_embedder(self) -> Embedder | None:
        from withgrain.embed import spec_of

        if not isinstance(self._embedder, str):
            return self._embedder
        stored = self._opened().contract()
        return self._load(self._embedder, stored.dims if stored and spec_of(stored.embedder) == self._embedder else 0)

    def _embedder_of(self, contract: Contract) -> tuple[Embedder | None, str]:
        """Return the embedder whose vectors a collection holds, or None and why there is none to use."""
        if self._embedder == "none":
            return None, "The library was opened without an embedder."
        from withgrain.embed import spec_of
        from withgrain.ingest import embedder_name

        try:
            named = spec_of(contract.embedder)
            embedder = self._load(named, contract.dims) if isinstance(self._embedder, str) else self._embedder
        except ConfigError as error:
            return None, f'The collection was embedded with "{contract.embedder}", which cannot be loaded here: {error}'
        name = embedder_name(embedder)
        if embedder is not None and name == contract.embedder:
            return embedder, ""
        return None, (
            f'The collection was embedded with "{contract.embedder}", this library has "{name}": their vectors cannot '
            "be compared."
        )

    def _lazy_for(self, embedder: Embedder | None) -> Lazy | None:
        """Return how missing vectors are made for a question; None when they are not."""
        from withgrain.embed.when import may_wait
        from withgrain.search.lazy import CANDIDATES, Lazy

        candidates = CANDIDATES if self._lazy is None and may_wait(embedder) else self._lazy
        if embedder is None or not candidates:
            return None

        cache = self.path / CACHE_FILE
        return Lazy(
            embedder=embedder,
            cache=cache if self._on_disk or cache.is_file() else None,
            candidates=candidates,
        )

    def _weights_for(self, embedder: Embedder | None, given: GivenWeights) -> Weights | None:
        """Return the usual weights for an embedder with the library's, then the given ones; None when there are none.

        Raises:
            UsageError: A weight that there is not, or a wrong value.
        """
        if given is None and self._weights is None:
            return None
        from withgrain.search.weights import Weights

        found = Weights.of(embedder)
        for some in (self._weights, given):
            found = some if isinstance(some, Weights) else found.having(some or {})
        return found

    def _load(self, spec: str, dims: int) -> Embedder | None:
        from withgrain.embed import load_embedder

        if spec not in self._loaded:
            self._loaded[spec] = load_embedder(spec, endpoint=self._endpoint, dims=dims)
        return self._loaded[spec]


def open(
    path: str | Path = DEFAULT_COLLECTION,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    embedder: str | Embedder = DEFAULT_EMBEDDER,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
    as_of: str | int | None = None,
    scope: Conditions = None,
    endpoint: Endpoint | None = None,
    lazy: int | None = None,
    weights: GivenWeights = None,
) -> Library:
    """Open the collection in a directory; it is created by the first `Library.ingest`.

    Args:
        path: The directory.
        policy: How to cut what is ingested: a name or a `Policy`.
        embedder: ``minilm``, ``none`` for a collection without vectors, ``openai:MODEL``, or an object.
        tokenizer: ``wordpiece``, ``words``, a tokenizer file, ``module:function``, or an object.
        as_of: Read a kept older state: its version, or a time (the newest state that was there then).
        scope: Conditions such as ``"tenant=a"`` (the label of that name) or ``"class = sop"`` that bind every later
            call; documents that do not fulfil them are invisible. None shows everything; a list without conditions is
            an error. For hard isolation make one collection a tenant.
        endpoint: The server of an ``openai:`` embedder; as the environment says when None.
        lazy: Above 0, ingest stores words only, and a search makes the vectors of so many candidates that have none.
            0 makes all vectors with the documents. None is 0, and 50 for the bundled model in a large collection.
        weights: Numbers of the ranking for every search, as `Library.search` takes them for one.

    Raises:
        UsageError: The scope is empty or cannot be read, or a weight is wrong.
    """
    return Library(
        path,
        policy=policy,
        embedder=embedder,
        tokenizer=tokenizer,
        as_of=as_of,
        scope=scope,
        endpoint=endpoint,
        lazy=lazy,
        weights=weights,
    )
