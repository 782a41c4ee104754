"""Speed of chunkers in processor time, side by side, with one counter for all; and the memory that they take.

    python benchmarks/chunking.py FOLDER …                 # withgrain, one bare parse, one bare token pass
    python benchmarks/chunking.py FOLDER … --peers         # with every peer that is installed (README)
    python benchmarks/chunking.py FOLDER … --peers --rounds 7 --json

Megabytes (of the files) a second of processor time, user and system, all threads, one process. In a round each
contestant cuts every file once, in an order that another round changes; the figure is the median of the rounds. Every
contestant is made anew in each round, outside of the clock, so that no cache of chunks or counts is carried on. Peak
memory is that of a process of its own for each.

Beside the speeds: how many times as long withgrain takes as one parse and one token pass, in turns file by file; once
with a parse that reads what is inside of blocks when it is asked for, once with one that makes every block. In a pass
of its own a loop of one small program runs from the processor's caches, as no chunker's parse and count do; and what
else the machine does falls on all alike.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.judge.source import Source, read_sources
from benchmarks.peers import CHUNKERS, OWN, Sizes, available, load, versions
from withgrain.model import Document
from withgrain.parse import parse
from withgrain.tokens import wordpiece

TOKENS, CHARACTERS = 480, 2000
#: What bounds any chunker that reads structure and counts tokens.
PARSE, PYROMARK, COUNT = "bare parse (withgrain)", "bare parse (pyromark)", "bare token pass"
#: What is inside of lists, tables and quotes is read when somebody asks for it; a chunker asks for some of it.
WHOLE_PARSE = "bare parse (withgrain), every block"
BARE = (PARSE, WHOLE_PARSE, PYROMARK, COUNT)

Run = Callable[[Source], object]


@dataclass(slots=True)
class Timing:
    """Processor seconds of every round."""

    seconds: list[float] = field(default_factory=list)

    def speeds(self, megabytes: float) -> list[float]:
        """Return megabytes a second, a round each."""
        return [megabytes / s for s in self.seconds]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    if options.memory_of:
        print(json.dumps(memory_here(options.memory_of, options.folders, options.unit)))
        return 0
    sources = list(read_sources(options.folders))
    if not sources:
        print("no Markdown or text files in", *options.folders, file=sys.stderr)
        return 2
    names, missing = available(list(CHUNKERS) if options.peers else OWN)
    for name in missing:
        print(f"not installed, left out: {name}", file=sys.stderr)
    names = [n for n in names if not options.only or any(part in n for part in options.only)]
    checked = check_counts(sources, names)
    before = os.getloadavg()
    megabytes = sum(len(s.data) for s in sources) / 1e6
    units = {"tokens": options.tokens, "characters": options.characters}
    report = {
        "schema": 1,
        "machine": {"cpu": _processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "versions": versions(names),
        "files": len(sources),
        "megabytes": round(megabytes, 3),
        "counts": checked,
        "rounds": options.rounds,
        "sizes": units,
        "speed": {unit: measure(names, sources, unit, size, options.rounds) for unit, size in units.items()},
        "times_parse_and_count": {n: times_parse_and_count(n, sources, options) for n in names if n in OWN},
        "memory": {n: memory_of(n, options.folders) for n in [*names, *BARE]} if options.memory else {},
        "load": {"before": before, "after": os.getloadavg()},
    }
    print(json.dumps(report, indent=1) if options.json else "\n".join(table(report)))
    return 0


def runner(name: str, unit: str, size: int) -> Run:
    """Return what a contestant does with a file."""
    count = wordpiece().count
    if name == PARSE:
        return lambda source: parse(source.data, uri=source.path)
    if name == WHOLE_PARSE:
        return lambda source: every_block(parse(source.data, uri=source.path))
    if name == PYROMARK:
        import pyromark

        every = pyromark.Options.ENABLE_GFM | pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES
        markdown = pyromark.Markdown(options=every)
        return lambda source: list(markdown.events_with_range(source.text))
    if name == COUNT:
        return lambda source: count(source.text)
    tokens = unit == "tokens"
    return load(name)(Sizes(limit=size, count=count if tokens else len, tokens=tokens)).cut


def every_block(document: Document) -> int:
    """Return the number of blocks of a document, inner ones too: all of them are made."""
    number, stack = 0, list(document.blocks)
    while stack:
        number += 1
        stack.extend(stack.pop().children)
    return number


def measure(names: Sequence[str], sources: Sequence[Source], unit: str, size: int, rounds: int) -> dict[str, object]:
    """Return speeds by contestant, interleaved; the order of a round comes from its number."""
    megabytes = sum(len(s.data) for s in sources) / 1e6
    everyone = [*names, *BARE]
    timings = {name: Timing() for name in everyone}
    for name in everyone:  # imports, lazy tables and the like
        runner(name, unit, size)(sources[0])
    for number in range(rounds):
        for name in random.Random(number).sample(everyone, len(everyone)):
            timings[name].seconds.append(timed(runner(name, unit, size), sources))
    return {name: summary(t.speeds(megabytes)) for name, t in timings.items()}


def timed(run: Run, sources: Sequence[Source], *, collect: bool = True) -> float:
    """Return the processor seconds of one pass over the sources."""
    if collect:
        gc.collect()
    before = time.process_time()
    for source in sources:
        run(source)
    return time.process_time() - before


def times_parse_and_count(
    name: str, sources: Sequence[Source], options: argparse.Namespace
) -> dict[str, dict[str, float]]:
    """Return how many times as long as one parse and one token pass a contestant takes, file by file in turns.

    By kind of parse: one that reads what is inside of blocks when it is asked for, and one that makes every block. Each
    has turns of its own: the garbage of one must not be collected in the time of another.
    """
    ratios: dict[str, list[float]] = {PARSE: [], WHOLE_PARSE: []}
    for _ in range(options.rounds):
        for kind, found in ratios.items():
            gc.collect()
            turns = [runner(n, "tokens", options.tokens) for n in (name, kind, COUNT)]
            own, parsing, counting = (sum(spent) for spent in zip(*(in_turns(turns, s) for s in sources), strict=True))
            found.append(own / (parsing + counting))
    return {kind: summary(values) for kind, values in ratios.items()}


def in_turns(runs: Sequence[Run], source: Source) -> list[float]:
    """Return the processor seconds of each on one file."""
    return [timed(run, [source], collect=False) for run in runs]


def summary(values: Sequence[float]) -> dict[str, float]:
    """Return median, least and most."""
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def check_counts(sources: Sequence[Source], names: Sequence[str]) -> dict[str, int]:
    """Check on every paragraph that all count alike: the hooks as the peers call them, and Hugging Face tokenizers.

    Raises:
        AssertionError: Two counts differ.
    """
    paragraphs = [p for s in sources for p in s.text.split("\n\n") if p.strip()]
    counts = wordpiece().count_many(paragraphs)
    checked = {"paragraphs": len(paragraphs), "tokens": sum(counts)}
    if any(n.startswith("LlamaIndex") for n in names):
        from benchmarks.peers.llama import numbers

        tokenize = numbers(wordpiece().count)
        assert [len(tokenize(p)) for p in paragraphs] == counts
        checked["llama_index_hook"] = len(paragraphs)
    if any(n.startswith("chonkie") for n in names):
        from benchmarks.peers.chonkie_recursive import counting

        assert [counting(wordpiece().count).count_tokens(p) for p in paragraphs] == counts
        checked["chonkie_hook"] = len(paragraphs)
    try:
        import tokenizers
    except ImportError:
        return checked
    from importlib.resources import files

    definition = files("withgrain.tokens") / "data" / "wordpiece.json"
    reference = tokenizers.Tokenizer.from_str(definition.read_text("utf-8"))
    reference.no_truncation()
    reference.no_padding()
    encoded = reference.encode_batch(paragraphs, add_special_tokens=False)
    assert [len(e.ids) for e in encoded] == counts
    checked["hugging_face_tokenizers"] = len(paragraphs)
    return checked


def memory_of(name: str, folders: Sequence[Path]) -> dict[str, float]:
    """Return the peak memory of one contestant in a process of its own."""
    command = [sys.executable, __file__, *map(str, folders), "--memory-of", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def memory_here(name: str, folders: Sequence[Path], unit: str) -> dict[str, float]:
    """Return the peak in MB with everything loaded and the files read, and after cutting them all."""
    sources = list(read_sources(folders))
    run = runner(name, unit, TOKENS if unit == "tokens" else CHARACTERS)
    run(sources[0])
    loaded = _peak()
    for source in sources:
        run(source)
    return {"loaded": loaded, "peak": _peak()}


def _peak() -> float:
    """Return the peak resident memory of this process in MB.

    Linux hands ``ru_maxrss`` of a process on to what it starts, so that a small child reports its parent's peak; the
    kernel's own high-water mark begins anew with each program.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def table(report: dict[str, object]) -> list[str]:
    """Return the report as a Markdown table with its circumstances above."""
    speed, memory, sizes = report["speed"], report["memory"], report["sizes"]
    assert isinstance(speed, dict)
    assert isinstance(memory, dict)
    assert isinstance(sizes, dict)
    lines = [
        f"{report['files']} files, {report['megabytes']} MB, {report['rounds']} interleaved rounds",
        f"counts equal: {report['counts']}",
        f"{report['machine']}, load {report['load']}",
        f"versions: {report['versions']}",
        "",
        f"| | MB/s at {sizes['tokens']} tokens | MB/s at {sizes['characters']} characters | peak MB (loaded) |",
        "|---|---:|---:|---:|",
    ]
    for name in speed["tokens"]:
        peak = memory.get(name)
        cells = [_speed(speed[unit][name]) for unit in ("tokens", "characters")]
        lines.append(f"| {name} | {' | '.join(cells)} | {_megabytes(peak)} |")
    lines.append("")
    ratios = report["times_parse_and_count"]
    assert isinstance(ratios, dict)
    for name, kinds in ratios.items():
        lines += [
            f"{name}: {_speed(found)} x ({kind} + {COUNT}), in turns file by file" for kind, found in kinds.items()
        ]
    return lines


def _speed(found: dict[str, float]) -> str:
    return f"{found['median']:.2f} ({found['least']:.2f}–{found['most']:.2f})"


def _megabytes(peak: dict[str, float] | None) -> str:
    return f"{peak['peak']:.0f} ({peak['loaded']:.0f})" if peak else "not measured"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--peers", action="store_true", help="measure the installed peers, too")
    parser.add_argument("--only", action="append", metavar="PART", help="contestants whose names hold this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    parser.add_argument("--no-memory", dest="memory", action="store_false", help="leave peak memory out")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--unit", choices=("tokens", "characters"), default="tokens", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
