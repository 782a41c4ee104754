"""What chunkers break: shares of blocks severed, headers and headings missing, words lost, offsets wrong.

    python benchmarks/integrity.py FOLDER …                     # withgrain alone; exit 1 unless everything is 0
    python benchmarks/integrity.py FOLDER … --peers             # with every peer that is installed (README)
    python benchmarks/integrity.py FOLDER … --faults 20 --json

The judge shares no code with withgrain: it reads Markdown with markdown-it-py and finds the chunks by their text.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.judge import Score, Source, read_sources, score
from benchmarks.judge.score import MEASURES
from benchmarks.peers import CHUNKERS, OWN, Sizes, available, load, versions
from withgrain.tokens import wordpiece

SHORT = {
    "fences": "fences severed",
    "tables": "tables severed",
    "ordered_lists": "ordered lists severed",
    "headerless": "table pieces without header",
    "no_heading": "without own heading",
    "no_path": "without whole path",
    "over_limit": "over the limit",
    "lost": "words lost",
    "inexact": "inexact",
    "hash_lines": "# lines as headings",
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    sources = list(read_sources(options.folders))
    if not sources:
        print("no Markdown or text files in", *options.folders, file=sys.stderr)
        return 2
    names, missing = available([*OWN[:1], *(n for n in CHUNKERS if n not in OWN)] if options.peers else OWN[:1])
    for name in missing:
        print(f"not installed, left out: {name}", file=sys.stderr)
    sizes = Sizes(limit=options.limit, count=wordpiece().count)
    scores = {name: judge(name, sources, sizes) for name in names}
    if options.json:
        print(json.dumps(as_json(scores, sources, options.limit), indent=1))
    else:
        print("\n".join(table(scores, sources, options.limit)))
        _print_faults(scores, options.faults)
    return 0 if all(s.clean for n, s in scores.items() if n in OWN) else 1


def judge(name: str, sources: Iterable[Source], sizes: Sizes) -> Score:
    """Cut and judge every source with one contestant."""
    chunker = load(name)(sizes)
    result = Score()
    for source in sources:
        score(source, chunker.pieces(source), sizes.limit, sizes.count, result)
    return result


def table(scores: dict[str, Score], sources: Sequence[Source], limit: int) -> list[str]:
    """Return the lines of a Markdown table: faults in per cent, a column a contestant."""
    megabytes = sum(len(s.data) for s in sources) / 1e6
    lines = [
        f"{len(sources)} files, {megabytes:.2f} MB, limit {limit} tokens (WordPiece). Faults in per cent of cases."
    ]
    lines += ["", "| | " + " | ".join(scores) + " |", "|---|" + "---:|" * len(scores)]
    lines.append("| chunks | " + " | ".join(str(s.chunks) for s in scores.values()) + " |")
    for measure in MEASURES:
        cells = [_cell(measure, s) for s in scores.values()]
        lines.append(f"| {SHORT[measure]} | " + " | ".join(cells) + " |")
    return lines


def as_json(scores: dict[str, Score], sources: Sequence[Source], limit: int) -> dict[str, object]:
    """Return everything that was measured."""
    return {
        "schema": 1,
        "files": len(sources),
        "bytes": sum(len(s.data) for s in sources),
        "limit": limit,
        "versions": versions(list(scores)),
        "measures": MEASURES,
        "contestants": {
            name: {
                "chunks": s.chunks,
                "measures": {m: {"faults": t.faults, "cases": t.cases, "share": t.share} for m, t in s.tallies.items()},
                "faults": [asdict(f) for f in s.faults[:200]],
            }
            for name, s in scores.items()
        },
    }


def _cell(measure: str, found: Score) -> str:
    tally = found.tallies[measure]
    if not tally.cases:
        return "no case"
    return f"{_percent(tally.share)} ({tally.faults}/{tally.cases})" if tally.faults else f"0 (of {tally.cases})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}" if share >= 0.0005 else f"{100 * share:.2g}"


def _print_faults(scores: dict[str, Score], most: int) -> None:
    for name, found in scores.items():
        if name in OWN or most > 0:
            for measure in MEASURES:
                shown = [f for f in found.faults if f.measure == measure][: most or 5]
                for fault in shown:
                    print(f"{name}: {measure}: {fault.file}:{fault.line}: {fault.text!r}", file=sys.stderr)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--peers", action="store_true", help="measure the installed peers, too")
    parser.add_argument("--limit", type=int, default=480, help="most tokens of a chunk (480)")
    parser.add_argument("--faults", type=int, default=0, help="faults shown a measure and contestant")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
