"""Make the directions that token vectors are shortened along: `withgrain.embed.codes`.

Usage: ``python tools/train_token_directions.py``. Principal directions (Pearson 1901, not centred: products are what is
compared) of the token vectors of the texts of this repository: the handbook of the examples, and the documentation.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

from withgrain.chunk import chunk_document, leaves
from withgrain.embed import MiniLM
from withgrain.embed.codes import BITS, DIMS
from withgrain.parse import media_type_for, parse

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("examples/handbook", "docs")
DATA = ROOT / "src" / "withgrain" / "embed" / "data" / "directions.f16"


def main() -> int:
    """Write the file and print its hash."""
    embedder = MiniLM(workers=1)
    squares = np.zeros((DIMS, DIMS))
    for folder in FOLDERS:
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.is_file() and media_type_for(p.name)):
            document = parse(path.read_bytes(), uri=f"{folder}/{path.name}")
            for chunk in chunk_document(document, facts=False, audit=False).chunks:
                for leaf in leaves(document, chunk, embedder.tokenizer, embedder.window):
                    vectors = embedder.token_vectors(leaf.text).astype(np.float64)
                    squares += vectors.T @ vectors
    _, found = np.linalg.eigh(squares)  # ascending: the last ones tell most
    data = np.ascontiguousarray(found[:, ::-1][:, :BITS]).astype("<f2").tobytes()
    DATA.write_bytes(data)
    print(len(data), sha256(data).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
