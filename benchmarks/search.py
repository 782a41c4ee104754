"""Measure how long a search takes on collections of 10k, 100k and 1M chunks, without the model.

    python -m benchmarks.search --from COLLECTION --sizes 10000,100000,1000000 [--collections DIR]

With ``--collections``, what is made is kept in ``DIR/search10000`` and so on, and what is there already is measured as
it is. From 300,000 chunks on they are made column by column, as by `benchmarks.grow` (a million takes 2 minutes of
processor time, and 7 GB), and their vectors are mapped and their index is made before the first pass, whose processor
time is told.

The chunks are those of a real collection (``--from``, for example one of ``benchmarks/retrieval.py``), repeated under
other paths until there are enough; each copy has its own ids, and its vectors are the real ones with noise (a cosine of
about .95 to the original). One leaf a chunk of three has two more, as in the original. Questions are real texts: the
first words of headings and sentences. Each is asked in hybrid with a filter (one label of four, which a quarter of the
documents has); its vector is a perturbed leaf, so the model is not part of the time.

Prints the processor time of embedding a question, then one row a size: milliseconds of the first question; p50 and p95
on the clock with and without the filter; of processor time with the filter, for questions that were not asked before,
and for each question's fastest of five passes (on a machine that does other work, too, that comes nearest to a quiet
one); p95 of 16 threads at once and their errors; the share of the ten nearest chunks by comparing every vector that the
search compares, too (with the filter, without, and for development questions of techops without, where these are
there); the memory of the process; and the processor time of `LanceSnapshot.warm` after the first question.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.grow import grow
from withgrain.embed import load_embedder
from withgrain.model import Bundle, Change, ChunkRecord, Compare, DocumentRecord, Filter, LeafRecord, sha256_hex
from withgrain.search import search
from withgrain.store import kept, open_store
from withgrain.store.snapshot import LanceSnapshot
from withgrain.types import Embedder, Snapshot, Tokenizer

LABELS = ("part=0", "part=1", "part=2", "part=3")
NOISE = 0.33
CLIENTS = 16
#: From so many chunks on a collection is made column by column, and warmed up.
LARGE = 300_000
#: Questions that are compared with every vector, and of a large collection, where one such comparison takes seconds. Of
#: those of people all are: the ten nearest of one are often copies of each other, found or missed together.
COMPARED, FEW = 40, 10
QUESTIONS = Path(__file__).resolve().parents[2] / "shared" / "eval" / "techops.dev.questions.jsonl"


class Given:
    """An embedder whose question vectors are given: the time of the model is not measured here."""

    def __init__(self, contract: str, vectors: dict[str, tuple[float, ...]], dims: int, tokenizer: Tokenizer) -> None:
        self.id, _, self.revision = contract.partition("@")
        self.vectors, self.dims, self.window, self.normalised, self.tokenizer = vectors, dims, 254, True, tokenizer

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> tuple[float, ...]:
        return self.vectors[text]


def other(id: str, copy: int) -> str:
    return sha256_hex(f"{copy}/{id}")[:32] if copy else id


def copied(bundle: Bundle, copy: int, generator: np.random.Generator) -> Bundle:
    """Return a document again under another path, with other ids and noisy vectors."""
    doc = bundle.document
    doc_id, label = other(doc.id, copy), LABELS[(copy + len(doc.path)) % 4]
    path = f"copy{copy}/{doc.path}"
    chunks = tuple(
        replace(
            c,
            path=path,
            labels=(label,),
            chunk=replace(
                c.chunk,
                id=other(c.chunk.id, copy),
                doc_id=doc_id,
                parent_id=other(c.chunk.parent_id, copy) if c.chunk.parent_id else None,
                prev_id=other(c.chunk.prev_id, copy) if c.chunk.prev_id else None,
                next_id=other(c.chunk.next_id, copy) if c.chunk.next_id else None,
            ),
        )
        for c in bundle.chunks
    )
    matrix = np.asarray([leaf.vector for leaf in bundle.leaves], dtype=np.float32)
    if len(matrix):
        noise = generator.standard_normal(matrix.shape).astype(np.float32)
        matrix = matrix + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    leaves = tuple(
        replace(leaf, id=other(leaf.id, copy), chunk_id=other(leaf.chunk_id, copy), doc_id=doc_id, vector=tuple(v))
        for leaf, v in zip(bundle.leaves, matrix.tolist(), strict=True)
    )
    record = replace(doc, id=doc_id, uri=f"{doc.root}/{path}", path=path, labels=(label,), text="")
    return Bundle(document=record, chunks=chunks, leaves=leaves)


def bundles(snapshot: Snapshot) -> list[Bundle]:
    def one(document: DocumentRecord) -> Bundle:
        chunks: list[ChunkRecord] = snapshot.chunks(doc_id=document.id)
        leaves: list[LeafRecord] = snapshot.leaves([c.chunk.id for c in chunks])
        return Bundle(document=document, chunks=tuple(chunks), leaves=tuple(leaves))

    return [one(d) for d in snapshot.documents()]


def grown(place: Path, path: Path, source: Snapshot, originals: Sequence[Bundle], size: int) -> Snapshot:
    """Return a collection of about so many chunks; it is made of the one at ``path`` where it is not there yet."""
    store = open_store(place)
    found = store.snapshot()
    if found is None and size >= LARGE:
        grow(path, place, size)
        found = store.snapshot()
    if found is not None:
        return found
    generator = np.random.default_rng(size)
    with store.writer(source.contract) as writer:
        made = 0
        for copy in range(10**6):
            if made >= size:
                break
            change = [copied(b, copy + 1, generator) for b in originals]
            made += sum(len(b.chunks) for b in change)
            writer.commit(Change(upsert=tuple(change)))
            print(f"  {made} chunks", file=sys.stderr, flush=True)
        writer.finish()
    found = store.snapshot()
    assert found is not None
    return found


def questions(originals: Sequence[Bundle], count: int) -> dict[str, tuple[float, ...]]:
    """Return question texts with vectors near to a leaf of the chunk that they come from."""
    generator = random.Random(7)
    vectors = {leaf.chunk_id: leaf.vector for b in originals for leaf in b.leaves}
    chunks = [c.chunk for b in originals for c in b.chunks if c.chunk.id in vectors]
    found: dict[str, tuple[float, ...]] = {}
    while len(found) < count:
        chunk = generator.choice(chunks)
        words = (" ".join(chunk.heading_path[-1:]) + " " + chunk.body).replace(":", " ").replace('"', " ").split()
        text = " ".join(words[: generator.randint(4, 12)])
        if text:
            found[text] = vectors[chunk.id]
    return found


def times(snapshot: Snapshot, asked: Sequence[str], embedder: Embedder, where: Filter | None) -> list[float]:
    def one(text: str) -> float:
        began = time.perf_counter()
        search(snapshot, text, where=where, embedder=embedder)
        return (time.perf_counter() - began) * 1e3

    return [one(text) for text in asked]


def cpu_times(snapshot: Snapshot, asked: Sequence[str], embedder: Embedder, where: Filter | None) -> list[float]:
    def one(text: str) -> float:
        began = time.process_time()
        search(snapshot, text, where=where, embedder=embedder)
        return (time.process_time() - began) * 1e3

    return [one(text) for text in asked]


def together(snapshot: Snapshot, asked: Sequence[str], embedder: Embedder, where: Filter) -> tuple[list[float], int]:
    """Ask from 16 threads at once; return the times and the number of errors."""
    errors = 0

    def one(text: str) -> float:
        nonlocal errors
        began = time.perf_counter()
        try:
            search(snapshot, text, where=where, embedder=embedder)
        except Exception as error:
            errors += 1
            print(f"  error: {error!r}", file=sys.stderr)
        return (time.perf_counter() - began) * 1e3

    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(one, asked)), errors


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def recall(snapshot: Snapshot, vectors: Sequence[tuple[float, ...]], where: Filter | None) -> float:
    """Return the mean share of the ten nearest chunks that are found among the candidates, against comparing all."""
    usual, shares = kept._EXACT, []
    for vector in vectors:
        found = {i for i, _, _ in snapshot.dense(vector, where, 300)[:10]}
        kept._EXACT = sys.maxsize
        exact = {i for i, _, _ in snapshot.dense(vector, where, 10)}
        kept._EXACT = usual
        shares.append(len(found & exact) / len(exact))
    return sum(shares) / len(shares)


def row(
    size: int, snapshot: Snapshot, asked: list[str], embedder: Given, real: list[tuple[float, ...]]
) -> Iterator[str]:
    where = Compare(field="labels", operator="eq", value="part=0")
    some, others = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    compared = FEW if size >= LARGE else COMPARED
    began = time.perf_counter()
    search(snapshot, some[0], where=where, embedder=embedder)
    yield f"{size:,}"
    yield f"{snapshot.count()['leaves']:,}"
    yield f"{(time.perf_counter() - began) * 1e3:.0f}"
    warmed = warm(snapshot) if size >= LARGE else 0.0
    for given in (where, None):
        spent = times(snapshot, some, embedder, given)
        yield f"{percentile(spent, 0.5):.0f} / {percentile(spent, 0.95):.0f}"
    passes = [cpu_times(snapshot, others, embedder, where) for _ in range(5)]
    for spent in (passes[0], [min(one) for one in zip(*passes, strict=True)]):
        yield f"{percentile(spent, 0.5):.0f} / {percentile(spent, 0.95):.0f}"
    spent, errors = together(snapshot, asked, embedder, where)
    yield f"{percentile(spent, 0.95):.0f} ({errors})"
    own = [embedder.vectors[text] for text in some][:compared]
    yield " / ".join(f"{recall(snapshot, v, w):.3f}" for v, w in ((own, where), (own, None), (real, None)) if v)
    yield f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}"
    yield f"{warmed:.0f}"


def warm(snapshot: Snapshot) -> float:
    """Have at hand what every question needs; return the seconds of processor time."""
    began = time.process_time()
    if isinstance(snapshot, LanceSnapshot):
        snapshot.warm()
    return time.process_time() - began


def embedding(texts: Sequence[str]) -> str:
    """Return the processor time of embedding questions with the bundled model."""
    model = load_embedder("minilm")
    assert model is not None
    spent = []
    for text in (texts[0], *texts):
        began = time.process_time()
        model.embed_query(text)
        spent.append((time.process_time() - began) * 1e3)
    return f"{percentile(spent[1:], 0.5):.1f} / {percentile(spent[1:], 0.95):.1f}"


def asked_by_people(file: Path) -> list[tuple[float, ...]]:
    """Return the vectors of the questions of a file; none where it is not there."""
    model = load_embedder("minilm")
    lines = file.read_text(encoding="utf-8").splitlines()[:40] if file.is_file() else []
    return [model.embed_query(json.loads(line)["question"]) for line in lines] if model is not None else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--sizes", default="10000")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument(
        "--collections", "--work", type=Path, help="folder of the grown collections, kept and used again"
    )
    given = parser.parse_args()
    source = open_store(given.source).snapshot()
    if source is None:
        sys.exit(f"{given.source}: there is no collection")
    from withgrain.tokens import load_tokenizer

    originals = bundles(source)
    vectors = questions(originals, given.questions)
    embedder = Given(source.contract.embedder, vectors, source.contract.dims, load_tokenizer("words"))
    print(f"embedding a question, CPU p50/p95 ms: {embedding(list(vectors))}")
    real = asked_by_people(QUESTIONS)
    print(
        "| chunks | vectors | first ms | filter p50/p95 ms | no filter p50/p95 ms | CPU p50/p95 ms | CPU best of 5 "
        "| 16 at once p95 (errors) | recall@10 | MB | warm CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        place = given.collections or Path(temporary)
        for size in map(int, given.sizes.split(",")):
            snapshot = grown(place / f"search{size}", given.source, source, originals, size)
            print(f"| {' | '.join(row(size, snapshot, list(vectors), embedder, real))} |", flush=True)


if __name__ == "__main__":
    main()
