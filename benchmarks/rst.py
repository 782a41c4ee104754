"""How reStructuredText is read, Sphinx being the judge: ``python benchmarks/rst.py SOURCES HTML [--most N] [--seed N]``

SOURCES is the folder of sources (``_sources`` or a copy, packed or not), HTML that of the pages which Sphinx made of
them. The page is read by the HTML parser, so that both sides are documents: headings, code blocks, cells of tables and
paragraphs are compared. What Sphinx generates (contents lists, "New in version") is no loss of the reader.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import time
from collections import Counter
from pathlib import Path

from withgrain.model import Block, Document
from withgrain.parse import parse

_WORD = re.compile(r"[^\W_]+")
#: Paragraphs that Sphinx writes where the source has a directive.
_GENERATED = re.compile(
    r"raisesanauditingevent|availability|part.*ofthestableabi|returnvalue|sourcecode|newinversion|changedinversion|"
    r"deprecatedsince|parameters|returns?$|returntype|raises$|theentry|(?:seealso)$"
)
#: Directives whose content comes from other files: pages with them say nothing about the reader.
_OUTSIDE = re.compile(r"^\s*\.\.\s+(?:kernel-doc|kernel-include|include|literalinclude|auto\w+)::", re.MULTILINE)
_DOCTEST = re.compile(r"\s*#\s*doctest:[^\n]*")
_SECTION = re.compile(r"^(?:\d+\.)+\s+")


def every(document: Document, kind: str) -> list[Block]:
    found, stack = [], list(document.blocks)
    while stack:
        block = stack.pop()
        found += [block] if block.kind == kind else []
        stack.extend(block.children)
    return found


def bare(text: str) -> str:
    return "".join(_WORD.findall(re.sub(r"\]\([^()\s]*\)", "", text))).casefold()


def parts(document: Document) -> dict[str, Counter[str]]:
    """Return headings, code blocks, cells and paragraphs."""
    text = document.text
    code = (block.content.of(text) if block.content else "" for block in every(document, "code"))
    cells = (bare(cell.span.of(text)) for cell in every(document, "table_cell"))
    prose = (bare(block.span.of(text)) for block in every(document, "paragraph"))
    return {
        "headings": Counter(bare(_SECTION.sub("", block.attrs["text"])) for block in every(document, "heading")),
        "code": Counter(bare(_DOCTEST.sub("", one)) for one in code),
        "cells": Counter(cell for cell in cells if cell),
        "paragraphs": Counter(p for p in prose if p and not _GENERATED.match(p)),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("html", type=Path)
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    files = sorted(f for f in options.sources.rglob("*.rst*") if f.is_file() and f.stat().st_size > 1_000)
    random.Random(options.seed).shuffle(files)
    total: Counter[str] = Counter()
    seconds = 0.0
    for file in files:
        name = str(file.relative_to(options.sources)).split(".rst")[0] + ".html"
        page = options.html / name
        if total["files"] == options.most or not page.exists():
            continue
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        if _OUTSIDE.search(data.decode("utf-8", "replace")):
            continue
        start = time.process_time()
        source = parse(data, uri="a.rst")
        seconds += time.process_time() - start
        wanted, found = parts(parse(page.read_bytes(), uri="a.html")), parts(source)
        total.update(files=1, bytes=len(data))
        whole = bare(source.text)
        for kind in wanted:
            missed = wanted[kind] - found[kind]
            if kind == "paragraphs":  # a paragraph is whole when its words follow each other
                missed = Counter({p: n for p, n in missed.items() if p not in whole})
            total.update({kind: sum(wanted[kind].values()), f"{kind} found": sum((wanted[kind] - missed).values())})
            total.update({f"{kind} given": sum(found[kind].values())})
            if missed:
                print(f"  {name}: {kind}: {sum(missed.values())} not found: {[m[:50] for m in list(missed)[:4]]}")
    print(dict(total), f"{total['bytes'] / 1e6 / max(seconds, 1e-9):.2f} MB/s")


if __name__ == "__main__":
    main()
