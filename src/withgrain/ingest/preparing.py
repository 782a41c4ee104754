"""Where documents are read and cut: in worker processes, or here when they are a few small texts.

Starting a process costs more than reading a few pages. Our own parsers of plain text are linear and bounded, so that
little is risked by reading small ones here; everything else is read in a process of its own, however small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from withgrain.errors import DocumentError
from withgrain.ingest.discover import FoundFile
from withgrain.ingest.explaining import explain, is_fatal
from withgrain.ingest.isolated import isolated_parse
from withgrain.ingest.limits import Limits
from withgrain.ingest.order import Order, Task, name_of
from withgrain.ingest.plan import Action
from withgrain.ingest.prepare import Prepared, Recipe, SourceFacts, prepare, prepare_document
from withgrain.ingest.process import Job, Worker
from withgrain.ingest.reading import read_file
from withgrain.ingest.settings import IngestSettings
from withgrain.ingest.workers import Workers, usable_cores
from withgrain.model import Document

#: Media types that our own linear parsers of plain text read.
TEXT_TYPES = frozenset({"text/markdown", "text/mdx", "text/plain", "text/x-log"})

#: Formats of the base install that are plain text, too; large ones may not take more than other documents.
DATA_TYPES = frozenset(f"application/{name}" for name in ("json", "jsonl", "yaml", "sql", "toml")) | frozenset(
    f"text/{name}"
    for name in ("csv", "vtt", "x-ini", "x-systemd-unit", "x-nginx-conf", "x-conf", "x-java-properties", "x-dockerfile")
)

#: Up to so many bytes of plain text are read and cut sooner here than a process starts (0.7 s, at 0.8 MB a second).
HERE_BYTES = 512 * 1024

#: What is looked at to see what a file is.
HEAD = 4_096

#: One worker for so many bytes: more would not be done starting when the work is done.
BYTES_A_WORKER = 512 * 1024

Outcome = Prepared | DocumentError


def is_plain_text(name: str) -> bool:
    """Return whether the name of a file says that it is plain text, for which processes of its own are optional."""
    from withgrain.parse import media_type_for

    return media_type_for(PurePosixPath(name).name) in TEXT_TYPES


def may_be_read_here(name: str, head: bytes) -> bool:
    """Return whether a small file may be read without a process of its own: plain text by its name and first bytes."""
    from withgrain.parse import media_type_for
    from withgrain.parse.sniff import sniff

    return media_type_for(PurePosixPath(name).name) in TEXT_TYPES | DATA_TYPES and sniff(head) is None


def limits_for(name: str, size: int, limits: Limits, head: bytes = b"") -> Limits:
    """Return what a file may cost: large plain texts more than others, unless they begin like something else."""
    from withgrain.parse.sniff import sniff

    return limits.for_text(size) if is_plain_text(name) and sniff(head) is None else limits


def guarded_parse(
    data: bytes, *, uri: str, root: str = "", modified: str | None = None, worker: Worker | None = None
) -> Document:
    """Parse a single file: a plain text here, everything else in a process of its own.

    Raises:
        DocumentError: It cannot be parsed, or not within the limits.
        ConfigError: The libraries that the format needs are not installed.
        Unavailable: No process can be started.
    """
    from withgrain.parse import parse

    if may_be_read_here(uri, data[:HEAD]) and (len(data) <= HERE_BYTES or is_plain_text(uri)):
        return parse(data, uri=uri, root=root, modified=modified)
    limits = limits_for(uri, len(data), Limits(), data[:HEAD])
    return isolated_parse(data, uri=uri, root=root, modified=modified, limits=limits, worker=worker)


def prepare_all(work: Sequence[Action], recipe: Recipe, settings: IngestSettings) -> Iterator[tuple[Action, Outcome]]:
    """Yield each action with its document, ready to be committed, or with the reason why there is none; in order.

    Raises:
        Unavailable: No process can be started.
    """
    size = sum(action.file.found.size for action in work if action.file is not None)
    small = settings.workers is None and size <= HERE_BYTES
    if small and all(_is_safe(action) for action in work):
        for action in work:
            yield action, _here(action, recipe, settings.rules.max_bytes)
        return
    wanted = settings.workers or min(usable_cores(), 1 + size // BYTES_A_WORKER)
    workers = Workers(job_of(recipe, settings), min(wanted, len(work)))
    tasks = [_task(action, settings) for action in work]
    for action, found in zip(work, workers.outcomes(tasks), strict=True):
        outcome = found if isinstance(found, Prepared | DocumentError) else _cut(found, action.uri, recipe)
        yield action, outcome


def job_of(recipe: Recipe, settings: IngestSettings) -> Job:
    """Return a recipe as workers are told it."""
    leaf_tokenizer = recipe.leaf_tokenizer
    order = Order(
        tokenizer=name_of(recipe.tokenizer, settings.tokenizer_spec),
        leaf_tokenizer=name_of(leaf_tokenizer) if leaf_tokenizer is not None else None,
        window=recipe.window,
        labels=settings.labels,
        label_rules=settings.label_rules,
        domains=settings.domains,
        classes=settings.classes,
        contract=recipe.placement.contract,
        version=recipe.placement.version,
        front_matter_labels=settings.front_matter_labels,
    )
    return Job(order=order, policy=recipe.policy)


def _task(action: Action, settings: IngestSettings) -> Task:
    assert action.file is not None
    file = action.file.found
    return Task(
        uri=file.uri,
        root=file.root,
        file=str(file.file),
        inside=file.inside,
        size=file.size,
        max_bytes=settings.rules.max_bytes,
        limits=limits_for(file.uri, file.size, settings.limits, _head(file)) if not file.inside else settings.limits,
        cut=not settings.policy.topics,  # that needs the embedder, which workers do not have
    )


def _is_safe(action: Action) -> bool:
    """Return whether a file is plain text by its name and does not begin like something else."""
    assert action.file is not None
    file = action.file.found
    return not file.inside and may_be_read_here(action.uri, _head(file))


def _head(file: FoundFile) -> bytes:
    """Return the first bytes of a file; none of one that cannot be read: reading it will say why."""
    try:
        with open(file.file, "rb") as opened:  # noqa: PTH123
            return opened.read(HEAD)
    except OSError:
        return b""


def _here(action: Action, recipe: Recipe, limit: int) -> Outcome:
    """Read and cut in this process."""
    assert action.file is not None
    try:
        content = read_file(action.file.found.file, limit)
        facts = SourceFacts(root=action.file.root, uri=action.file.uri, modified=content.modified)
        return prepare(content.data, facts, recipe)
    except Exception as error:
        return _as_document_error(error, action.uri)


def _cut(document: object, uri: str, recipe: Recipe) -> Outcome:
    """Cut a document that a worker could only read: it does not have the tokenizer."""
    try:
        assert isinstance(document, Document)
        return prepare_document(document, recipe)
    except Exception as error:
        return _as_document_error(error, uri)


def _as_document_error(error: Exception, uri: str) -> DocumentError:
    if isinstance(error, DocumentError):
        return error
    if is_fatal(error):
        raise error
    return DocumentError(explain(error, uri))
