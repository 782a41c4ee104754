"""The facade: open a collection, ingest, search, get; or only chunk and audit. A few lines each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from withgrain.errors import ConfigError, ContractMismatch, UsageError
from withgrain.ingest import (
    MAX_BYTES,
    AuditReport,
    FileRules,
    IngestReport,
    IngestSettings,
    audit_files,
    embedder_name,
    ingest,
)
from withgrain.model import (
    Chunk,
    ChunkRecord,
    Citation,
    Contract,
    Document,
    DocumentRecord,
    Filter,
    Results,
    Span,
    sha256_hex,
)
from withgrain.types import Embedder, Progress, Snapshot, Store, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Chunked, Policy

Mode = Literal["hybrid", "lexical", "dense"]

DEFAULT_COLLECTION = ".withgrain"
DEFAULT_POLICY = "structure_aware"
DEFAULT_EMBEDDER = "minilm"
DEFAULT_TOKENIZER = "wordpiece"

#: The cache of vectors inside a collection's directory: safe to delete, it only saves work.
CACHE_FILE = "embeddings.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What `Library.get` found: a chunk, a section or a whole document, with its citation.

    Attributes:
        id: As asked.
        kind: What the id names.
        text: What to read: a chunk's display text; the verbatim text of a section or document.
        span: Where it stands in the canonical text; None for a generated summary.
        chunks: The chunk, or the chunks of the section or document in order.
        citation: Where it stands.
        modified: Modification time of the document.
        stale: Why the stored version is older than the file; empty when current.
    """

    id: str
    kind: Literal["chunk", "section", "document"]
    text: str
    span: Span | None
    chunks: tuple[Chunk, ...]
    citation: Citation
    modified: str | None = None
    stale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What a collection holds.

    Attributes:
        path: Directory of the collection.
        version: Version of its state; None while nothing was ingested.
        contract: What wrote it; None while nothing was ingested.
        documents: Number of documents.
        chunks: Number of chunks.
        leaves: Number of vectors.
        stale: Documents whose stored version is older than the file, with the reason.
        withgrain: Version of this package.
    """

    path: Path
    version: int | None
    contract: Contract | None
    documents: int
    chunks: int
    leaves: int
    stale: Mapping[str, str]
    withgrain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A document and how it was cut: what `inspect` returns."""

    document: Document
    chunked: Chunked


