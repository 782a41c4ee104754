"""A collection on a file system of a few megabytes that is full: ``python -m tests.unit.store.filling DIRECTORY``.

The directory must be a small file system of its own (`test_full_disk.py` mounts one). Over and over, everything but a
few kilobytes is taken away, a step is tried, and the space given back: the step ends with our own error or is done, and
what was committed before is there either way.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from withgrain.errors import Unavailable
from withgrain.model import Bundle, Change
from withgrain.store.lance import LanceStore
from withgrain.store.verify import verify
from withgrain.testing.plain_reading import assert_state
from withgrain.testing.records import bundle, bundles, contract

#: Kilobytes that are left free.
LEFT = (0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192)


def fill(folder: Path, left: int) -> Path:
    """Write a file until only ``left`` kilobytes are free; return it."""
    file = folder / "filler"
    with file.open("wb", buffering=0) as out:
        block = bytes(1 << 16)
        while block:
            try:
                out.write(block)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                block = block[: len(block) // 2]
        os.ftruncate(out.fileno(), max(0, out.tell() - left * 1024))
    return file


def tried(folder: Path, left: int, step: Callable[[], object]) -> bool:
    """Try a step on the full file system; return whether it was done. Any error but `Unavailable` goes through."""
    filler = fill(folder, left)
    try:
        step()
    except Unavailable as error:
        assert "no space left" in str(error), error
        assert error.exit_code == 5
        return False
    finally:
        filler.unlink()
    return True


def main(folder: Path) -> None:
    """See the module."""
    store = LanceStore(folder / "collection")
    done = refused = 0
    wanted: dict[str, Bundle] = {b.document.id: b for b in bundles(6)}
    with store.writer(contract()) as writer:
        writer.commit(Change(upsert=tuple(wanted.values())))
        writer.finish()
    for number, left in enumerate(LEFT):
        new = bundle("edited.md", [f"round {number} {word}" for word in "abcdefgh"])
        for step, change in (
            (lambda new=new: _commit(store, new), {new.document.id: new}),
            (store.compact, {}),
            (lambda: store.restore(store.history()[-1].version), {}),
        ):
            if tried(folder, left, step):  # type: ignore[arg-type]
                wanted |= change
                done += 1
            else:
                refused += 1
            assert_state(store.snapshot(), list(wanted.values()))
    problems = [p for p in verify(folder / "collection").problems if p.kind not in ("stale_contract", "vector_wrong")]
    problems = [p for p in problems if p.kind not in ("vector_missing", "span")]  # made-up records are not consistent
    assert not problems, problems
    print(f"{done} steps done, {refused} refused")
    assert done and refused


def _commit(store: LanceStore, new: Bundle) -> None:
    with store.writer(contract()) as writer:
        writer.commit(Change(upsert=(new,)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
