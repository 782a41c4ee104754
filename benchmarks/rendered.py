"""What formats whose text the parser makes keep: ``python benchmarks/rendered.py FOLDER … --suffix .html --most 100``.

For every file: words that an independent extraction finds and the document neither has nor lists as left out, blocks
that do not tile the text, chunk bodies that are not their slice, heading elements and headings, and speed.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from pathlib import Path

from withgrain.chunk import chunk_document
from withgrain.errors import DocumentError
from withgrain.model import Document
from withgrain.parse import parse

_HEADING = re.compile(r"<h[1-6]\b", re.IGNORECASE)


def tiles(document: Document) -> bool:
    """Return whether the blocks follow each other without gap or overlap."""
    at = 0
    for block in document.blocks:
        if block.span.start != at:
            return False
        at = block.span.end
    return at == len(document.text)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--suffix", default=".html")
    parser.add_argument("--most", type=int, default=100)
    options = parser.parse_args()
    files = sorted(
        f for folder in options.folders for f in folder.rglob(f"*{options.suffix}") if f.stat().st_size > 500
    )
    files = files[:: max(1, len(files) // options.most)][: options.most]
    lost: Counter[str] = Counter()
    drops: Counter[str] = Counter()
    size = failed = broken = headings = found = 0
    seconds = 0.0
    for file in files:
        data = file.read_bytes()
        started = time.process_time()
        try:
            document = parse(data, uri=file.name)
        except DocumentError as error:
            failed += 1
            print(f"{file.name}: {error}")
            continue
        seconds += time.process_time() - started
        size += len(data)
        if document.unread:
            lost[file.name] = len(document.unread)
        drops.update(drop.reason for drop in document.dropped)
        chunked = chunk_document(document, facts=False)
        exact = all(c.span is None or c.span.of(document.text) == c.body for c in chunked.chunks)
        broken += not (tiles(document) and exact and chunked.audit.words_lost == len(document.unread))
        headings += len(_HEADING.findall(data.decode("utf-8", "replace")))
        found += sum(block.kind == "heading" for block in document.blocks)
    print(f"{len(files)} files, {size / 1e6:.2f} MB, {size / 1e6 / max(seconds, 1e-9):.2f} MB/s of processor time")
    print(f"words lost {sum(lost.values())} in {len(lost)} files; broken {broken}; not read {failed}")
    print(f"heading elements {headings}, headings {found}; left out {dict(drops.most_common(12))}")
    for name, count in lost.most_common(5):
        print(f"  {name}: {count}")


if __name__ == "__main__":
    main()
