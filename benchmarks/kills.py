"""Kill an ingest with SIGKILL at many points; look at what is left, and sync again.

    python benchmarks/kills.py FOLDER [--documents 300] [--points 100] [--seconds 3600]

A point is a moment at which the process touches the disk for good: it flushes or renames a file, writes rows, or has
just committed. The points are spread evenly over all such moments of one uninterrupted ingest, every second one with
the words of all documents committed before their vectors, and tried in a mixed order, so that a run that its time ends
has seen all of them in part. The documents are parsed and cut once, by workers, and every ingest takes that answer:
what comes before the first write is the same work each time and leaves nothing. After each kill:

- every document that was reported as committed is there, whole, and equal to what an uninterrupted ingest stores;
- no chunk and no leaf is there twice;
- the next sync ends in exactly the content of the uninterrupted ingest.

Vectors come from `withgrain.testing`. Children are forked from a process that has only imported what they need: that is
half of what one costs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy  # noqa: F401
import pyarrow  # noqa: F401

import withgrain.embed
import withgrain.ingest.run
import withgrain.store.compact
import withgrain.store.writer
from withgrain.chunk import policy
from withgrain.ingest import FileRules, IngestSettings, ingest
from withgrain.model import Change, CommitResult
from withgrain.store import open_store
from withgrain.store.light import light_engine
from withgrain.store.memory import MemoryStore
from withgrain.store.rows import CHUNK_COLUMNS, DOCUMENT_COLUMNS, LEAF_COLUMNS
from withgrain.store.writer import LanceWriter
from withgrain.testing.embedders import HashEmbedder
from withgrain.tokens import words

TEXTS = (".md", ".txt")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3600, help="begin no point later than this")
    parser.add_argument("--jobs", type=int, default=2, help="points at the same time")
    given = parser.parse_args()
    light_engine()
    warnings.filterwarnings("ignore", message="lancedb fork support")
    import lancedb  # noqa: F401  # once for all children; this process never uses it

    with tempfile.TemporaryDirectory() as place:
        folder = _copy(given.folder, Path(place) / "docs", given.documents)
        report = prove(folder, Path(place), given.points, given.seconds, given.jobs)
    print(json.dumps(report, indent=2))
    return 1 if report["problems"] else 0


def prove(folder: Path, place: Path, points: int, seconds: float, jobs: int) -> dict[str, Any]:
    """Kill at ``points`` moments and say what was found."""
    started = time.monotonic()
    _cut_once(folder)
    problems: list[str] = []
    references, moments = {}, {}
    for patience in (60.0, 0.0):
        _forked(lambda p=patience: _sync(folder, place / f"ref-{p}", place / f"ref-{p}.log", patience=p))
        moments[patience] = len((place / f"ref-{patience}.log").read_text().splitlines())
        references[patience] = _content_of(place / f"ref-{patience}")
    if references[60.0] != references[0.0]:
        problems.append("late vectors make another content")
    kinds: Counter[str] = Counter()
    numbers = iter(random.Random(0).sample(range(points), points))
    running: dict[int, Path] = {}
    done = 0
    while True:
        while (
            len(running) < jobs and time.monotonic() - started < seconds and (number := next(numbers, None)) is not None
        ):
            patience = 0.0 if number % 2 else 60.0
            at, result = 1 + number * moments[patience] // points, place / f"point-{number}.json"
            running[_begun(lambda n=at, r=result, p=patience: _point(folder, n, r, p, references[60.0]))] = result
        if not running:
            break
        child, _ = os.wait()
        result = running.pop(child)
        found = json.loads(result.read_text()) if result.exists() else {"at": "lost", "problems": [result.stem]}
        kinds[found["at"]] += 1
        problems += found["problems"]
        done += 1
        print(f"{done} of {points}, {len(problems)} problems", file=sys.stderr, flush=True)
    return {
        "documents": len(references[60.0]["documents"]),
        "chunks": references[60.0]["chunks"],
        "moments": sum(moments.values()),
        "points": done,
        "killed_at": dict(sorted(kinds.items())),
        "problems": problems,
        "seconds": round(time.monotonic() - started, 1),
    }


def _point(folder: Path, at: int, result: Path, patience: float, reference: dict[str, Any]) -> None:
    """Kill one ingest, look at what it left, sync again, and write what was found."""
    collection, log = result.with_suffix(".kb"), result.with_suffix(".log")
    code = _forked(lambda: _sync(folder, collection, log, kill_at=at, patience=patience))
    lines = log.read_text().splitlines() if log.exists() else []
    acknowledged = {uri for line in lines if line.startswith("acknowledged ") for uri in json.loads(line[13:])}
    left, after = _left_and_after(folder, collection, patience)
    problems = [f"point {at}: {p}" for p in _wrong(left, acknowledged, reference)]
    if code != -signal.SIGKILL:
        problems.append(f"point {at}: ended with {code}, not killed")
    if after != reference:
        problems.append(f"point {at}: the next sync ends in another content")
    shutil.rmtree(collection)
    result.write_text(json.dumps({"at": lines[-1].split(" ")[0] if lines else "start", "problems": problems}))


def _copy(source: Path, folder: Path, most: int) -> Path:
    """Copy the smallest documents: many of them, not much to cut."""
    files = sorted((f for f in source.rglob("*") if f.suffix in TEXTS and f.is_file()), key=lambda f: f.stat().st_size)
    for file in files[:most]:
        target = folder / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return folder


def _cut_once(folder: Path) -> None:
    """Parse and cut the documents, and let every ingest of this process and its children take that."""
    made: dict[str, Any] = {}
    original = withgrain.ingest.run.prepare_all

    def kept(work: Any, recipe: Any, settings: Any) -> Iterator[tuple[Any, Any]]:
        for action, outcome in original(work, recipe, settings):
            made[action.uri] = outcome
            yield action, outcome

    withgrain.ingest.run.prepare_all = kept
    ingest(MemoryStore(), [folder], _settings(folder))
    withgrain.ingest.run.prepare_all = lambda work, recipe, settings: ((a, made[a.uri]) for a in work)


def _settings(folder: Path, collection: Path | None = None, patience: float = 60.0) -> IngestSettings:
    groups = max(4, sum(file.is_file() for file in folder.rglob("*")) // 10)  # ten commits, whatever there is
    return IngestSettings(
        policy=policy("structure_aware"),
        tokenizer=words(),
        embedder=HashEmbedder(dims=16),
        cache=collection / "embeddings.sqlite" if collection is not None else None,
        rules=FileRules(collection=collection),
        group_documents=groups,
        patience=patience,
    )


def _sync(folder: Path, collection: Path, log: Path, *, kill_at: int = 0, patience: float = 60.0) -> None:
    with log.open("w", buffering=1) as written, _watched(written.write, kill_at):
        ingest(open_store(collection), [folder], _settings(folder, collection, patience))


@contextmanager
def _watched(write: Callable[[str], object], kill_at: int) -> Iterator[None]:
    """Write a line at every moment, and kill this process at one of them."""
    seen, one_at_a_time = 0, Lock()  # files are flushed by several threads

    def moment(name: str) -> None:
        nonlocal seen
        with one_at_a_time:
            seen += 1
            write(f"{name}\n")
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    def told(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def wrapper(*args: Any, **named: Any) -> Any:
            moment(name)
            return original(*args, **named)

        setattr(owner, name, wrapper)

    for owner, name in ((os, "fsync"), (os, "replace"), (os, "rename"), (LanceWriter, "_apply")):
        told(owner, name)
    told(withgrain.embed.EmbeddingCache, "put_many")
    commit = LanceWriter.commit

    def acknowledged(self: LanceWriter, change: Change) -> CommitResult:
        moment("commit")
        result = commit(self, change)
        moment("acknowledged " + json.dumps([b.document.uri for b in change.upsert]))
        return result

    LanceWriter.commit = acknowledged  # type: ignore[method-assign]
    yield


def _forked(work: Callable[[], None]) -> int:
    """Do something in a child; return how it ended."""
    return os.waitstatus_to_exitcode(os.waitpid(_begun(work), 0)[1])


def _begun(work: Callable[[], None]) -> int:
    """Begin something in a child; return its process id."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def _content_of(collection: Path) -> dict[str, Any]:
    """Return the content of a collection, read in a child."""
    result = collection.with_name(collection.name + ".json")
    if _forked(lambda: result.write_text(json.dumps(_read(collection)))):
        return {"error": "the collection cannot be read"}
    content: dict[str, Any] = json.loads(result.read_text())
    return content


