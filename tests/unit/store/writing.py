"""A process that commits rounds of documents until it is killed: the victim of the crash tests.

Started as ``python writing.py DIRECTORY ACKNOWLEDGED``. It loads the engine once; for every line on its standard input
it forks a child that writes rounds, and prints the child's pid. After each commit the child appends the round to the
file ``ACKNOWLEDGED``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from withgrain.model import Bundle, Change
from withgrain.store import open_store
from withgrain.testing.records import bundle, contract

#: Documents that every round replaces; each round also adds one that stays.
REPLACED = 3


def round_of(number: int) -> list[Bundle]:
    """Return what round ``number`` (from 1) commits."""
    shared = [bundle(f"shared/{n}.md", [f"round {number}", "the same", f"w{number}"]) for n in range(REPLACED)]
    return [*shared, bundle(f"added/{number:05d}.md", [f"round {number}"])]


def after(number: int) -> list[Bundle]:
    """Return the whole state after round ``number``: at most the last 20 added documents are kept."""
    kept = range(max(1, number - 19), number + 1)
    return [*round_of(number)[:REPLACED], *(round_of(n)[REPLACED] for n in kept)] if number else []


def last_round(documents: dict[str, Bundle]) -> int:
    """Return the round that a state shows; 0 for an empty one."""
    numbers = [int(b.document.path[6:11]) for b in documents.values() if b.document.path.startswith("added/")]
    return max(numbers, default=0)


def write(directory: Path, acknowledged: Path, start: int) -> None:
    """Commit rounds from ``start`` on, for ever."""
    with open_store(directory).writer(contract()) as writer, acknowledged.open("a") as log:
        number = start
        while True:
            gone = [round_of(number - 20)[REPLACED].document.id] if number > 20 else []
            writer.commit(Change(upsert=tuple(round_of(number)), delete=tuple(gone)))
            log.write(f"{number}\n")
            log.flush()
            if number % 3 == 0:
                writer.finish()
            number += 1


def main() -> None:
    """See the module."""
    import lancedb  # noqa: F401  # once, for all children

    directory, acknowledged = Path(sys.argv[1]), Path(sys.argv[2])
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            write(directory, acknowledged, int(line))
        print(child, flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
