"""The process that reads untrusted documents, one after the other: ``python -P -m withgrain.ingest.worker``.

It speaks in frames over its standard input and output, and ends when its input does. Whatever a document
does to it, it does to this process only; see `withgrain.ingest.process` for the other side.
"""

from __future__ import annotations

import gc
import os
import signal
import struct
import sys
from pathlib import Path
from typing import BinaryIO

from withgrain.errors import DocumentError, WithgrainError
from withgrain.ingest.archives import Shelf
from withgrain.ingest.explaining import explain
from withgrain.ingest.limits import confine, renew
from withgrain.ingest.order import GROWN, OUT_OF_MEMORY, Failure, Hello, Order, Ready, Task
from withgrain.ingest.prepare import Recipe, SourceFacts, WordsLost, prepare
from withgrain.ingest.reading import read_file
from withgrain.ingest.records import Placement
from withgrain.ingest.wire import pack, unpack

#: In front of every frame: what it is, and its length.
HEADER = struct.Struct("<cQ")
RESULT, FAILURE, MESSAGE = b"r", b"f", b"m"

#: Objects made before the collector of cyclic garbage looks: a document is many that live on, and hardly a cycle.
GARBAGE = 50_000


def main() -> None:
    """Serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    incoming, outgoing = _own_streams()
    hello = unpack(Hello, _receive(incoming))
    recipe = _recipe(incoming) if hello.orders else None
    confine()
    _send(outgoing, MESSAGE, pack(Ready(cuts=recipe is not None)))
    _silence()
    gc.freeze()  # what the libraries hold is never garbage
    gc.set_threshold(GARBAGE)
    shelf = Shelf()
    while True:
        task = unpack(Task, _receive(incoming))
        data = _receive(incoming) if task.file is None else None
        renew(task.limits)
        try:
            kind, reply = RESULT, _work(task, data, recipe, shelf)
        except MemoryError:
            message = f"it needs more than the {task.limits.memory >> 20:,} MB of memory that one document may take"
            _send(outgoing, FAILURE, pack(Failure(message=message, kind="too_large")))
            sys.exit(OUT_OF_MEMORY)
        except Exception as error:
            kind, reply = FAILURE, pack(_failure(error, task.uri))
        _send(outgoing, kind, reply)
        if _size() > GROWN:
            return


def _work(task: Task, data: bytes | None, recipe: Recipe | None, shelf: Shelf) -> bytes:
    if task.lists:
        return pack(shelf.list(task.file or "", task.max_bytes, _readable()))
    modified = task.modified
    if data is None:
        file = task.file or ""
        inside = task.inside
        content = shelf.read(file, inside, task.max_bytes) if inside else read_file(Path(file), task.max_bytes)
        data, modified = content.data, content.modified
    if task.cut and recipe is not None:
        return pack(prepare(data, SourceFacts(root=task.root, uri=task.uri, modified=modified), recipe))
    from withgrain.parse import parse

    return pack(parse(data, uri=task.uri, root=task.root, media_type=task.media_type, modified=modified))


def _readable() -> tuple[str, ...]:
    """Return the endings and whole names of the files that some format reads."""
    from withgrain.parse import formats

    return tuple(name for entry in formats() for name in (*entry.suffixes, *entry.names))


def _failure(error: Exception, uri: str) -> Failure:
    kind = error.kind if isinstance(error, WithgrainError) else DocumentError.kind
    return Failure(message=explain(error, uri), kind=kind, words=error.words if isinstance(error, WordsLost) else 0)


def _recipe(incoming: BinaryIO) -> Recipe | None:
    """Make the recipe from the order and policy that follow; None when a tokenizer cannot be found here."""
    from withgrain.chunk import Policy

    order, policy = unpack(Order, _receive(incoming)), unpack(Policy, _receive(incoming))
    tokenizer = order.tokenizer.load()
    leaf_tokenizer = order.leaf_tokenizer.load() if order.leaf_tokenizer else None
    if tokenizer is None or (order.leaf_tokenizer and leaf_tokenizer is None):
        return None
    return Recipe(
        policy=policy,
        tokenizer=tokenizer,
        placement=Placement.of(
            order.labels,
            order.label_rules,
            order.domains,
            order.classes,
            contract=order.contract,
            version=order.version,
            front_matter=order.front_matter_labels,
        ),
        leaf_tokenizer=leaf_tokenizer,
        window=order.window,
    )


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take the two pipes away from everybody else: what a library prints must not look like an answer of ours."""
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")


def _silence() -> None:
    """Errors were for the start; what libraries say about documents from here on is for nobody."""
    os.dup2(1, 2)


def _receive(stream: BinaryIO) -> bytes:
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        sys.exit(0)  # the parent has no more work, or is gone
    _, size = HEADER.unpack(header)
    data = stream.read(size)
    if len(data) < size:
        sys.exit(0)
    return data


def _send(stream: BinaryIO, kind: bytes, data: bytes) -> None:
    try:
        stream.write(HEADER.pack(kind, len(data)))
        stream.write(data)
        stream.flush()
    except OSError:
        os._exit(0)  # the parent is gone


def _size() -> int:
    """Return the bytes of memory that this process holds now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


if __name__ == "__main__":
    main()
