"""Train the model of the embedder ``static``: a table of token vectors whose weighted mean stands for MiniLM's vector.

Usage::

    python tools/train_static_model.py collect TEXTS.jsonl --docs FOLDER ... --wordnet FOLDER --exclude FOLDER
    python tools/train_static_model.py embed TEXTS.jsonl VECTORS.sqlite
    python tools/train_static_model.py fit TEXTS.jsonl VECTORS.sqlite model.bin

Needs ``scipy`` (not at run time). The idea is that of "tokenlearn" (Minish Lab, 2024): the mean of a text's token
vectors shall come near to the teacher's vector of the text, learned on real texts. Here it is a linear problem and
solved as one: ridge regression towards the teacher's vector of each token alone, by conjugate gradients, so that the
result has no random part but the choice of texts. ``packages/withgrain-static/README.md`` lists the texts and their
licences.

- **collect**: leaves of documentation as `withgrain` cuts them, glosses of WordNet for the words that no manual has. A
  text that shares eight words in a row with a file of ``--exclude`` (the corpora that we evaluate on) is left out.
- **embed**: vectors of the texts and of each token alone, by the bundled model, kept in an embedding cache (it can be
  interrupted).
- **fit**: the table, 8 bits a number, with a weight a token; says how near held-out texts come.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from withgrain.chunk import chunk_document, leaves, policy
from withgrain.embed import EmbeddingCache, MiniLM, embed_cached
from withgrain.errors import WithgrainError
from withgrain.parse import parse
from withgrain.tokens import wordpiece

SEED = 20261130
DIMS = 256
WINDOW = 254
A_FILE = 24  # leaves of one file: many files, not the whole of a few
SHORTEST, LARGEST = 40, 50_000  # characters of a text, bytes of a file
SHINGLE = 8
HELD_OUT = 10  # one text of so many is not learned from
SMOOTH = 1e-3  # a / (a + p): Arora et al. (2017), "a simple but tough-to-beat baseline for sentence embeddings"
ROUNDS, STEPS = 3, 25


def collect(given: argparse.Namespace) -> None:
    """Write the training texts, one JSON string a line."""
    chance = random.Random(SEED)
    seen = {s for file in _files(given.exclude) for s in _shingles(file.read_text("utf-8", "replace"))}
    texts = _few(chance, _leaves_of(given.docs, chance, given.leaves * 5 // 4), seen, given.leaves)
    texts += _few(chance, _glosses(given.wordnet), seen, given.glosses)
    given.texts.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    print(f"{len(texts)} texts")


def _files(folders: Iterable[Path]) -> list[Path]:
    return sorted(f for folder in folders for f in folder.rglob("*") if f.suffix in (".md", ".txt", ".html", ".sgml"))


def _shingles(text: str) -> Iterator[int]:
    words = re.findall(r"\w+", text.lower())
    return (hash(tuple(words[at : at + SHINGLE])) for at in range(len(words) - SHINGLE + 1))


def _few(chance: random.Random, texts: Iterable[str], seen: set[int], most: int) -> list[str]:
    long_enough = (t for t in dict.fromkeys(texts) if len(t) >= SHORTEST and wordpiece().count(t) <= WINDOW)
    fresh = [t for t in long_enough if seen.isdisjoint(_shingles(t))]
    chance.shuffle(fresh)
    return fresh[:most]


def _leaves_of(folders: Sequence[Path], chance: random.Random, most: int) -> Iterator[str]:
    """Yield leaves of the files of each folder, as many of each, while it has some."""
    for folder in folders:
        files = [f for f in _files([folder]) if 1_000 < f.stat().st_size < LARGEST]
        chance.shuffle(files)
        made = 0
        for file in files:
            if made >= most // len(folders):
                break
            try:
                document = parse(file.read_bytes(), uri=file.name)
            except WithgrainError:
                continue
            chunks = chunk_document(document, policy("structure_aware"), wordpiece()).chunks
            found = [leaf.text for c in chunks for leaf in leaves(document, c, wordpiece(), WINDOW)]
            chance.shuffle(found)
            yield from found[:A_FILE]
            made += min(len(found), A_FILE)


def _glosses(folder: Path) -> Iterator[str]:
    """Yield ``words: gloss`` of WordNet's data files."""
    for file in sorted(folder.glob("data.*")):
        for line in file.read_text("latin-1").splitlines():
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            words = [fields[4 + 2 * n].replace("_", " ") for n in range(int(fields[3], 16))]
            yield f"{', '.join(words)}: {gloss.strip()}"


def embed(given: argparse.Namespace) -> None:
    """Let the teacher embed the texts and the tokens."""
    with EmbeddingCache(given.vectors) as cache:
        for wanted in (_texts(given.texts), _vocabulary()):
            embed_cached(MiniLM(), cache, wanted, lambda done, all_: print(f"{done} of {all_}", end="\r", flush=True))


def _texts(file: Path) -> list[str]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _vocabulary() -> list[str]:
    """Return the tokens in the order of their ids, without the sign of a continuation."""
    import withgrain.tokens

    place = Path(withgrain.tokens.__file__).parent / "data" / "wordpiece.json"
    table: dict[str, int] = json.loads(place.read_text("utf-8"))["model"]["vocab"]
    return [token.removeprefix("##") for token, _ in sorted(table.items(), key=lambda item: item[1])]


