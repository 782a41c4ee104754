"""Vectors in memory: however few or many chunks are inside, the answer is that of comparing every leaf."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from withgrain.store import kept as module
from withgrain.store.block import block
from withgrain.store.kept import Kept
from withgrain.store.vectors import nearest, scored

CHUNKS, DIMS = 60, 8


def leaves(seed: int, chunks: int = CHUNKS) -> pa.Table:
    """Return leaves of a third of the chunks each none, one, or several, out of order; equal ones and strays among."""
    draw = random.Random(seed)
    owners = [chunk for chunk in range(chunks) for _ in range(draw.choice((0, 1, 1, 2, 5)))]
    draw.shuffle(owners)
    vectors = np.random.default_rng(seed).standard_normal((len(owners), DIMS)).round(0).astype(np.float32)
    names = [f"c{n}" for n in owners]
    names[3] = "nobody"
    return pa.table(
        {
            "leaf_id": [f"{draw.random():.6f}" for _ in owners],
            "chunk_id": names,
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMS),
            "start": [None if n % 5 == 0 else n for n in range(len(owners))],
            "end": [None if n % 5 == 0 else n + 1 for n in range(len(owners))],
        }
    )


def insides(draw: random.Random) -> Iterator[Any]:
    """Yield filters: none, all, nearly all, half in runs, few, one, nobody."""
    yield None
    for count in (CHUNKS, CHUNKS - 3, CHUNKS // 2, 7, 1, 0):
        yield np.array(sorted(draw.sample(range(CHUNKS), count)), dtype=np.int64)
    yield np.arange(10, 30)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("few", "short"), [(2000, 24), (0, 24), (0, 0)], ids=["copied", "in runs", "long runs"])
def test_the_nearest_are_those_of_a_plain_reading(
    seed: int, few: int, short: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same chunks with the same leaf: of equal leaves the one whose id comes first."""
    monkeypatch.setattr(module, "_FEW", few)
    monkeypatch.setattr(module, "_SHORT", short)
    draw = random.Random(seed)
    ids = pa.array([f"c{n}" for n in range(CHUNKS)])
    plain = block(leaves(seed), ids)
    fast = Kept(plain, CHUNKS)
    for inside in insides(draw):
        axis = draw.randrange(DIMS)
        vector = [float(n == axis) for n in range(DIMS)]  # its products are exact, however they are added up
        for limit in (1, 5, 1000):
            expected = nearest([scored(plain, vector)], CHUNKS, inside, limit)
            assert fast.nearest(vector, inside, limit) == expected


def test_no_leaves_are_no_answer() -> None:
    """A collection whose chunks have no vectors yet, and one of strays only."""
    ids = pa.array(["x"])
    assert Kept(block(leaves(1), ids), 1).nearest([1.0] * DIMS, None, 5) == []
    assert Kept(block(leaves(1).slice(0, 0), ids), 1).nearest([1.0] * DIMS, None, 5) == []


def test_places_are_those_that_were_stored() -> None:
    """By leaf; None for a leaf without a place."""
    table = leaves(2)
    rows = [r for r in table.to_pylist() if r["chunk_id"] in ("c4", "c5")]
    found = Kept(block(table, pa.array([f"c{n}" for n in range(CHUNKS)])), CHUNKS).spans([4, 5])
    assert {i: span and (span.start, span.end) for i, span in found.items()} == {
        r["leaf_id"]: None if r["start"] is None else (r["start"], r["end"]) for r in rows
    }


def test_of_very_many_leaves_a_sketch_finds_those_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly all of the nearest chunks are found, their cosines are exact, and twice the same is answered."""
    monkeypatch.setattr(module, "_EXACT", 100)
    draw = np.random.default_rng(5)
    chunks, dims = 3000, 160
    tilted = draw.standard_normal((2 * chunks, dims)) * np.linspace(1, 0.05, dims)  # few directions tell most
    table = pa.table(
        {
            "leaf_id": [f"{n:05}" for n in range(2 * chunks)],
            "chunk_id": [f"c{n // 2}" for n in range(2 * chunks)],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(tilted.astype(np.float32).ravel()), dims),
            "start": [0] * 2 * chunks,
            "end": [1] * 2 * chunks,
        }
    )
    plain = block(table, pa.array([f"c{n}" for n in range(chunks)]))
    fast, again = Kept(plain, chunks), Kept(plain, chunks)
    fast.warm()
    again.warm()
    for inside in (None, np.arange(0, chunks, 3), np.arange(500, 2500)):
        for question in tilted[7::1999]:
            vector = [float(v) for v in question]
            exact = {p: s for p, _, s in nearest([scored(plain, vector)], chunks, inside, chunks)}
            best = sorted(exact, key=lambda p: -exact[p])[:10]
            found = fast.nearest(vector, inside, 50)
            assert len({p for p, _, _ in found} & set(best)) >= 9
            assert all(s == pytest.approx(exact[p], abs=1e-5) for p, _, s in found)
            assert found == again.nearest(vector, inside, 50)
            assert fast.nearest(vector, np.array(best), 10) == again.nearest(vector, np.array(best), 10)


@pytest.mark.parametrize("exact", [10_000, 0], ids=["all compared", "sketched"])
def test_chunks_beside_come_after_the_nearest(exact: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of them that have a vector, with exact cosines; asked again, the same is answered."""
    monkeypatch.setattr(module, "_EXACT", exact)
    monkeypatch.setattr(module, "_COMPARED", 1)
    monkeypatch.setattr(module, "_FEW", 0)
    ids = pa.array([f"c{n}" for n in range(CHUNKS)])
    plain = block(leaves(4), ids)
    fast = Kept(plain, CHUNKS)
    vector = [1.0, -2.0, 0.5, 0.0, 1.0, 3.0, -1.0, 0.25]
    for inside in (None, np.arange(0, CHUNKS, 2), np.arange(0, CHUNKS, 2)):
        beside = np.arange(0, CHUNKS, 4)
        expected = nearest([scored(plain, vector)], CHUNKS, inside, 5, beside)
        everything = {p: s for p, _, s in nearest([scored(plain, vector)], CHUNKS, inside, CHUNKS)}
        for _ in range(3):
            found = fast.nearest(vector, inside, 5, beside)
            assert all(s == pytest.approx(everything[p], abs=1e-5) for p, _, s in found)
            assert {p for p, _, _ in found[5:]} == (set(beside.tolist()) & everything.keys()) - {
                p for p, _, _ in found[:5]
            }
            if exact:
                assert [p for p, _, _ in found] == [p for p, _, _ in expected]


def test_a_sketch_is_made_for_who_asks_often_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make it costs more than to compare all: a single command would wait for nothing."""
    monkeypatch.setattr(module, "_EXACT", 0)
    monkeypatch.setattr(module, "_COMPARED", 1)
    kept = Kept(block(leaves(4), pa.array([f"c{n}" for n in range(CHUNKS)])), CHUNKS)
    for made in (False, False, True):
        kept.nearest([1.0] * DIMS, None, 5)
        assert (kept._made is not None) == made
