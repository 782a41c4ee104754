"""The plain way to compare with: sections packed to 400 tokens, one vector a chunk, BM25 and vectors added up.

What most pipelines do when they do it well: cut under headings, fill up to a size, put title and path in front, embed
the chunk (its first 254 tokens: the model reads no more) and fuse both scores. No leaves, no document score, no
reranking, no identifiers first.

    python -m benchmarks.plain --collections DIR --datasets techops,cuad,tatqa     # makes the collections
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.retrieval import DATA_SETS, DataSet
from withgrain.chunk import Budget, Policy, chunk_document
from withgrain.embed import EmbeddingCache, load_embedder
from withgrain.ingest.contract import make_contract
from withgrain.ingest.records import Placement, make_records
from withgrain.model import Bundle, Change, LeafRecord, leaf_id
from withgrain.parse import parse
from withgrain.search import Weights
from withgrain.store import open_store
from withgrain.tokens import load_tokenizer
from withgrain.types import Snapshot

HEADINGS = Policy(
    name="headings400",
    budget=Budget(target=400, maximum=400),
    regions="section",
    joint="paragraph",
    bonds=False,
    even=False,
)
#: Both channels alike, nothing else.
WEIGHTS = Weights(document=0, exact=False)


def plain_collection(place: Path, data: Path, data_set: DataSet) -> Snapshot:
    """Return the plain collection of a corpus; it is made where it is not there yet."""
    directory = place / f"{data_set.corpus}.headings400"
    store = open_store(directory)
    found = store.snapshot()
    if found is not None:
        return found
    embedder, tokenizer = load_embedder("minilm"), load_tokenizer("wordpiece")
    assert embedder is not None
    contract = make_contract(HEADINGS, tokenizer, embedder)
    cache = EmbeddingCache(place / "plain.sqlite")
    key = f"{embedder.id}@{embedder.revision}/first-window"
    bundles = []
    files = sorted((data / "corpus" / data_set.corpus).rglob("*.md")) + sorted(
        (data / "corpus" / data_set.corpus).rglob("*.txt")
    )
    for file in files:
        document = parse(file.read_bytes(), uri=f"{data_set.corpus}/{file.name}", root=data_set.corpus)
        chunked = chunk_document(document, HEADINGS, tokenizer)
        record, chunks = make_records(document, chunked, Placement(contract=contract.fingerprint))
        texts = [c.chunk.embed_text for c in chunks]
        known = cache.get_many(key, texts)
        missing = [t for t, v in zip(texts, known, strict=True) if v is None]
        cache.put_many(key, missing, [embedder.embed_query(t) for t in missing])
        vectors = cache.get_many(key, texts)
        leaves = tuple(
            LeafRecord(
                id=leaf_id(c.chunk.id, "", 0), chunk_id=c.chunk.id, doc_id=document.id, span=c.chunk.span, vector=v
            )
            for c, v in zip(chunks, vectors, strict=True)
            if v is not None
        )
        bundles.append(Bundle(document=record, chunks=chunks, leaves=leaves))
    with store.writer(contract) as writer:
        writer.commit(Change(upsert=tuple(bundles)))
        writer.finish()
        print(f"{data_set.corpus}: {writer.snapshot().count()}", file=sys.stderr, flush=True)
        return writer.snapshot()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "eval")
    parser.add_argument("--collections", type=Path, required=True)
    parser.add_argument("--datasets", default="techops,tatqa,cuad,chroma,chunklab")
    given = parser.parse_args()
    for corpus in given.datasets.split(","):
        plain_collection(given.collections, given.data, next(d for d in DATA_SETS if d.corpus == corpus))


if __name__ == "__main__":
    main()
