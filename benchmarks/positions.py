"""256 or 512 positions: is one vector of a whole chunk better than the best of several that end at 256?

    python benchmarks/positions.py SET                      # tatqa, techops, … beside the repository
    python benchmarks/positions.py tatqa --questions 120

Sections are packed to 400 tokens with their path (the policy ``heading`` at `COMMON`). Each text gets a vector of its
first 254 tokens, vectors of windows of 254 tokens of which the nearest counts, and one vector of up to 510 tokens: the
position table of the model reaches to 512. Ranking is by cosine alone, so that nothing else helps. Prints the share of
questions with a chunk that overlaps the evidence among the first 1, 5 and 10, the mean reciprocal rank, and the
difference to the windows with its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.grid.contestants import at_common_size
from withgrain.chunk import POLICIES
from withgrain.embed.engine import Engine
from withgrain.parse import parse
from withgrain.tokens import wordpiece
from withgrain.tokens.wordpiece import CLS, SEP

DATA = Path(__file__).resolve().parents[2] / "shared" / "eval"
WINDOW, WHOLE = 254, 510
Array = np.ndarray[Any, Any]


def pieces(ids: list[int], way: str) -> list[list[int]]:
    """Return the runs of tokens that get a vector."""
    if way == "windows of 254":
        return [ids[start : start + WINDOW] for start in range(0, len(ids), WINDOW)]
    return [ids[: WINDOW if way == "first 254" else WHOLE]]


def ranks(vectors: Array, owners: Array, asked: Array, gold: list[set[int]]) -> Array:
    """Return for each question the rank of the first chunk that overlaps its evidence."""
    found = []
    for question, wanted in zip(asked, gold, strict=True):
        best = np.full(owners.max() + 1, -np.inf)
        np.maximum.at(best, owners, vectors @ question)
        found.append(1 + int((best > max(best[c] for c in wanted)).sum()))
    return np.array(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set")
    parser.add_argument("--questions", type=int, default=240)
    given = parser.parse_args()
    cut, engine, texts, places = at_common_size(POLICIES["heading"]).make(), Engine(), [], []
    for file in sorted((DATA / "corpus" / given.set).rglob("*.md")):
        for chunk in cut(parse(file.read_bytes(), uri=file.name)).chunks:
            if chunk.span is not None:
                texts.append(wordpiece().encode(chunk.embed_text))
                places.append((file.stem, chunk.span.start, chunk.span.end))
    lines = (DATA / f"{given.set}.dev.questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    questions = random.Random(0).sample(questions, min(given.questions, len(questions)))
    gold = [evidence(question, places) for question in questions]
    kept = [n for n, wanted in enumerate(gold) if wanted]

    def embed(ids: list[int]) -> tuple[float, ...]:
        return engine.vector([CLS, *ids, SEP])

    with ThreadPoolExecutor(2) as pool:
        asked = np.array(list(pool.map(embed, [wordpiece().encode(questions[n]["question"])[:WINDOW] for n in kept])))
        found = {}
        for way in ("windows of 254", "first 254", "whole, to 510"):
            parts = [(owner, part) for owner, ids in enumerate(texts) for part in pieces(ids, way)]
            vectors = np.array(list(pool.map(embed, [part for _, part in parts])))
            found[way] = ranks(vectors, np.array([o for o, _ in parts]), asked, [gold[n] for n in kept])
    long = sum(len(ids) > WINDOW for ids in texts)
    print(f"{given.set}: {len(texts)} chunks, {long} longer than {WINDOW} tokens; {len(kept)} questions\n")
    print("| | hit@1 | hit@5 | hit@10 | mrr | mrr against windows |\n|---|---|---|---|---|---|")
    for way, rank in found.items():
        shares = " | ".join(f"{(rank <= k).mean():.3f}" for k in (1, 5, 10))
        print(f"| {way} | {shares} | {(1 / rank).mean():.3f} | {difference(1 / rank - 1 / found['windows of 254'])} |")
    return 0


def evidence(question: dict[str, Any], places: list[tuple[str, int, int]]) -> set[int]:
    """Return the chunks that overlap the evidence, wherever it stands."""
    spots = [(r.get("doc_id") or question["doc_id"], r["start"], r["end"]) for r in question["references"]]
    for reference in question["references"]:
        spots += [(a["doc_id"], a["start"], a["end"]) for a in reference.get("alternates", ())]
    named = [(Path(doc).name.removesuffix(".md"), start, end) for doc, start, end in spots]
    return {
        n
        for n, (stem, start, end) in enumerate(places)
        if any(stem == doc and start < stop and begin < end for doc, begin, stop in named)
    }


def difference(values: Array) -> str:
    """Return the mean with its 95 % bootstrap interval."""
    drawn = np.random.default_rng(0).choice(values, (2000, len(values))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    sys.exit(main())
