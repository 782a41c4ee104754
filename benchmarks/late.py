"""What late interaction costs: processor time of a question, of ingestion, and bytes.

    python -m benchmarks.late COLLECTION [--questions QUESTIONS.jsonl] [--texts 100]

COLLECTION was made with the bundled model. Each question is searched for with the default and without late
interaction, in turns, after one round that is not counted, each with a model of its own, so that its run for the
question is in both. The model's rate is that of texts of 217 tokens, one thread, with the codes of their tokens and
without, in turns, the median of five rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import withgrain
from benchmarks.embedding import make_texts
from withgrain.embed import MiniLM
from withgrain.evaluate import load_questions
from withgrain.search import Weights, search

ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    questions = Path(__file__).resolve().parents[2] / "shared" / "eval" / "techops.dev.questions.jsonl"
    parser.add_argument("collection", type=Path)
    parser.add_argument("--questions", type=Path, default=questions)
    parser.add_argument("--texts", type=int, default=100)
    given = parser.parse_args()
    model, texts = MiniLM(workers=1), make_texts(given.texts)
    asked = [q.text for q in load_questions(given.questions)]
    ways = {"default": (Weights(), MiniLM(workers=1)), "without": (Weights(late=0), MiniLM(workers=1))}
    with withgrain.open(given.collection, embedder="minilm") as library:
        snapshot = library.snapshot()
        spent: dict[str, list[float]] = {way: [] for way in ways}
        for counted in (False, True):
            for question in asked:
                for way, (weights, own) in ways.items():
                    seconds = cpu(lambda q=question, w=weights, e=own: search(snapshot, q, embedder=e, weights=w))
                    spent[way] += [seconds * 1000] * counted
        ids = [r.chunk.id for d in snapshot.documents() for r in snapshot.chunks(doc_id=d.id)]
        sizes = [len(codes) for pieces in snapshot.token_codes(ids).values() for codes in pieces]
    rates: dict[str, list[float]] = {"with_codes": [], "vectors_only": []}
    for _ in range(ROUNDS):
        rates["with_codes"].append(len(texts) / cpu(lambda: model.embed_with_tokens(texts)))
        rates["vectors_only"].append(len(texts) / cpu(lambda: model.embed_documents(texts)))
    found = {
        "questions": len(asked),
        "cpu_ms": {way: [round(t, 1) for t in percentiles(times)] for way, times in spent.items()},
        "leaves": len(sizes),
        "bytes_a_leaf": round(statistics.mean(sizes)),
        "texts_a_cpu_second": {way: round(statistics.median(rate), 1) for way, rate in rates.items()},
    }
    print(json.dumps(found, indent=2))
    return 0


def cpu(work: Callable[[], object]) -> float:
    """Return the processor seconds that some work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def percentiles(times: list[float]) -> tuple[float, float]:
    """Return p50 and p95."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(0.95 * len(ordered))]


if __name__ == "__main__":
    sys.exit(main())
