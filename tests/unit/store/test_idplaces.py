"""Ids are found at the places where they stand."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from withgrain.store import idplaces as module
from withgrain.store.idplaces import Places


@pytest.mark.parametrize("size", [32, 8, 20], ids=["usual", "short", "no multiple of a word"])
@pytest.mark.parametrize("multiplier", [module._MULTIPLIER, 0], ids=["spread", "all hashes equal"])
def test_every_id_has_its_place(size: int, multiplier: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id that is not there has none, whatever it is; equal hashes are told apart."""
    monkeypatch.setattr(module, "_MULTIPLIER", multiplier)
    draw = random.Random(size)
    ids = list(dict.fromkeys(f"{draw.randrange(16**size):0{size}x}" for _ in range(500)))
    places = Places(pa.array(["before", *ids]).slice(1))
    asked = [*draw.sample(ids, 200), "", "x", "é" * (size // 2), "\ud800", ids[7], "z" * size]
    assert places.of(asked).tolist() == [ids.index(i) if i in ids else -1 for i in asked]
    assert places.of([]).tolist() == []
    neighbours = [ids[4], ids[4], "z" * size, "z" * size, ids[4], ids[5], ids[5]]
    assert places.of(neighbours).tolist() == [4, 4, -1, -1, 4, 5, 5]


def test_ids_of_several_lengths_are_found_too() -> None:
    """As those that other programs may have written."""
    places = Places(pa.array(["a", "bb" * 8, "ccc"]))
    assert places.of(["ccc", "d", "a"]).tolist() == [2, -1, 0]
    assert places.of(["nothing"]).dtype == np.int64
