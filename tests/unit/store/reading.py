"""One writer and some readers, each a process: ``python -m tests.unit.store.reading SECONDS READERS``.

The writer replaces the same documents round by round, deletes and adds others, compacts and indexes. Every reader opens
the newest state again and again, and also holds one for a while. What they must never see: an error, a document without
all its chunks and leaves, two rounds in one state, an answer of a search that does not belong to the state.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from withgrain.model import Bundle, Change
from withgrain.store import compact, open_store
from withgrain.testing.plain_reading import state
from withgrain.testing.records import bundle, contract
from withgrain.types import Snapshot

DOCUMENTS, CHUNKS = 6, 4


def round_of(number: int) -> list[Bundle]:
    """Return the documents of a round: each chunk names it."""
    texts = [f"round {number} part {part} w{number}" for part in range(CHUNKS)]
    return [bundle(f"shared/{n}.md", texts) for n in range(DOCUMENTS)] + [bundle(f"once/{number}.md", texts[:1])]


def write(place: Path) -> int:
    """Commit rounds until the file ``stop`` is there; return how many."""
    compact.MOST_COMMITS = 12  # a new generation every few seconds
    number = 0
    while not (place / "stop").exists():
        with open_store(place).writer(contract()) as writer:
            for _ in range(5):
                number += 1
                gone = (bundle(f"once/{number - 1}.md", []).document.id,)
                writer.commit(Change(upsert=tuple(round_of(number)), delete=gone))
            writer.finish()
    return number


def read(place: Path, seconds: float) -> tuple[int, list[str]]:
    """Look at states until the time is over; return how many, and what was wrong."""
    end, looked, wrong = 0.0, 0, list[str]()
    held: Snapshot | None = None
    while not end or time.monotonic() < end:
        try:
            snapshot = open_store(place).snapshot()
            if snapshot is None:
                time.sleep(0.05)
                continue
            end = end or time.monotonic() + seconds  # from the first state on: a process needs a while to start
            wrong += _faults(snapshot)
            looked += 1
            if held is not None and looked % 5 == 0:
                wrong += _faults(held)
            if held is None or looked % 10 == 0:
                held = snapshot
        except Exception as error:  # whatever it is, the test must tell it
            wrong.append(f"{type(error).__name__}: {error}")
    return looked, wrong


def _faults(snapshot: Snapshot) -> list[str]:
    documents = state(snapshot)
    bodies = {c.chunk.body.partition(" part")[0] for b in documents.values() for c in b.chunks}
    sizes = sorted(len(b.chunks) for b in documents.values())
    faults = []
    if len(bodies) != 1 or sizes != [1, *[CHUNKS] * DOCUMENTS]:
        faults.append(f"state {snapshot.version}: {sizes} chunks of {sorted(bodies)}")
    chunks = {c.chunk.id for b in documents.values() for c in b.chunks}
    if {leaf.chunk_id for leaf in snapshot.leaves(sorted(chunks))} != chunks:
        faults.append(f"state {snapshot.version}: chunks without leaves")
    number = next(iter(bodies), "round 0").split()[1]
    for found in (
        {i for i, _ in snapshot.lexical([f"w{number}"], None, 1000)},
        set(snapshot.phrase(["round", number], None, 1000)),
    ):
        if found != chunks:
            faults.append(f"state {snapshot.version}: a search found {len(found)} of {len(chunks)}")
    if {c for c, _, _ in snapshot.dense([1.0, 0, 0, 0], None, 1000)} - chunks:
        faults.append(f"state {snapshot.version}: a vector of another state")
    return faults


def main(seconds: float, readers: int) -> int:
    """Run all; print what they did; return 1 when anything was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "collection"
        place.mkdir()
        base = [sys.executable, "-m", "tests.unit.store.reading"]
        commands = [[*base, "write", str(place)], *([[*base, "read", str(place), str(seconds)]] * readers)]
        processes = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True) for c in commands]
        told = [process.communicate()[0].strip() for process in processes[1:]]
        (place / "stop").touch()
        said = [processes[0].communicate()[0].strip(), *told]
        codes = [process.returncode for process in processes]
    for line in said:
        print(line)
    states = sum(int(line.split()[0]) for line in said[1:])
    print(f"{readers} readers looked at {states} states; {sum(map(bool, codes))} processes saw something wrong")
    return int(any(codes))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        print(f"{write(Path(sys.argv[2]))} rounds written")
    elif sys.argv[1] == "read":
        count, faults = read(Path(sys.argv[2]), float(sys.argv[3]))
        print(f"{count} states read, {len(faults)} faults {faults[:3]}")
        sys.exit(bool(faults) or not count)
    else:
        sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