def fit(given: argparse.Namespace) -> None:
    """Solve for the table and write it."""
    from scipy.sparse import csr_matrix

    texts, tokens = _texts(given.texts), _vocabulary()
    with EmbeddingCache(given.vectors) as cache:
        targets, _ = embed_cached(MiniLM(), cache, texts)
        alone, _ = embed_cached(MiniLM(), cache, tokens)
    encode = wordpiece().encode
    ids = [encode(text)[:WINDOW] for text in texts]
    rows = csr_matrix(
        (
            np.ones(sum(map(len, ids)), np.float32),
            np.concatenate(ids),
            np.cumsum([0, *map(len, ids)]),
        ),
        shape=(len(texts), len(tokens)),
    )
    rows.sum_duplicates()
    teacher = np.asarray(targets, np.float32)
    basis = np.linalg.svd(teacher[:: max(1, len(texts) // 8000)], full_matrices=False)[2][:DIMS].T
    share = np.asarray(rows.sum(axis=0)).ravel() / rows.sum()
    first = (np.asarray(alone, np.float32) @ basis) * (SMOOTH / (SMOOTH + share))[:, None].astype(np.float32)
    held = np.arange(len(texts)) % HELD_OUT == 0
    goal = _unit(teacher @ basis)
    print(f"nothing learned: {_nearness(rows[held], first, goal[held]):.4f}")
    best = max(
        (_solve(rows[~held], goal[~held], first, ridge) for ridge in given.ridge),
        key=lambda table: _nearness(rows[held], table, goal[held], say=True),
    )
    packed = _packed(best)
    given.model.write_bytes(packed.tobytes())
    again = packed["vector"].astype(np.float32) * packed["weight"][:, None]
    print(f"8 bits: {_nearness(rows[held], again, goal[held]):.4f}; {packed.nbytes} bytes")


def _solve(rows: Any, goal: Any, first: Any, ridge: float) -> Any:
    """Return the table E that makes rows · E near to the goal and stays near to the first one.

    Only the direction of a text's vector counts, so each row is scaled to what the table makes of length 1, again and
    again.
    """
    from scipy.sparse import diags

    table = first
    for _ in range(ROUNDS):
        made = rows @ table
        scaled = diags(1 / np.maximum(np.linalg.norm(made, axis=1), 1e-9).astype(np.float32)) @ rows
        table = table + _conjugate_gradients(scaled, goal - scaled @ table, first - table, ridge)
    return table


def _conjugate_gradients(rows: Any, rest: Any, back: Any, ridge: float) -> Any:
    """Return the step that minimises |rows · step - rest|² + ridge · |step - back|², column by column."""
    step = np.zeros_like(back)
    residual = rows.T @ rest + ridge * back
    direction, length = residual.copy(), (residual**2).sum(axis=0)
    for _ in range(STEPS):
        image = rows.T @ (rows @ direction) + ridge * direction
        pace = length / np.maximum((direction * image).sum(axis=0), 1e-30)
        step += pace * direction
        residual -= pace * image
        before, length = length, (residual**2).sum(axis=0)
        direction = residual + (length / np.maximum(before, 1e-30)) * direction
    return step


def _unit(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _nearness(rows: Any, table: Any, goal: Any, *, say: bool = False) -> float:
    found = float((_unit(rows @ table) * goal).sum(axis=1).mean())
    if say:
        print(f"mean cosine of held-out texts: {found:.4f}")
    return found


def _packed(table: Any) -> Any:
    """Return one record a token: 8-bit numbers and a 16-bit weight; a text's vector is then a sum of whole numbers."""
    largest = np.abs(table).max(axis=1)
    weight = np.maximum(1, np.round(largest / largest.max() * 32767))
    step = weight * (largest.max() / 32767 / 127)
    packed = np.zeros(len(table), dtype=[("weight", "<i2"), ("vector", "i1", DIMS)])
    packed["weight"] = weight
    packed["vector"] = np.clip(np.round(table / step[:, None]), -127, 127)
    return packed


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    stages = parser.add_subparsers(required=True)
    stage = stages.add_parser("collect")
    stage.add_argument("texts", type=Path)
    stage.add_argument("--docs", type=Path, nargs="+", required=True)
    stage.add_argument("--wordnet", type=Path, required=True)
    stage.add_argument("--exclude", type=Path, nargs="*", default=[])
    stage.add_argument("--leaves", type=int, default=8_000)
    stage.add_argument("--glosses", type=int, default=5_000)
    stage.set_defaults(run=collect)
    stage = stages.add_parser("embed")
    stage.add_argument("texts", type=Path)
    stage.add_argument("vectors", type=Path)
    stage.set_defaults(run=embed)
    stage = stages.add_parser("fit")
    stage.add_argument("texts", type=Path)
    stage.add_argument("vectors", type=Path)
    stage.add_argument("model", type=Path)
    stage.add_argument("--ridge", type=float, nargs="+", default=[0.15, 0.07])
    stage.set_defaults(run=fit)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
