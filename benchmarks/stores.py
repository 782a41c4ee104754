"""What a collection costs on disk, in memory and in time, by its size.

    python benchmarks/collections.py                        # 10,000 chunks
    python benchmarks/collections.py 10000 100000
    python benchmarks/collections.py 1000000 --folder DIR   # some 10 GB while it compacts; on the disk of DIR

Each size is printed as it is done, as one line of JSON, and what it does meanwhile on stderr.

Chunks with given vectors (384 numbers, one leaf each, 120 terms of a vocabulary of 50,000 with Zipf's frequencies) are
committed in groups as `ingest` commits them, indexed, edited by 1 %, and compacted. Then a process of its own opens the
collection and asks. Times are CPU seconds of the process, since wall time says how busy the machine is; making the data
is not counted. What is held in memory does not grow with the size: one group of documents, and what the store holds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from withgrain.model import Bundle, Change, Chunk, ChunkRecord, Contract, DocumentRecord, LeafRecord, Span
from withgrain.store.lance import LanceStore
from withgrain.types import Writer

DIMS, TERMS, CHUNKS, GROUP = 384, 120, 20, 64
CONTRACT = Contract(
    parser="1",
    chunker="1",
    policy="given@1",
    tokenizer="words@1",
    detectors="1",
    embedder="given@1",
    dims=DIMS,
    normalised=True,
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.ask:
        print(json.dumps(ask(options.ask)))
        return 0
    for size in options.sizes:
        row = measure(size, options.folder)
        print(json.dumps({name: float(f"{value:.4g}") for name, value in row.items()}), flush=True)
    return 0


def measure(size: int, folder: Path | None) -> dict[str, float]:
    """Fill a collection of so many chunks and return what it costs."""
    import lancedb  # noqa: F401  # not measured here

    found: dict[str, float] = {"chunks": size}
    with tempfile.TemporaryDirectory(dir=folder) as place:
        store = LanceStore(Path(place) / "collection")
        documents = max(1, size // CHUNKS)
        with store.writer(CONTRACT) as writer:
            commit_all(writer, range(documents), found, "commit", seed=0)
            with timed(found, "index"):
                writer.finish()
            found["bytes a chunk"] = size_of(Path(place)) / size
            commit_all(writer, range(0, documents, 100), found, "edit 1 %", seed=1)
            with timed(found, "finish"):
                writer.finish()
            found["bytes a chunk after editing"] = size_of(Path(place)) / size
        with timed(found, "compact"):
            store.compact(history=False)
        found["bytes a chunk after compaction"] = size_of(Path(place)) / size
        found["commit, chunks a CPU second"] = size / found["commit"]
        found["writer, MB at most"] = peak_megabytes()
        command = [sys.executable, __file__, "--ask", str(Path(place) / "collection")]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        found |= json.loads(run.stdout)
    return found


def commit_all(writer: Writer, numbers: range, found: dict[str, float], name: str, *, seed: int) -> None:
    """Commit documents in groups; add the CPU seconds of the commits, and say every tenth how far it is."""
    done, step = 0, max(1, len(numbers) // 10)
    for group in groups(numbers, seed=seed):
        change = Change(upsert=tuple(group))
        with timed(found, name):
            writer.commit(change)
        if done // step != (done + len(group)) // step:
            told = f"{(done + len(group)) * CHUNKS:,} of {len(numbers) * CHUNKS:,} chunks"
            print(f"{name}: {told}, {found[name]:.1f} s, {peak_megabytes():.0f} MB", file=sys.stderr, flush=True)
        done += len(group)


def ask(place: Path) -> dict[str, float]:
    """Open a collection and ask; the first question of a process loads what later ones use."""
    from withgrain.store.light import light_engine

    found: dict[str, float] = {}
    light_engine()
    with timed(found, "load the engine"):
        import lancedb  # noqa: F401
    with timed(found, "open"):
        snapshot = LanceStore(place).snapshot()
    assert snapshot is not None
    words = [f"w{n}" for n in (5, 50, 500, 5_000, 30_000)]
    vector = np.random.default_rng(9).standard_normal(DIMS).tolist()
    for turn in ("first", "second"):
        with timed(found, f"lexical, {turn}"):
            ids = [i for i, _ in snapshot.lexical(words, None, 300)]
        with timed(found, f"statistics, {turn}"):
            snapshot.statistics(words, None)
        with timed(found, f"candidates of 300, {turn}"):
            snapshot.candidates(ids, words)
        with timed(found, f"10 chunks, {turn}"):
            snapshot.chunks(ids=ids[:10])
        with timed(found, f"dense, {turn}"):
            snapshot.dense(vector, None, 300)
    found["reader, MB at most"] = peak_megabytes()
    return found


@contextmanager
def timed(found: dict[str, float], name: str) -> Iterator[None]:
    """Add the CPU seconds of the block."""
    start = time.process_time()
    yield
    found[name] = found.get(name, 0.0) + time.process_time() - start


def groups(numbers: range, *, seed: int) -> Iterator[list[Bundle]]:
    """Yield documents in groups; deterministic."""
    random = np.random.default_rng(seed)
    for start in range(0, len(numbers), GROUP):
        yield [document(number, random) for number in numbers[start : start + GROUP]]


def document(number: int, random: Any) -> Bundle:
    """Return a document of `CHUNKS` chunks with one leaf each."""
    doc_id = f"{number:032x}"
    ranks = np.minimum(random.zipf(1.2, size=(CHUNKS, TERMS)), 50_000)
    texts = [" ".join(f"w{n}" for n in row) for row in ranks.tolist()]
    vectors = random.standard_normal((CHUNKS, DIMS))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    path, start, chunks, leaves = f"docs/{number:07d}.md", 0, [], []
    for ordinal, (text, vector) in enumerate(zip(texts, vectors.tolist(), strict=True)):
        span = Span(start=start, end=start + len(text))
        start = span.end + 1
        chunk_id = f"{number * CHUNKS + ordinal:024x}{int(random.integers(1 << 32)):08x}"
        chunk = Chunk(
            id=chunk_id,
            doc_id=doc_id,
            ordinal=ordinal,
            total=CHUNKS,
            span=span,
            body=text,
            title=f"Document {number}",
            heading_path=("Guide", f"Section {ordinal}"),
            parent_id=f"{number:030x}{ordinal:02x}",
        )
        chunks.append(ChunkRecord(chunk=chunk, path=path, root="docs", doc_class="generic", terms=text))
        leaf_id = chunk_id[::-1]
        leaves.append(
            LeafRecord(id=leaf_id, chunk_id=chunk_id, doc_id=doc_id, span=span, vector=tuple(vector), tokens=TERMS)
        )
    record = DocumentRecord(
        id=doc_id,
        root="docs",
        uri=f"docs/{path}",
        path=path,
        title=f"Document {number}",
        sha256=doc_id * 2,
        modified=None,
        media_type="text/markdown",
        doc_class="generic",
        chunks=CHUNKS,
        text="\n".join(texts),
    )
    return Bundle(document=record, chunks=tuple(chunks), leaves=tuple(leaves))


def peak_megabytes() -> float:
    """Return the largest size of this process so far; what ``getrusage`` says of a child includes its parent."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) / 1024


def size_of(folder: Path) -> int:
    """Return the bytes of all files."""
    return sum((Path(place) / name).stat().st_size for place, _, names in os.walk(folder) for name in names)


if __name__ == "__main__":
    sys.exit(main())
