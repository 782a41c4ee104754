"""Measure the detectors on texts of the size of chunks, beside a token pass over the same texts.

``python benchmarks/signals.py FOLDER … [--most 400]``: Markdown files are cut without facts, then every body with its
heading is looked at. Processor time, the best of three.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from withgrain.chunk import chunk_document
from withgrain.parse import parse
from withgrain.signals import detect
from withgrain.tokens import wordpiece


def texts_of(folders: list[Path], most: int) -> list[str]:
    """Return heading and body of every chunk of the Markdown files."""
    texts: list[str] = []
    for path in sorted(path for folder in folders for path in folder.rglob("*.md"))[:most]:
        chunked = chunk_document(parse(path.read_bytes(), uri=path.name), facts=False, audit=False)
        texts.extend("\n".join((*chunk.heading_path[-1:], chunk.body)) for chunk in chunked.chunks)
    return texts


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of the fastest of three runs, behind one that warms up."""
    work()
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=400, help="files that are read")
    options = parser.parse_args()
    texts = texts_of(options.folders, options.most)
    megabytes = sum(map(len, texts)) / 1e6
    tokenizer = wordpiece()
    print(f"{len(texts):,} texts, {megabytes:.1f} MB")
    for name, work in (
        ("detect", lambda: [detect(text) for text in texts]),
        ("split at white space", lambda: [text.split() for text in texts]),
        ("count tokens one by one", lambda: [tokenizer.count(text) for text in texts]),
        ("count tokens in one call", lambda: tokenizer.count_many(texts)),
    ):
        taken = seconds(work)
        print(f"{name}: {megabytes / taken:.1f} MB/s, {taken / len(texts) * 1e6:.0f} µs a text")


if __name__ == "__main__":
    main()
