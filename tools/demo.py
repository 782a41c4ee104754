"""The demonstration: ingest the example handbook, ask six questions, show cited sections and the audit.

It ingests and audits through the installed command line, asks through the Python API (one start for six questions), and
checks what comes back. Exit code 1 when the right section is not first, when a word is lost, when a document fails, or
when a second ingest finds something to do.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import withgrain
from withgrain import Hit, Library

REPO = Path(__file__).resolve().parent.parent
HANDBOOK = Path("examples/handbook")
QUESTIONS = REPO / "examples" / "demo_questions.json"
COLLECTION = ".demo/collection"
SHOWN = 3


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with ``--json``."""
    line = [sys.executable, "-m", "withgrain.cli", *arguments, "--json"]
    return subprocess.run(line, cwd=REPO, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)


def command(*arguments: str) -> dict[str, Any]:
    """Run the command line and return what it printed; stop when it fails."""
    done = run(*arguments)
    if done.returncode == 3 and (REPO / COLLECTION).exists():
        print("  the demo's collection is of an older version: starting anew")
        shutil.rmtree(REPO / COLLECTION)
        done = run(*arguments)
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(f"withgrain {' '.join(arguments)} ended with exit code {done.returncode}")
    shape: dict[str, Any] = json.loads(done.stdout)
    return shape


def ingest() -> dict[str, Any]:
    """Ingest the handbook, say what it did, and return the report."""
    print(f"$ withgrain ingest {HANDBOOK} -c {COLLECTION}")
    report = command("ingest", str(HANDBOOK), "-c", COLLECTION)
    ends = ", ".join(f"{n} {end}" for end, n in report["documents"].items() if n)
    print(f"  documents {ends}; {report['chunks']} chunks; {report['embedded']} embedded", end="")
    print(f"; {sum(report['written'].values())} rows written; {report['seconds']:.1f} s")
    return report


def is_right(hit: Hit, expected: dict[str, Any]) -> bool:
    """Return whether a hit cites the expected document and ends in the expected heading."""
    wanted = tuple(expected["heading_path"])
    return hit.citation.document == expected["document"] and hit.citation.heading_path[-len(wanted) :] == wanted


def ask(library: Library, expected: dict[str, Any]) -> bool:
    """Ask, show the ranked sections, and return whether the right one is first."""
    hits = library.search(expected["question"], k=SHOWN).hits
    print(f"\n? {expected['question']}")
    for hit in hits:
        print(f"{'✓' if is_right(hit, expected) else ' '} {hit.rank}. {hit.citation}")
        if hit.rank == 1:
            for line in [line for line in hit.text.splitlines() if line.strip()][:4]:
                print(f"       {line[:140]}")
    return bool(hits) and is_right(hits[0], expected)


def audit() -> dict[str, Any]:
    """Audit the handbook and show the sums."""
    shape = command("audit", str(HANDBOOK))
    documents = shape["documents"]
    print(f"\n$ withgrain audit {HANDBOOK}")
    print(f"  documents  {len(documents)}")
    print(f"  sections   {sum(len(d['sections']) for d in documents)}")
    print(f"  rescued    {shape['rescued']} sections that a drop-below-minimum chunker loses")
    print(f"  words      {sum(d['words'] for d in documents)}")
    print(f"  words lost {shape['words_lost']}")
    return shape


def main() -> int:
    """Run the demonstration; return the exit code."""
    began = time.monotonic()
    report = ingest()
    print(f"  words lost {report['words_lost']}")
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    with withgrain.open(REPO / COLLECTION) as library:
        right = [ask(library, q) for q in questions]
    shape = audit()
    print()
    again = ingest()
    written = sum(again["written"].values())
    unchanged = again["embedded"] == 0 and written == 0
    print(f"  second run: {again['embedded']} embedded, {written} written")
    problems = [
        *(f"not first: {q['question']}" for q, first in zip(questions, right, strict=True) if not first),
        *(["words were lost"] if report["words_lost"] or shape["words_lost"] else []),
        *(["documents failed"] if report["failures"] or shape["failures"] else []),
        *([] if unchanged else ["the second ingest was not free"]),
    ]
    print(f"\n{sum(right)} of {len(right)} questions have the right section first; {time.monotonic() - began:.0f} s")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
