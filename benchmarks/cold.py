"""What a command costs that is a process of its own: processor time from the shell to the answer.

    python benchmarks/cold.py [COLLECTION …] [--question WORDS] [--runs 9] [--json]

Help, a plain error, and a question to each collection, by words and with vectors. Every figure is the median of the
runs: seconds of processor time of the whole process, its end included; user and system apart. Byte code is there, as
after `pip install`: it is made by one run before, in a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

QUESTION = "how do I rotate the signing key"


def commands(collections: Sequence[Path], question: str) -> Iterator[tuple[str, list[str]]]:
    """Yield names and arguments of what is measured."""
    yield "--version", ["--version"]
    yield "--help", ["--help"]
    yield "search --help", ["search", "--help"]
    yield "search, no collection", ["search", question, "-c", os.devnull + ".nowhere"]
    for place in collections:
        for mode in ("lexical", "hybrid"):
            yield f"search {place.name}, {mode}", ["search", question, "-c", str(place), "--mode", mode]


def run(arguments: Sequence[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Return the seconds of a process: user, system, on the clock."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    program = [sys.executable, "-c", "from withgrain.cli import main; main()", *arguments]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - started
    if "Traceback" in done.stderr or "Searched by words only" in done.stderr:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, wall


def measured(arguments: Sequence[str], runs: int, environment: dict[str, str]) -> dict[str, float]:
    """Return the medians of some runs, after one that does not count."""
    run(arguments, environment)
    user, system, wall = zip(*(run(arguments, environment) for _ in range(runs)), strict=True)
    both = [one + other for one, other in zip(user, system, strict=True)]
    medians = {"user": user, "system": system, "processor": both, "clock": wall}
    return {name: round(statistics.median(values), 3) for name, values in medians.items()} | {
        "least": round(min(both), 3)
    }


def main() -> None:
    """Measure every command and print a line for each, or all as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("collections", nargs="*", type=Path, metavar="COLLECTION")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as byte_code:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "WITHGRAIN_"))}
        environment = kept | {"PYTHONPYCACHEPREFIX": byte_code}
        for name, arguments in commands(options.collections, options.question):
            found[name] = figures = measured(arguments, options.runs, environment)
            if not options.json:
                shown = "  ".join(f"{key} {value:.2f}" for key, value in figures.items())
                print(f"{name:<40}  {shown}", flush=True)
    if options.json:
        print(json.dumps({"runs": options.runs, "question": options.question, "seconds": found}, indent=1))


if __name__ == "__main__":
    main()
