"""Notice when files have changed, and wait until they stay as they are. By looking: it works on every file system."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from withgrain.errors import UsageError
from withgrain.ingest.discover import discover
from withgrain.ingest.roots import resolve_roots
from withgrain.ingest.settings import FileRules

#: Seconds between two looks, and how long nothing must have changed before it counts.
INTERVAL = 1.0
QUIET = 0.5

#: Of the time, at most this share goes into looking.
SHARE = 0.1

#: What a look sees of each file: uri, size and time of its last change.
Look = tuple[tuple[str, int, int], ...]


def look(paths: Sequence[Path], rules: FileRules, name: str | None = None) -> Look:
    """Return what there is to see of the files of some paths; nothing of paths that are not there."""
    try:
        found = discover(resolve_roots(paths, name=name, collection=rules.collection), rules)
    except UsageError:
        return ()
    return tuple((file.uri, file.size, file.changed) for file in found.files)


def changes(
    see: Callable[[], Look],
    *,
    interval: float = INTERVAL,
    quiet: float = QUIET,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Yield at once, and then whenever something has changed and stayed as it is for a moment; without an end.

    What changes while the caller works on it is noticed afterwards.

    Args:
        see: Looks at the files.
        interval: Seconds between two looks; more when a look takes long.
        quiet: Seconds that a change must be old.
        sleep: Waits.
    """
    known: Look | None = None
    while True:
        started = time.monotonic()
        seen = see()
        cost = time.monotonic() - started
        if seen == known:
            sleep(max(interval, cost / SHARE))
            continue
        if known is not None:
            sleep(quiet)
            again = see()
            while again != seen:
                seen = again
                sleep(quiet)
                again = see()
        known = seen
        yield
