"""One untrusted document, read in a process of its own, for whoever wants no run of workers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from withgrain.errors import ConfigError, DocumentError, MissingExtra
from withgrain.ingest.archives import Listing
from withgrain.ingest.limits import Limits
from withgrain.ingest.order import Task
from withgrain.ingest.process import Worker
from withgrain.model import Document


def isolated_parse(
    data: bytes,
    *,
    uri: str,
    root: str = "",
    media_type: str | None = None,
    modified: str | None = None,
    limits: Limits | None = None,
    worker: Worker | None = None,
) -> Document:
    """Parse bytes as `withgrain.parse.parse` does, in a process of their own.

    Args:
        data: The bytes.
        uri: Root and path, or another name.
        root: Name of the root.
        media_type: Overrides what the name in ``uri`` says.
        modified: Modification time as an ISO 8601 UTC string.
        limits: What it may cost.
        worker: Does it, and lives on for the next document; one is started for this document alone when None.

    Raises:
        DocumentError: It cannot be parsed, or not within the limits.
        ConfigError: The libraries that the format needs are not installed; names the line to type.
        Unavailable: No process can be started.
    """
    task = Task(
        uri=uri,
        root=root,
        media_type=media_type,
        modified=modified,
        size=len(data),
        limits=limits or Limits(),
        cut=False,
    )
    return _document(task, data, worker)


def isolated_member(
    file: str, inside: Sequence[str], *, uri: str, root: str, limit: int, limits: Limits, worker: Worker
) -> Document:
    """Parse a member of an archive in a process of its own.

    Args:
        file: The archive.
        inside: Where in it.
        uri: Root and path.
        root: Name of the root.
        limit: A larger member is refused.
        limits: What it may cost.
        worker: Does it.

    Raises:
        DocumentError: It cannot be parsed, or not within the limits.
        ConfigError: The libraries that the format needs are not installed.
        Unavailable: No process can be started.
    """
    task = Task(uri=uri, root=root, file=file, inside=tuple(inside), max_bytes=limit, limits=limits, cut=False)
    return _document(task, None, worker)


def _document(task: Task, data: bytes | None, worker: Worker | None) -> Document:
    uri = task.uri
    try:
        with nullcontext(worker) if worker is not None else Worker() as used:
            found = used.do(task, data)
    except DocumentError as error:
        if error.kind == MissingExtra.kind:
            raise ConfigError(str(error), kind=error.kind) from None
        raise DocumentError(f"{uri}: {error}", kind=error.kind) from None
    if not isinstance(found, Document):
        raise DocumentError(f"{uri}: the worker answered something else than a document", kind="died")
    return found


def isolated_listing(file: str, *, limit: int, worker: Worker, limits: Limits | None = None) -> Listing:
    """List an archive in a process of its own.

    Args:
        file: The archive.
        limit: Larger members are refused.
        worker: Does it.
        limits: What it may cost.

    Raises:
        DocumentError: It cannot be read, or not within the limits.
        Unavailable: No process can be started.
    """
    found = worker.do(Task(uri=file, file=file, lists=True, cut=False, max_bytes=limit, limits=limits or Limits()))
    if not isinstance(found, Listing):
        raise DocumentError("the worker answered something else than a list", kind="died")
    return found
