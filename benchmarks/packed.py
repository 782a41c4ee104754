"""How to pack: how many hits whole before parts of others, measured on the development questions.

    python benchmarks/packed.py                                # techops, tatqa, chroma and cuad; vectors are kept
    python benchmarks/packed.py --plain DIR                    # beside the plain collections of benchmarks/plain.py
    python benchmarks/packed.py --sets techops --mode lexical

Every question is searched once; its hits are packed into 1,000, 2,000 and 4,000 tokens in each way, and the share of
the gold characters in the context is compared, question by question. ``in order`` is what the hits show one after the
other within as many characters as the packed context has. How many hits are taken whole is chosen by nested
cross-validation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.evaluation import SAMPLE, Vectors, drawn
from benchmarks.grid.cells import ROOT, Cell, Corpora, DataSet, collection, data_sets
from benchmarks.grid.contestants import own
from benchmarks.grid.defaults import choose
from benchmarks.grid.page import CHOSEN_ON
from withgrain.chunk import POLICIES
from withgrain.evaluate import EvalQuestion, compare
from withgrain.evaluate.compare import paired
from withgrain.evaluate.gold import Documents, Gold, locate
from withgrain.evaluate.metrics import PACKED_BUDGETS, Seen, recall, within
from withgrain.evaluate.run import DEPTH, Counted
from withgrain.model import Compare, Results, document_id
from withgrain.search import Mode, Weights, pack, search
from withgrain.tokens import wordpiece
from withgrain.types import Embedder, Snapshot, Tokenizer

#: Hits taken whole before parts of others: the default's share of the budget, so many, or all.
DEFAULT = "default"
WAYS: dict[str, int | None] = {DEFAULT: None, **{f"{n} whole": n for n in (0, 1, 2, 3, 4, 6, 8)}, "all whole": DEPTH}
IN_ORDER, PLAIN, PLAIN_PACKED = "in order", "plain, in order", "plain, packed"
#: Values by way of packing, metric and question.
Found = dict[str, dict[str, dict[str, float]]]


def main(arguments: Sequence[str] | None = None) -> int:
    given = _options(arguments)
    known, corpora = {d.name: d for d in data_sets(given.data)}, Corpora()
    cells: dict[str, dict[str, Cell]] = {}
    print(f"| set | way | {' | '.join(PACKED_BUDGETS)} | default against it, packed@2k | p |")
    print("|---" * (len(PACKED_BUDGETS) + 4) + "|")
    for name in given.sets.split(","):
        data_set = known[name]
        questions = drawn(corpora.questions(data_set), given.sample)
        with Vectors(given.work, given.mode) as (embedder, cache):
            default = own(POLICIES["structure_aware"])
            snapshot: Snapshot = collection(corpora.documents(data_set), default, embedder, cache)  # type: ignore[assignment]
            found = asked(snapshot, data_set, questions, given.mode, embedder)
            if given.plain is not None:
                found |= plain(given.plain, given.data, data_set, questions, given.mode, embedder)
        print("\n".join(rows(name, found)), flush=True)
        documents = {q.id: document_id(q.doc_id) for q in questions}
        for way, values in found.items():
            if way in WAYS:
                cells.setdefault(way, {})[name] = _cell(values, documents)
    print("\n".join(chosen(cells)))
    return 0


def asked(
    snapshot: Snapshot,
    data_set: DataSet,
    questions: Sequence[EvalQuestion],
    mode: Mode,
    embedder: Embedder | None,
    weights: Weights | None = None,
) -> Found:
    """Return the share of the evidence in each context."""
    found: Found = {}
    for gold in locate(questions, snapshot, Documents(snapshot)).gold:
        scope = data_set.scoped and gold.question.scope == "document"
        where = Compare(field="doc_id", operator="eq", value=gold.document.id) if scope else None
        results = search(
            snapshot, gold.question.text, k=DEPTH, mode=mode, where=where, embedder=embedder, weights=weights
        )
        tokenizer = Counted(wordpiece())
        for metric, budget in PACKED_BUDGETS.items():
            for way, value in contexts(gold, results, budget, tokenizer):
                found.setdefault(way, {}).setdefault(metric, {})[gold.question.id] = value
    return found


def contexts(gold: Gold, results: Results, budget: int, tokenizer: Tokenizer) -> Iterator[tuple[str, float]]:
    """Yield what each way of packing shows of the evidence."""
    for way, whole in WAYS.items():
        packed = pack(results, max_tokens=budget, tokenizer=tokenizer, whole=whole)
        read = [Seen(doc_id=item.doc_id, span=item.span) for item in packed.items if item.span]
        yield way, recall(gold, read)
        if way == DEFAULT:
            yield IN_ORDER, recall(gold, within(results.hits, len(packed.text)))


def plain(
    place: Path, data: Path, data_set: DataSet, questions: Sequence[EvalQuestion], mode: Mode, embedder: Embedder | None
) -> Found:
    """Return the same for headings packed to 400 tokens, one vector a chunk."""
    from benchmarks.plain import WEIGHTS, plain_collection
    from benchmarks.retrieval import DATA_SETS

    on_disk = next(d for d in DATA_SETS if d.corpus == data_set.name)
    snapshot = plain_collection(place, data, on_disk)
    found = asked(snapshot, data_set, questions, mode, embedder, WEIGHTS)
    return {PLAIN: found[IN_ORDER], PLAIN_PACKED: found[DEFAULT]}


def rows(name: str, found: Found) -> Iterator[str]:
    """Yield one row for each way, compared with the present default."""
    default = found[DEFAULT]
    for way, values in found.items():
        means = " | ".join(f"{sum(v.values()) / len(v):.3f}" for v in values.values())
        c = compare(way, DEFAULT, "packed@2k", paired(values["packed@2k"], default["packed@2k"]))
        gap = c.difference
        yield f"| {name} | {way} | {means} | {gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}] | {c.p:.3f} |"


def _cell(values: Mapping[str, Mapping[str, float]], documents: Mapping[str, str]) -> Cell:
    """Return the mean over the budgets as a cell of the grid: what is chosen by."""
    ids = next(iter(values.values()))
    answers = {i: {"R@8k": sum(values[m][i] for m in values) / len(values)} for i in ids}
    return Cell(answers=answers, curves={}, types={}, documents={i: documents[i] for i in ids})


def chosen(cells: Mapping[str, Mapping[str, Cell]]) -> Iterator[str]:
    """Yield which number of whole hits each fold chooses, and what that gains over the present one."""
    choice = choose(cells, DEFAULT)
    yield from ("", "| way | mean over sets and budgets |", "|---|---|")
    yield from (f"| {way} | {mean:.3f} |" for way, mean in choice.means.items())
    yield from ("", f"Chosen by fold: {', '.join(f.chosen for f in choice.folds)}.")
    yield f"Choosing gains {choice.gain.mean:+.3f} [{choice.gain.low:+.3f}, {choice.gain.high:+.3f}]."


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=ROOT.parent / "shared" / "eval", help="folder of the evaluation data"
    )
    parser.add_argument("--work", type=Path, default=ROOT / ".evaluation", help="folder that keeps vectors")
    parser.add_argument("--plain", type=Path, help="folder of the plain collections, made where they are not")
    parser.add_argument("--sets", default=",".join(CHOSEN_ON))
    parser.add_argument("--mode", default="hybrid", choices=("hybrid", "lexical"))
    parser.add_argument("--sample", type=int, default=SAMPLE, help="questions of a set; 0 for all")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
