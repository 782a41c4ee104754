"""Measure retrieval on the development questions beside the repository.

    python benchmarks/retrieval.py                  # all data sets and modes, temporary collections
    python benchmarks/retrieval.py --collections DIR           # keep collections and vectors, and reuse them next time
    python benchmarks/retrieval.py --collections DIR --datasets techops --modes hybrid --by-type
    python -m benchmarks.retrieval --collections DIR --datasets techops,tatqa,cuad --modes hybrid --against headings400

``--against`` builds a second collection from the same files and compares both, question by question: with another
policy, or ``headings400``, the plain way of `benchmarks.plain`. ``--data`` may be any folder of the same form.

A data set is ingested once into its own collection, with the bundled model. Vectors of documents and questions are
cached beside the collections. Figures are means with 95 % bootstrap intervals; see `withgrain.evaluate.metrics`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import withgrain
from benchmarks.paired import HEAD, SHOWN, by_type, comparisons, means, table
from withgrain.embed import EmbeddingCache, load_embedder
from withgrain.evaluate import EvalQuestion, Evaluation, evaluate, load_questions
from withgrain.model import Embedded
from withgrain.search import After, Weights
from withgrain.search.rerankers import load_reranker
from withgrain.types import Embedder, Snapshot, TokenEmbedder, Tokenizer

MODES = ("lexical", "dense", "hybrid")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A corpus with files of questions. ``scoped`` = questions with a document scope are asked inside it."""

    name: str
    corpus: str
    questions: tuple[str, ...]
    scoped: bool = True
    include: tuple[str, ...] = ()


#: Written for `docs/results/search.md` by reading documents that were drawn at random, before anything was measured on
#: them. Their gold stands in the documents beside the repository: here are its places, and hashes of its words.
BLIND = str(Path(__file__).resolve().parent / "questions" / "techops.blind.questions.jsonl")
DATA_SETS = (
    DataSet(name="techops", corpus="techops", questions=("techops.dev.questions.jsonl",)),
    DataSet(name="techops blind", corpus="techops", questions=(BLIND,)),
    DataSet(name="techops and blind", corpus="techops", questions=("techops.dev.questions.jsonl", BLIND)),
    DataSet(name="tatqa", corpus="tatqa", questions=("tatqa.dev.questions.jsonl",), scoped=False),
    DataSet(name="tatqa in document", corpus="tatqa", questions=("tatqa.dev.questions.jsonl",)),
    DataSet(name="chroma", corpus="chroma", questions=("chroma.questions.jsonl",)),
    DataSet(name="cuad in document", corpus="cuad", questions=("cuad.dev.questions.jsonl",)),
    DataSet(name="chunklab", corpus="chunklab", questions=("chunklab.questions.jsonl",), include=("*.md",)),
)


class RememberedQuestions:
    """An embedder that looks questions up in the cache first."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self.embedder, self.cache = embedder, cache
        self.id, self.revision, self.dims = embedder.id, embedder.revision, embedder.dims
        self.window, self.normalised = embedder.window, embedder.normalised
        self.tokenizer: Tokenizer = embedder.tokenizer
        self.key = f"{embedder.id}@{embedder.revision}/question"

    def embed_documents(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        return self.embedder.embed_documents(texts)

    def embed_with_tokens(self, texts: Sequence[str]) -> list[Embedded]:
        assert isinstance(self.embedder, TokenEmbedder)
        return self.embedder.embed_with_tokens(texts)

    def token_scores(self, question: str, codes: Sequence[Sequence[bytes]]) -> list[float]:
        assert isinstance(self.embedder, TokenEmbedder)
        return self.embedder.token_scores(question, codes)

    def embed_query(self, text: str) -> tuple[float, ...]:
        (known,) = self.cache.get_many(self.key, [text])
        if known is None:
            known = self.embedder.embed_query(text)
            self.cache.put_many(self.key, [text], [known])
        return known


def collection(place: Path, data: Path, data_set: DataSet, policy: str, embedder: str = "minilm") -> Snapshot:
    """Ingest the corpus where it is not yet, and return its state."""
    with withgrain.open(place / f"{data_set.corpus}.{policy}.{embedder}", policy=policy, embedder=embedder) as library:
        began = time.perf_counter()
        report = library.ingest(data / "corpus" / data_set.corpus, include=data_set.include)
        counts = library.snapshot().count()
        say(f"{data_set.corpus}: {counts}, embedded {report.embedded} in {time.perf_counter() - began:.1f} s")
        return library.snapshot()


def drawn(questions: tuple[EvalQuestion, ...], sample: int) -> tuple[EvalQuestion, ...]:
    if not 0 < sample < len(questions):
        return questions
    return tuple(sorted(random.Random(0).sample(questions, sample), key=lambda q: q.line))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def row(name: str, mode: str, found: Evaluation) -> str:
    overall = means(found)
    times = sorted(a.seconds for a in found.answers)
    cells = " | ".join(f"{overall[m]}" for m in SHOWN)
    p50, p95 = times[len(times) // 2] * 1e3, times[int(len(times) * 0.95)] * 1e3
    return f"| {name} | {len(found.answers)} | {mode} | {cells} | {p50:.0f}/{p95:.0f} |"


def types(found: Evaluation) -> Iterator[str]:
    shown = ("R@8k", "whole@8k", "recall@1", "recall@5", "mrr")
    for name, estimates in by_type(found, shown):
        yield f"    {name:14} n={estimates['mrr'].count:4} " + "  ".join(f"{m} {estimates[m]}" for m in shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How questions are asked."""

    embedder: RememberedQuestions | None
    weights: Weights
    sample: int = 0

    def of(
        self,
        snapshot: Snapshot,
        data: Path,
        data_set: DataSet,
        mode: str,
        weights: Weights | None = None,
        after: After | None = None,
    ) -> Evaluation:
        asked = tuple(q for file in data_set.questions for q in load_questions(data / file))
        questions = drawn(asked, self.sample)
        return evaluate(
            snapshot,
            questions,
            self.embedder,
            mode=mode,  # type: ignore[arg-type]
            weights=weights or self.weights,
            after=after,
            scoped=data_set.scoped,
        )


