"""How many chunks change their ids when one word is inserted at a random place: invariant 6.

    python benchmarks/locality.py [--insertions 100] [--seed 2]

Over the three documents of `tests/unit/chunk/test_locality.py`: one section of some 250 chunks, a log, and a contract
without headings.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.unit.chunk.test_locality import CASES, cut, insert


def main() -> None:
    """Print, for each document, how often one, two, three … chunks were new after an insertion."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--insertions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    total: Counter[int] = Counter()
    for name, (text, uri) in CASES.items():
        before = cut(text, uri)
        known = {chunk.id for chunk in before}
        source = random.Random(options.seed)
        changed: Counter[int] = Counter()
        for _ in range(options.insertions):
            after = cut(insert(text, source.randrange(20, len(text) - 300)), uri)
            changed[len({chunk.id for chunk in after} - known)] += 1
        total += changed
        print(f"{name}: {len(before)} chunks; new chunks: times {dict(sorted(changed.items()))}", flush=True)
    print(f"together: {dict(sorted(total.items()))}")


if __name__ == "__main__":
    main()
