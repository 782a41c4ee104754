"""How well PDF structure is read, with the files' own outlines as the judge.

    python benchmarks/pdf.py FILE_OR_FOLDER... [--json]

An outline (bookmarks) names the headings of a file and their levels. Here files are parsed *without* looking at it, so
that type, numbers and position alone must find the headings; then the outline says which are right. Words are counted
against PDFium's own text extraction, which knows nothing of layout: a word that is neither in the text nor in a named
drop is lost. Speed is CPU time of one process.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

import pypdfium2

from withgrain.errors import DocumentError
from withgrain.model import Source
from withgrain.parse.pdf import parse_pdf
from withgrain.parse.pdf.headings import comparable
from withgrain.parse.pdf.native import open_pdf, read_bookmarks

_WORD = re.compile(r"\w+", re.UNICODE)


def measure(path: Path) -> dict[str, float | int | str]:
    data = path.read_bytes()
    source = Source(uri=path.name, media_type="application/pdf", sha256="")
    start = time.process_time()
    try:
        document = parse_pdf(data, source, outline=False)
    except DocumentError as error:
        return {"file": path.name, "error": str(error)}
    seconds = time.process_time() - start
    native = open_pdf(data)
    marks = read_bookmarks(native)
    pages = len(native)
    native.close()
    gold = Counter(comparable(re.sub(r"^\s*(?:[\dA-Z]{1,3}(?:\.\d+)*[.)]?)\s+", "", m.title)) for m in marks)
    given = Counter(
        comparable(re.sub(r"^\s*(?:[\dA-Z]{1,3}(?:\.\d+)*[.)]?)\s+", "", b.attrs["text"]))
        for b in document.blocks
        if b.kind == "heading"
    )
    right = sum((gold & given).values())
    whole = _plain_words(data)
    kept = Counter(_WORD.findall(document.text)) + Counter(w for d in document.dropped for w in _WORD.findall(d.text))
    lost = whole - kept
    return {
        "file": path.name, "pages": pages, "pages_per_s": round(pages / max(seconds, 1e-6), 1),
        "headings": sum(gold.values()), "found": right, "given": sum(given.values()),
        "words": sum(whole.values()), "words_lost": sum(lost.values()),
        "tables": sum(b.kind == "table" for b in document.blocks),
    }  # fmt: skip


def _plain_words(data: bytes) -> Counter[str]:
    """Return the words of PDFium's own reading of the pages, those that a line end cuts left out."""
    found: Counter[str] = Counter()
    document = pypdfium2.PdfDocument(data)
    for page in document:
        text = page.get_textpage().get_text_range(errors="replace")
        for line in re.sub(r"\w+(?:[-\ufffe\x02]\r?\n|[\ufffe\x02])\w+", " ", text).splitlines():
            found.update(_WORD.findall(line))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = [f for p in options.paths for f in (sorted(p.rglob("*.pdf")) if p.is_dir() else [p])]
    rows = [measure(file) for file in files]
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        return
    names = f"{'pages':>5} {'p/s':>6} {'outline':>7} {'found':>5} {'given':>5} {'tables':>6} {'words':>7} {'lost':>5}"
    print(f"{'file':34} {names}")
    for row in rows:
        if "error" in row:
            print(f"{row['file']:34} {row['error']}")
            continue
        print(
            f"{str(row['file'])[:34]:34} {row['pages']:5} {row['pages_per_s']:6} {row['headings']:7} {row['found']:5} "
            f"{row['given']:5} {row['tables']:6} {row['words']:7} {row['words_lost']:5}"
        )


if __name__ == "__main__":
    main()
