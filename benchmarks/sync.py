"""Sync of a folder of 5,000 files: unchanged against the time of hashing them, and after one edit.

    python benchmarks/sync.py [--files 5000] [--place FOLDER]

The first ingest takes minutes; ``--place`` keeps files and collection, and measures those that are there.

CPU time is what is compared: wall time says how busy the machine is. Each figure is the least of several runs; hashing
(`hashlib.file_digest`: the same bytes, the same SHA-256) and sync take turns, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from withgrain.app import Library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--place", type=Path)
    given = parser.parse_args()
    count = given.files
    with tempfile.TemporaryDirectory() as temporary:
        place = given.place or Path(temporary)
        folder, collection = place / "docs", place / "kb"
        files = [_page(folder, number) for number in range(count)]
        first = _seconds(lambda: _sync(collection, folder), times=1)
        _sync(collection, folder)
        hashing, same = _in_turn(lambda: _hash(files), lambda: _sync(collection, folder))
        edited: list[int] = []

        def edit() -> None:
            files[len(edited)].write_text(f"# Edited\n\nNumber {time.time()}.\n")
            edited.append(1)
            _sync(collection, folder)

        one = _seconds(edit)
        print(
            json.dumps(
                {
                    "files": count,
                    "first_seconds": first,
                    "hashing_seconds": hashing,
                    "unchanged_seconds": same,
                    "unchanged_to_hashing": round(same["cpu"] / hashing["cpu"], 2),
                    "one_edit_seconds": one,
                },
                indent=2,
            )
        )


def _page(folder: Path, number: int) -> Path:
    file = folder / f"{number // 100:03}" / f"page-{number:05}.md"
    if file.is_file():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    filler = "Filler words make the file about as long as pages of a handbook are. " * 100
    file.write_text(f"# Page {number}\n\n## One\n\nReset the password of user {number * 7}.\n\n## Two\n\n{filler}\n")
    return file


def _sync(collection: Path, folder: Path) -> None:
    with Library(collection, embedder="none") as library:
        library.ingest(folder)


def _hash(files: list[Path]) -> None:
    for file in files:
        with file.open("rb") as opened:
            hashlib.file_digest(opened, "sha256")


def _in_turn(*actions: Callable[[], None], times: int = 15) -> list[dict[str, float]]:
    """Return the least seconds of each action."""
    taken: list[list[tuple[float, float]]] = [[] for _ in actions]
    for _ in range(times):
        for action, own in zip(actions, taken, strict=True):
            cpu, wall = time.process_time(), time.perf_counter()
            action()
            own.append((time.process_time() - cpu, time.perf_counter() - wall))
    return [{"cpu": round(min(c for c, _ in own), 3), "wall": round(min(w for _, w in own), 3)} for own in taken]


def _seconds(action: Callable[[], None], times: int = 7) -> dict[str, float]:
    return _in_turn(action, times=times)[0]


if __name__ == "__main__":
    main()