class Library:
    """A collection on disk. Opens lazily; a context manager; one writer, any number of readers."""

    def __init__(
        self,
        path: str | Path = DEFAULT_COLLECTION,
        *,
        policy: str | Policy = DEFAULT_POLICY,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
        store: Store | None = None,
    ) -> None:
        self.path = Path(path)
        self._policy = policy
        self._embedder = embedder
        self._tokenizer = tokenizer
        self._store = store
        self._on_disk = store is None
        self._loaded: dict[str, Embedder | None] = {}

    def ingest(
        self,
        *paths: str | Path,
        name: str | None = None,
        include: str | Sequence[str] = (),
        exclude: str | Sequence[str] = (),
        labels: str | Sequence[str] = (),
        domains: Sequence[tuple[str, str]] = (),
        max_bytes: int = MAX_BYTES,
        force: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Bring the collection in line with folders and files: add, update, rename and delete what changed.

        Args:
            paths: Folders and files.
            name: Name of the root instead of the folder's own; for one path only.
            include: Patterns of files to look at, in the syntax of ``.gitignore``; all of a known format when empty.
            exclude: Patterns of files and folders to leave out.
            labels: ``key=value`` labels for all documents of this run.
            domains: (pattern, domain) rules for documents whose front matter names none.
            max_bytes: Larger files are skipped with a reason.
            force: Delete documents even when suspiciously many files vanished.
            dry_run: Say what would be done and write nothing.
            progress: Told how it goes on.

        Raises:
            UsageError: A path that cannot be used, or deletions that look like an accident.
            ContractMismatch: The collection was written with other settings.
            Unavailable: The collection is locked or cannot be written.
        """
        places = _paths(paths)
        settings = IngestSettings(
            policy=_policy(self._policy),
            tokenizer=_tokenizer(self._tokenizer),
            embedder=self._own_embedder(),
            cache=self.path / CACHE_FILE if self._on_disk else None,
            rules=FileRules(
                include=_texts(include),
                exclude=_texts(exclude),
                max_bytes=max_bytes,
                collection=self.path if self._on_disk else None,
            ),
            name=name,
            labels=_texts(labels),
            domains=tuple(domains),
            force=force,
            dry_run=dry_run,
            progress=progress,
        )
        return ingest(self._opened(), places, settings)

    def search(
        self, query: str, *, k: int = 10, mode: Mode = "hybrid", filter: str | Sequence[str] | Filter | None = None
    ) -> Results:
        """Return the best sections for a question, ranked and cited.

        Args:
            query: The question; may hold identifiers, quoted phrases and filters.
            k: How many hits at most.
            mode: ``hybrid`` | ``lexical`` | ``dense``; ``hybrid`` becomes ``lexical``, with a notice in the trace, when
                there are no vectors or no model to ask them with.
            filter: Conditions such as ``"domain=okta"``, or a `Filter`; all must hold.

        Raises:
            UsageError: Nothing was ingested yet, or the question or a filter cannot be used.
            ContractMismatch: ``dense`` with another embedder than the collection's.
        """
        from withgrain.search import parse_filter, search

        texts = [filter] if isinstance(filter, str) else filter
        where = parse_filter(texts) if isinstance(texts, Sequence) else texts
        snapshot = self.snapshot()
        embedder, notice = None, ""
        if mode != "lexical" and snapshot.contract.dims:
            embedder, notice = self._embedder_of(snapshot.contract)
        if notice and mode == "dense":
            raise ContractMismatch(f"{notice} Use the embedder that it was made with, or mode lexical.")
        used: Mode = "lexical" if notice else mode
        results = search(snapshot, query, k=k, mode=used, where=where, embedder=embedder)
        if not notice:
            return results
        notices = [*results.trace.get("notices", ()), f"{notice} Searched by words only."]
        return replace(results, trace={**results.trace, "notices": notices})

    def get(self, id: str) -> Content:
        """Return a chunk, section or document by its id, with its citation.

        Raises:
            UsageError: Nothing has this id, or nothing was ingested yet.
        """
        snapshot = self.snapshot()
        found = snapshot.chunks(ids=[id])
        if found:
            return _content(snapshot, id, "chunk", found)
        document = snapshot.document(id)
        if document is not None:
            return _content(snapshot, id, "document", snapshot.chunks(doc_id=id), document)
        for known in snapshot.documents():
            inside = [c for c in snapshot.chunks(doc_id=known.id) if c.chunk.parent_id == id]
            if inside:
                return _content(snapshot, id, "section", inside)
        raise UsageError(f'Nothing in the collection has the id "{id}". Take an id from a search result.')

    def info(self) -> Info:
        """Return what the collection holds; all zero while nothing was ingested."""
        from withgrain import __version__

        snapshot = self._opened().snapshot()
        count = snapshot.count() if snapshot else {}
        return Info(
            path=self.path,
            version=snapshot.version if snapshot else None,
            contract=snapshot.contract if snapshot else None,
            documents=count.get("documents", 0),
            chunks=count.get("chunks", 0),
            leaves=count.get("leaves", 0),
            stale={d.uri: d.stale for d in snapshot.documents() if d.stale} if snapshot else {},
            withgrain=__version__,
        )

    def snapshot(self) -> Snapshot:
        """Return the newest state of the collection.

        Raises:
            UsageError: Nothing was ingested yet.
        """
        snapshot = self._opened().snapshot()
        if snapshot is None:
            raise UsageError(
                f'The collection "{self.path}" is empty or does not exist. Fill it first: '
                f"withgrain ingest PATH -c {self.path}"
            )
        return snapshot

    def close(self) -> None:
        """Forget what was opened; using the library again opens it again."""
        if self._on_disk:
            self._store = None
        self._loaded.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self) -> Store:
        if self._store is None:
            from withgrain.store import open_store

            self._store = open_store(self.path)
        return self._store

    def _own_embedder(self) -> Embedder | None:
        return self._load(self._embedder) if isinstance(self._embedder, str) else self._embedder

    def _embedder_of(self, contract: Contract) -> tuple[Embedder | None, str]:
        """Return the embedder whose vectors a collection holds, or None and why there is none to use."""
        if self._embedder == "none":
            return None, "The library was opened without an embedder."
        try:
            named = contract.embedder.partition("@")[0]
            embedder = self._load(named) if isinstance(self._embedder, str) else self._embedder
        except ConfigError:
            embedder = None
        name = embedder_name(embedder)
        if embedder is not None and name == contract.embedder:
            return embedder, ""
        return None, (
            f'The collection was embedded with "{contract.embedder}", this library has "{name}": their vectors cannot '
            "be compared."
        )

    def _load(self, spec: str) -> Embedder | None:
        from withgrain.embed import load_embedder

        if spec not in self._loaded:
            self._loaded[spec] = load_embedder(spec)
        return self._loaded[spec]


def open(
    path: str | Path = DEFAULT_COLLECTION,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    embedder: str | Embedder = DEFAULT_EMBEDDER,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
) -> Library:
    """Open the collection in a directory; it is created by the first `Library.ingest`.

    Args:
        path: The directory.
        policy: How to cut what is ingested: a name or a `Policy`.
        embedder: ``minilm``, ``none`` for a collection without vectors, or an object.
        tokenizer: ``wordpiece``, ``words``, a tokenizer file, ``module:function``, or an object.
    """
    return Library(path, policy=policy, embedder=embedder, tokenizer=tokenizer)


def read(text_or_path: str | Path) -> Document:
    """Parse a text (``str``, taken as Markdown) or a file (``Path``).

    Raises:
        UsageError: The file is missing, cannot be read or is of no known format.
        DocumentError: It cannot be parsed.
    """
    from withgrain.ingest.reading import read_file
    from withgrain.parse import media_type_for, parse

    if isinstance(text_or_path, str):
        data = text_or_path.encode("utf-8", "surrogatepass")
        return parse(data, uri=sha256_hex(data), media_type="text/markdown")
    if not isinstance(text_or_path, Path):
        raise UsageError(
            "withgrain takes a text (str) or a path (pathlib.Path), not "
            f"{type(text_or_path).__name__}. Bytes: data.decode(); several files: one call for each."
        )
    if not text_or_path.exists():
        raise UsageError(f'There is no file "{text_or_path}". Check the spelling and the working directory.')
    if not text_or_path.is_file():
        raise UsageError(f'"{text_or_path}" is not a regular file.')
    if media_type_for(text_or_path.name) is None:
        raise UsageError(f'"{text_or_path}" is of no known format ({text_or_path.suffix or "no suffix"}).')
    content = read_file(text_or_path, MAX_BYTES)
    return parse(content.data, uri=text_or_path.name, modified=content.modified)


def inspect(
    text_or_path: str | Path,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    max_tokens: int | None = None,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
) -> Cut:
    """Cut a text or a file and return everything: the document, chunks, audit, notices and class.

    Args:
        text_or_path: A text (``str``, taken as Markdown) or a file (``Path``).
        policy: A name or a `Policy`.
        max_tokens: No chunk's embedded text is longer; the policy's own budgets when None.
        tokenizer: Whose tokens count: a name, a file, ``module:function``, or an object.

    Raises:
        UsageError: The file cannot be used, or ``max_tokens`` is below 1.
        ConfigError: The policy or tokenizer cannot be used.
        DocumentError: The file cannot be parsed.
    """
    from withgrain.chunk import chunk_document

    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"max_tokens is {max_tokens}; a chunk needs at least 1 token.")
    document = read(text_or_path)
    chunked = chunk_document(document, _policy(policy), _tokenizer(tokenizer), limit=max_tokens)
    return Cut(document=document, chunked=chunked)


def chunk(
    text_or_path: str | Path,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    max_tokens: int | None = None,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
) -> tuple[Chunk, ...]:
    """Cut a text (``str``, taken as Markdown) or a file (``Path``) into chunks; see `inspect`."""
    return inspect(text_or_path, policy=policy, max_tokens=max_tokens, tokenizer=tokenizer).chunked.chunks


def audit(
    *paths: str | Path,
    policy: str | Policy = DEFAULT_POLICY,
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER,
    name: str | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
) -> AuditReport:
    """Say what a chunker that drops small sections would lose in files and folders, and what became of every word.

    Args:
        paths: Folders and files.
        policy: A name or a `Policy`.
        tokenizer: Whose tokens count.
        name: Name of the root instead of the folder's own; for one path only.
        include: Patterns of files to look at.
        exclude: Patterns of files and folders to leave out.
        max_bytes: Larger files are skipped with a reason.
        progress: Told how it goes on.

    Raises:
        UsageError: A path that cannot be used.
        ConfigError: The policy or tokenizer cannot be used.
    """
    return audit_files(
        _paths(paths),
        policy=_policy(policy),
        tokenizer=_tokenizer(tokenizer),
        rules=FileRules(include=_texts(include), exclude=_texts(exclude), max_bytes=max_bytes),
        name=name,
        progress=progress,
    )


def _paths(paths: Sequence[str | Path]) -> list[Path]:
    """Return paths; an empty text is none (``Path("")`` would be the working directory, whole)."""
    if "" in paths:
        raise UsageError("A path is empty. Write . for the working directory.")
    return [Path(p) for p in paths]


def _texts(values: str | Sequence[str]) -> tuple[str, ...]:
    """Return texts; one alone may be given as it is, and is not taken apart into its characters."""
    return (values,) if isinstance(values, str) else tuple(values)


def _policy(policy: str | Policy) -> Policy:
    from withgrain.chunk import policy as named

    return named(policy) if isinstance(policy, str) else policy


def _tokenizer(tokenizer: str | Tokenizer) -> Tokenizer:
    from withgrain.tokens import load_tokenizer

    return load_tokenizer(tokenizer) if isinstance(tokenizer, str) else tokenizer


def _content(
    snapshot: Snapshot,
    id: str,
    kind: Literal["chunk", "section", "document"],
    records: Sequence[ChunkRecord],
    document: DocumentRecord | None = None,
) -> Content:
    document = document or snapshot.document(records[0].chunk.doc_id)
    if document is None:
        raise UsageError(f'The document of "{id}" is no longer in the collection. Search again.')
    chunks = tuple(r.chunk for r in records)
    spans = [c.span for c in chunks if c.span is not None]
    span = Span(start=min(s.start for s in spans), end=max(s.end for s in spans)) if spans else None
    if kind == "document":
        span = Span(start=0, end=len(document.text))
    text = chunks[0].display_text if kind == "chunk" else span.of(document.text) if span else ""
    return Content(
        id=id,
        kind=kind,
        text=text,
        span=span,
        chunks=chunks,
        citation=_citation(kind, records, document),
        modified=document.modified,
        stale=document.stale,
    )


def _citation(kind: str, records: Sequence[ChunkRecord], document: DocumentRecord) -> Citation:
    from withgrain.search.citation import cite, deep_link

    url = document.meta.get("url")
    url = url if isinstance(url, str) else None
    if kind == "document" or not records:
        return Citation(
            document=document.path, title=document.title, url=url, link=deep_link(document.path, None, None)
        )
    first = cite(records[0], {}, url=url)
    ends = [r.chunk.lines for r in records if r.chunk.lines is not None]
    if kind == "chunk" or first.lines is None or not ends:
        return first
    lines = (ends[0][0], max(last for _, last in ends))
    return replace(first, lines=lines, link=deep_link(document.path, lines, first.page))
