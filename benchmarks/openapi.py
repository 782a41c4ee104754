"""Measure OpenAPI and Swagger descriptions: one operation is one unit that stays whole where it fits.

``python benchmarks/openapi.py FILE … [--json]``. The judge is an independent reading of each file (the JSON module,
PyYAML): every method under ``paths`` and ``webhooks`` is an operation. *Found*: it has a section of its own. *Whole*:
one chunk holds all of it. *Cut*: it is over the limit with its heading path. *Severed*: it would fit and is cut all the
same. Exit code 1 when an operation is missing or severed, a word is lost or a chunk is over its limit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from withgrain.chunk import STRUCTURE_AWARE, chunk_document
from withgrain.model import Chunk, Document, Span, sections
from withgrain.parse import parse
from withgrain.tokens import wordpiece

METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch", "trace", "query"))


def operations(data: bytes, *, is_json: bool) -> list[str]:
    """Return the operations that a file describes, as ``METHOD path``, by another parser than withgrain's."""
    top = json.loads(data) if is_json else yaml.load(data, Loader=yaml.BaseLoader)
    return [
        f"{method.upper()} {path}"
        for key in ("paths", "webhooks")
        for path, item in (top.get(key) or {}).items()
        if isinstance(item, dict)
        for method, described in item.items()
        if method.lower() in METHODS and isinstance(described, dict)
    ]


def extents(document: Document, names: Sequence[str]) -> dict[str, Span]:
    """Return from where to where each operation stands, its sections included."""
    wanted, found = set(names), dict[str, Span]()
    for section in sections(document):
        for name in wanted.intersection(section.path):
            old = found.get(name, section.span)
            found[name] = Span(start=min(old.start, section.span.start), end=max(old.end, section.span.end))
    return found


def state(document: Document, span: Span, chunks: Sequence[Chunk], maximum: int) -> str:
    """Return what became of an operation: ``whole``, ``cut`` or ``severed``."""
    inside = [chunk for chunk in chunks if chunk.span is not None and chunk.span.overlaps(span)]
    if len(inside) == 1:
        return "whole"
    above = "\n".join(part.text for part in inside[0].parts if part.role == "path")
    size = wordpiece().count(span.of(document.text)) + wordpiece().count(above)
    return "severed" if size <= maximum else "cut"


def measure(path: Path) -> dict[str, Any]:
    """Parse, cut and judge one file."""
    data = path.read_bytes()
    started = time.process_time()
    document = parse(data, uri=path.name)
    chunked = chunk_document(document, STRUCTURE_AWARE, wordpiece())
    seconds = time.process_time() - started
    maximum = STRUCTURE_AWARE.budget_for(chunked.doc_class).maximum
    named = operations(data, is_json=path.suffix == ".json")
    found = extents(document, named)
    states = [state(document, span, chunked.chunks, maximum) for span in found.values()]
    return {
        "file": path.name,
        "title": document.title,
        "MB": round(len(data) / 1e6, 2),
        "MB/s": round(len(data) / 1e6 / max(seconds, 1e-9), 1),
        "operations": len(named),
        "found": sum(name in found for name in named),
        **{name: states.count(name) for name in ("whole", "cut", "severed")},
        "words lost": chunked.audit.words_lost,
        "over the limit": sum((chunk.tokens or 0) > maximum for chunk in chunked.chunks),
    }


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(path) for path in options.files]
    if options.json:
        print(json.dumps(rows))
    else:
        print(" | ".join(rows[0]))
        for row in rows:
            print(" | ".join(str(value) for value in row.values()))
    bad = [r for r in rows if r["found"] < r["operations"] or r["severed"] or r["words lost"] or r["over the limit"]]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
