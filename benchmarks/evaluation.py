"""Measure every policy and peer on the development questions, and write the figures of docs/results/evaluation.md.

    python benchmarks/evaluation.py                         # everything, into .evaluation, then the page
    python benchmarks/evaluation.py --sets techops --only lexical --no-page
    python benchmarks/evaluation.py --workers 2             # one set a process
    python benchmarks/evaluation.py --only page --any-code  # the page from what is there

Each cell of the grid is kept as one file; a run that was stopped goes on where it stopped. A cell that other code made
is made again, unless the same chunks come out and every tenth question is answered as before. The hybrid grid keeps its
vectors and token codes in one file, by exact text.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.grid.cells import (
    ROOT,
    Corpora,
    DataSet,
    Kept,
    ask,
    collection,
    confirmed,
    data_sets,
    digest,
    leaves_of,
)
from benchmarks.grid.contestants import REFERENCE, Contestant, clauses, in_vectors, peers, policies, variants
from benchmarks.grid.indexed import Indexed
from benchmarks.grid.page import CHOSEN_ON, CLAUSES_IN, write
from benchmarks.retrieval import RememberedQuestions
from withgrain.embed import EmbeddingCache, embed_with_tokens, load_embedder
from withgrain.evaluate import EvalQuestion
from withgrain.search import Mode

#: Questions asked of a set, drawn with a fixed seed; sets with fewer are asked whole.
SAMPLE = 240
STEPS = ("lexical", "defaults", "clauses", "hybrid", "defaults hybrid", "clauses hybrid", "page")
SETS = ("techops", "tatqa", "chroma", "cuad", "chunklab", "handbook")
#: What is made with vectors: the policies and peers that matter, and what the defaults are chosen among.
IN_HYBRID = (
    REFERENCE,
    "token_only 400",
    "paragraph 400",
    "heading 400",
    "semantic-text-splitter 400",
    "LangChain headers + recursive 400",
)
#: Of the variants by words: those whose leaves differ little from the default's, so that few are embedded anew.
DEFAULTS_IN_HYBRID = (
    "sizes by class",
    "target 128",
    "target 200",
    "target 280",
    "target 350",
    "by class, whole to 400",
    "target 128, whole to 400",
    "target 200, whole to 400",
    "small siblings merged",
    "no overlap",
)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _options(arguments)
    steps = given.only.split(",")
    if given.embed_only:
        steps = [s for s in steps if s.endswith("hybrid")]
    if given.workers > 1:
        spread(given, [s for s in steps if s != "page"])
    else:
        fill(given, steps)
    if "page" in steps:
        write(given.page, _kept(given), data_sets(given.data))
    return 0


def fill(given: argparse.Namespace, steps: Sequence[str]) -> None:
    """Fill the cells of some steps."""
    known = {d.name: d for d in data_sets(given.data)}
    chosen = [known[name] for name in given.sets.split(",")]
    kept, corpora = _kept(given), Corpora()
    theirs, missing = peers() if {"lexical", "hybrid"} & set(steps) else ([], [])  # some take seconds to load
    for name in missing:
        say(f"not installed, left out: {name} (pip install -r benchmarks/requirements-peers.txt)")
    every = [*policies(), *theirs]
    plans: dict[str, tuple[Sequence[Contestant], Sequence[str], str]] = {
        "lexical": (every, SETS, "lexical"),
        "defaults": (variants(), CHOSEN_ON, "lexical"),
        "clauses": (clauses(), CLAUSES_IN, "lexical"),
        "hybrid": ([c for c in every if c.name in IN_HYBRID], CHOSEN_ON, "hybrid"),
        "defaults hybrid": (
            [*in_vectors(), *(c for c in variants() if c.name in DEFAULTS_IN_HYBRID)],
            CHOSEN_ON,
            "hybrid",
        ),
        "clauses hybrid": (clauses(), CLAUSES_IN, "hybrid"),
    }
    for step in (s for s in plans if s in steps):
        contestants, sets, kind = plans[step]
        asked = picked(contestants, given.contestants)
        for data_set in (d for d in chosen if d.name in sets):
            if given.embed_only:
                embed(data_set, asked, corpora, given.work)
            else:
                run(data_set, asked, corpora, kept, kind)


def spread(given: argparse.Namespace, steps: Sequence[str]) -> None:
    """Fill the cells with as many processes as were asked for, each with one set at a time.

    Raises:
        SystemExit: A process failed; the cells of the others are kept.
    """
    own = [sys.executable, __file__, "--data", given.data, "--work", given.work, "--contestants", given.contestants]
    own += ["--sample", str(given.sample), *(["--any-code"] if given.any_code else [])]
    own += ["--embed-only"] if given.embed_only else []
    waiting = [(step, name) for step in steps for name in given.sets.split(",")]

    def part(job: tuple[str, str]) -> int:
        return subprocess.run([*own, "--only", job[0], "--sets", job[1]], check=False).returncode

    with ThreadPoolExecutor(given.workers) as pool:
        codes = list(pool.map(part, waiting))
    if any(codes):
        raise SystemExit("a process failed: its message stands above; a second run makes what is missing")


def run(data_set: DataSet, contestants: Sequence[Contestant], corpora: Corpora, kept: Kept, kind: str) -> None:
    """Fill the cells of one data set that are not there yet."""
    made: tuple[str, Indexed] | None = None  # the next one may search in the same chunks
    for contestant in contestants:
        if kept.get(data_set.name, contestant, kind) is not None:
            continue
        began = time.process_time()
        documents = corpora.documents(data_set)
        questions = drawn(corpora.questions(data_set), kept.sample)
        with Vectors(kept.place, kind) as (embedder, cache):
            if made is None or made[0] != contestant.indexed:
                made = None  # so that two are never in memory at once
                made = contestant.indexed, collection(documents, contestant, embedder, cache)
            mode: Mode = "hybrid" if embedder else "lexical"
            again = partial(ask, made[1], data_set, mode=mode, embedder=embedder, weights=contestant.weights)
            last, index = kept.last(data_set.name, contestant, kind), digest(made[1])
            if last is not None and confirmed(last, index, again, questions):
                kept.put(data_set.name, contestant, kind, last)
                say(f"{kind} {data_set.name} {contestant.name}: as before")
                continue
            cell = again(questions)
        seconds = round(time.process_time() - began, 1)
        cell = replace(cell, facts={**cell.facts, "index": index, "seconds": seconds})
        kept.put(data_set.name, contestant, kind, cell)
        mean = sum(cell.values("R@8k").values()) / max(1, len(cell.answers))
        say(f"{kind} {data_set.name} {contestant.name}: {len(cell.answers)} questions, R@8k {mean:.3f}, {seconds} s")


def embed(data_set: DataSet, contestants: Sequence[Contestant], corpora: Corpora, place: Path) -> None:
    """Make the vectors and token codes that the contestants need and that are not kept yet: what takes hours."""
    with Vectors(place, "hybrid") as (embedder, cache):
        assert embedder is not None
        for contestant in contestants:
            began, cut = time.perf_counter(), contestant.make()
            documents = corpora.documents(data_set)
            texts = {leaf.text: None for d in documents for leaf in leaves_of(d, cut(d), embedder, contestant.shape)}
            _, missing = embed_with_tokens(embedder, cache, list(texts))
            seconds = time.perf_counter() - began
            say(f"vectors {data_set.name} {contestant.name}: {missing} of {len(texts)} texts, {seconds:.0f} s")


class Vectors:
    """The embedder and its cache for the hybrid grid; none for the lexical one."""

    def __init__(self, place: Path, kind: str) -> None:
        self._caches = [] if kind == "lexical" else [EmbeddingCache(place / f"{n}.sqlite") for n in ("texts", "asked")]

    def __enter__(self) -> tuple[RememberedQuestions | None, EmbeddingCache | None]:
        if not self._caches:
            return None, None
        embedder = load_embedder()
        assert embedder is not None
        return RememberedQuestions(embedder, self._caches[1]), self._caches[0]

    def __exit__(self, *_: object) -> None:
        for cache in self._caches:
            cache.close()


def picked(contestants: Sequence[Contestant], names: str) -> list[Contestant]:
    """Return the contestants whose names are given, in that order; all when none is."""
    if not names:
        return list(contestants)
    by_name = {c.name: c for c in contestants}
    return [by_name[name] for name in names.split(";") if name in by_name]


def drawn(questions: tuple[EvalQuestion, ...], sample: int) -> tuple[EvalQuestion, ...]:
    """Return a sample that is always the same."""
    if not 0 < sample < len(questions):
        return questions
    return tuple(sorted(random.Random(0).sample(questions, sample), key=lambda q: q.line))


def _kept(given: argparse.Namespace) -> Kept:
    return Kept(place=given.work, sample=given.sample, any_code=given.any_code)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = ROOT.parent / "shared" / "eval"
    parser.add_argument("--data", type=Path, default=data, help="folder of the evaluation data")
    parser.add_argument("--work", type=Path, default=ROOT / ".evaluation", help="folder that keeps results and vectors")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--only", default=",".join(STEPS), help="steps, separated by commas")
    parser.add_argument("--contestants", default="", help="only these, separated by semicolons")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="questions of a set; 0 for all")
    parser.add_argument("--workers", type=int, default=1, help="processes; each fills one set at a time")
    parser.add_argument("--embed-only", action="store_true", help="make the vectors of what is named and ask nothing")
    parser.add_argument("--any-code", action="store_true", help="take results of other code as well")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "results" / "evaluation.md")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