def other(place: Path, data: Path, data_set: DataSet, policy: str, embedder: str) -> tuple[Snapshot, Weights | None]:
    """Return the collection to compare with, and its weights; None for those of the default."""
    if policy == "headings400":
        from benchmarks.plain import WEIGHTS, plain_collection

        return plain_collection(place, data, data_set), WEIGHTS
    return collection(place, data, data_set, policy, embedder), None


@contextmanager
def folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "eval")
    parser.add_argument("--collections", type=Path, help="folder to keep collections and vectors in")
    parser.add_argument("--datasets", default=",".join(d.name for d in DATA_SETS))
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--policy", default="structure_aware")
    parser.add_argument("--against", default="", help="another policy, or headings400, to compare with")
    parser.add_argument("--rerank", default="", help="a reranker to compare with none, for example late")
    parser.add_argument("--embedder", default="minilm", choices=("minilm", "static", "none"), help="none: words")
    parser.add_argument("--sample", type=int, default=0, help="ask so many questions of a set, drawn with a fixed seed")
    parser.add_argument("--weights", default="{}", help='JSON, for example {"dense": 0.5, "fusion": "rrf"}')
    parser.add_argument("--beside", default="", help='other weights to compare with, for example {"late": 0}')
    parser.add_argument("--by-type", action="store_true")
    parser.add_argument("--json", type=Path, help="write every question's metrics here")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    weights = Weights(**json.loads(given.weights))
    names = {name.strip() for name in given.datasets.split(",")}
    corpora = names - {d.name for d in DATA_SETS}
    chosen = [d for d in DATA_SETS if d.name in names or d.corpus in corpora]
    details: list[dict[str, object]] = []
    compared: list[str] = []
    print(f"| data set | questions | mode | {' | '.join(SHOWN)} | ms p50/p95 |")
    print("|---|---|---|" + "---|" * (len(SHOWN) + 1))
    with folder(given.collections) as place:
        embedder = load_embedder(given.embedder)
        cache = EmbeddingCache(place / "questions.sqlite")
        asked = Asked(
            embedder=RememberedQuestions(embedder, cache) if embedder else None, weights=weights, sample=given.sample
        )
        for data_set in chosen:
            snapshot = collection(place, given.data, data_set, given.policy, given.embedder)
            beside = other(place, given.data, data_set, given.against, given.embedder) if given.against else None
            for mode in given.modes.split(",") if embedder else ["lexical"]:
                found = asked.of(snapshot, given.data, data_set, mode)
                print(row(data_set.name, mode, found), flush=True)
                if given.by_type:
                    print("\n".join(types(found)), flush=True)
                details += [
                    {"set": data_set.name, "mode": mode, "id": a.question.id, **a.metrics} for a in found.answers
                ]
                if found.problems:
                    say(f"{data_set.name}: {len(found.problems)} questions not asked; first: {found.problems[0]}")
                if beside is not None:
                    theirs = asked.of(beside[0], given.data, data_set, mode, beside[1])
                    judged = comparisons(theirs, found, (given.against, given.policy))
                    compared += table(f"{data_set.name}, {mode}", judged)
                if given.beside:
                    others = Weights(**json.loads(given.beside))
                    theirs = asked.of(snapshot, given.data, data_set, mode, others)
                    judged = comparisons(theirs, found, (given.beside, "default"))
                    compared += table(f"{data_set.name}, {mode}", judged)
                if given.rerank:
                    after = After(reranker=load_reranker(given.rerank))
                    again = asked.of(snapshot, given.data, data_set, mode, after=after)
                    print(row(f"{data_set.name}, {given.rerank}", mode, again), flush=True)
                    judged = comparisons(found, again, (given.policy, given.rerank))
                    compared += table(f"{data_set.name}, {mode}, {given.rerank}", judged)
        cache.close()
    if compared:
        print("\n".join(("", *HEAD, *compared)))
    if given.json:
        given.json.write_text("\n".join(json.dumps(d) for d in details) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
