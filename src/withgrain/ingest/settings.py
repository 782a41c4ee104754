"""What an ingest needs to know beside the paths: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from withgrain.errors import UsageError
from withgrain.ingest.limits import Limits
from withgrain.types import Embedder, Progress, Tokenizer

if TYPE_CHECKING:
    from withgrain.chunk import Policy

#: Files larger than this are skipped with a reason: 64 MB.
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRules:
    """Which files of a folder belong to it.

    Attributes:
        include: Patterns in the syntax of ``.gitignore``, relative to the folder; when given, only files that one of
            them matches are looked at, and only their documents can be deleted.
        exclude: Patterns of files and folders to leave out, as if ``.withgrainignore`` held them.
        max_bytes: Larger files are skipped with a reason.
        collection: The collection's own directory: never read.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES
    collection: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a limit that would skip everything."""
        if self.max_bytes < 1:
            raise UsageError(f"The size limit must be at least 1 byte, not {self.max_bytes}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """How to read, cut, embed and commit.

    Attributes:
        policy: How to cut.
        tokenizer: Whose tokens the budgets count.
        embedder: Makes the vectors; None for a lexical collection.
        topic_embedder: Embeds sentences for a policy that cuts at topics where ``embedder`` is None: for comparing
            policies by words only. The chunks then depend on it, and the contract does not name it.
        cache: File that keeps vectors by exact text, made when it is first needed; None embeds every leaf of a
            changed document again.
        rules: Which files belong to a folder.
        name: Name of the root, instead of the folder's own; for one path only.
        labels: ``key=value`` labels that every document of this run gets.
        label_rules: (pattern, label): documents whose path matches the pattern get the label, too; all matches count.
        front_matter_labels: Whether values of front matter become labels, too, where no label and no rule of the run
            has their key.
        domains: (pattern, domain): documents whose path matches the pattern, in the syntax of ``.gitignore``, belong
            to the domain, unless their front matter names another; the first match counts.
        classes: (pattern, class): documents whose path matches the pattern are of the class; the first match counts.
        force: Delete documents even when suspiciously many files vanished.
        dry_run: Say what would be done, and write nothing.
        group_documents: Commit at the latest after this many documents.
        group_leaves: Commit at the latest after this many leaves.
        patience: Seconds that the words of a group of new documents may wait for its vectors; with a slower model
            the vectors follow when all words are committed. 0 never waits.
        lazy: Store words only; vectors that are known already are taken, the others are made when a question needs them
            or when an ingest without this comes.
        eager_chunks: A collection with more chunks than this is treated as ``lazy``; None has no such limit.
        progress: Told how it goes on.
        tokenizer_spec: What ``tokenizer`` was loaded from, so that other processes can load it, too.
        workers: Processes that read and cut; None for as many as there are processors, and none of them for a few
            small texts. What comes out does not depend on it.
        limits: What reading and cutting one document may cost.
    """

    policy: Policy
    tokenizer: Tokenizer
    embedder: Embedder | None = None
    topic_embedder: Embedder | None = None
    cache: Path | None = None
    rules: FileRules = FileRules()
    name: str | None = None
    labels: tuple[str, ...] = ()
    label_rules: tuple[tuple[str, str], ...] = ()
    front_matter_labels: bool = True
    domains: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    force: bool = False
    dry_run: bool = False
    group_documents: int = 32
    group_leaves: int = 2_000
    patience: float = 2.0
    lazy: bool = False
    eager_chunks: int | None = None
    progress: Progress | None = None
    tokenizer_spec: str = ""
    workers: int | None = None
    limits: Limits = field(default_factory=Limits)

    def lazy_with(self, chunks: int) -> bool:
        """Return whether the vectors of a collection of so many chunks wait until a question needs them."""
        return self.lazy or (self.eager_chunks is not None and chunks > self.eager_chunks)

    def __post_init__(self) -> None:
        """Refuse labels that no filter could ask for."""
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"There must be at least 1 worker, not {self.workers}.")
        for label in (*self.labels, *(label for _, label in self.label_rules)):
            key, equals, value = label.partition("=")
            if not (key.strip() and equals and value.strip()):
                raise UsageError(f'The label "{label}" is not of the form key=value.')
