"""Measure code and data files: what is broken, how fast, for every format in some folders.

``python benchmarks/code_and_data.py FOLDER … [--most 200] [--json]``: files over 1 MB are left out. A file is broken
when a word is lost, a body is not the slice at its span, blocks do not tile the text, or a chunk is over its limit.
Exit code 1 when any is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from withgrain.chunk import STRUCTURE_AWARE, chunk_document
from withgrain.errors import DocumentError
from withgrain.parse import parse
from withgrain.parse.registry import CODE, DATA, format_for
from withgrain.tokens import wordpiece

NAMES = {entry.name for entry in (*CODE, *DATA)}
LARGEST = 1_000_000


def faults(path: Path, data: bytes, totals: dict[str, float]) -> list[str]:
    """Parse and cut one file; add to the totals of its format; return what is broken."""
    started = time.process_time()
    document = parse(data, uri=path.name)
    parsed = time.process_time()
    chunked = chunk_document(document, STRUCTURE_AWARE, wordpiece())
    totals["parse"] += parsed - started
    totals["chunk"] += time.process_time() - parsed
    totals["files"] += 1
    totals["bytes"] += len(data)
    totals["chunks"] += len(chunked.chunks)
    totals["not understood"] += any(notice.kind == "parse_failed" for notice in document.notices)
    found = ["words lost"] if chunked.audit.words_lost else []
    at = 0
    for block in document.blocks:
        if block.span.start != at:
            found.append("blocks do not tile")
        at = block.span.end
    most = STRUCTURE_AWARE.budget_for(chunked.doc_class).maximum
    for chunk in chunked.chunks:
        if chunk.span is not None and chunk.span.of(document.text) != chunk.body:
            found.append("body is not its span")
        if chunk.tokens is not None and chunk.tokens > most:
            found.append("over the limit")
    return found


def measure(folders: list[Path], most: int) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return the totals by format, and one line a fault."""
    totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    broken: list[str] = []
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
            entry = format_for(path.name)
            if entry is None or entry.name not in NAMES or totals[entry.name]["files"] >= most:
                continue
            if not 0 < path.stat().st_size <= LARGEST:
                continue
            try:
                broken += [f"{path}: {fault}" for fault in faults(path, path.read_bytes(), totals[entry.name])]
            except DocumentError as error:
                print(error, file=sys.stderr)
    return totals, broken


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=200, help="files of a format that are read")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    totals, broken = measure(options.folders, options.most)
    rows: list[dict[str, Any]] = []
    for name, t in sorted(totals.items()):
        if t["files"]:
            megabytes = t["bytes"] / 1e6
            rows.append(
                {
                    "format": name,
                    "files": int(t["files"]),
                    "MB": round(megabytes, 2),
                    "parse MB/s": round(megabytes / max(t["parse"], 1e-9), 1),
                    "chunk MB/s": round(megabytes / max(t["chunk"], 1e-9), 1),
                    "chunks": int(t["chunks"]),
                    "not understood": int(t["not understood"]),
                }
            )
    if options.json:
        print(json.dumps({"formats": rows, "broken": broken}))
    else:
        print(" | ".join(rows[0]) if rows else "no files")
        for row in rows:
            print(" | ".join(str(value) for value in row.values()))
        print(*broken, f"broken: {len(broken)}", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