def _left_and_after(folder: Path, collection: Path, patience: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the content that a killed ingest left, and that after another sync."""
    result = collection.with_name(collection.name + ".json")

    def look() -> None:
        left = _read(collection)
        _sync(folder, collection, collection.with_suffix(".again"), patience=patience)
        result.write_text(json.dumps([left, _read(collection)]))

    if _forked(look):
        return {"error": "what was left cannot be read, or not be synced"}, {}
    left, after = json.loads(result.read_text())
    return left, after


def _read(collection: Path) -> dict[str, Any]:
    """Return the content of a collection: a hash of each document with all its rows, and counts."""
    snapshot = open_store(collection).snapshot()
    if snapshot is None:
        return {"documents": {}, "chunks": 0, "doubles": 0, "pending": 0}
    reader = snapshot._reader
    tables = [
        reader.select(name, columns, None).to_pylist()
        for name, columns in (
            ("documents", ("doc_id", *DOCUMENT_COLUMNS)),
            ("chunks", CHUNK_COLUMNS),
            ("leaves", LEAF_COLUMNS),
        )
    ]
    rows: dict[str, list[str]] = {}
    for table in tables:
        for row in table:
            rows.setdefault(row["doc_id"], []).append(repr(sorted(row.items())))
    counts = Counter(row["doc_id"] for row in tables[1])
    documents = {
        d.uri: hashlib.sha256("\n".join(sorted(rows.pop(d.id))).encode()).hexdigest()
        if counts[d.id] == d.chunks
        else f"{counts[d.id]} chunks"
        for d in snapshot.documents()
    }
    ids = [[row[key] for row in table] for table, key in zip(tables, ("doc_id", "chunk_id", "leaf_id"), strict=True)]
    doubles = len(rows) + sum(len(some) - len(set(some)) for some in ids)
    pending = sum(row["vector"] is None for row in tables[2])
    return {"documents": documents, "chunks": len(tables[1]), "doubles": doubles, "pending": pending}


def _wrong(content: dict[str, Any], acknowledged: set[str], reference: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with what a killed ingest left."""
    if "error" in content:
        yield content["error"]
        return
    if content["doubles"]:
        yield f"{content['doubles']} rows without a document, or twice"
    if lost := acknowledged - set(content["documents"]):
        yield f"{len(lost)} committed documents are lost"
    for uri, hashed in content["documents"].items():
        if not content["pending"] and hashed != reference["documents"].get(uri):
            yield f"{uri} is not what an uninterrupted ingest stores: {hashed}"


if __name__ == "__main__":
    sys.exit(main())
