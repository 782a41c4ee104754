"""Vectors in memory, in a mapped file, and read anew for every question answer alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.unit.store.test_kept import CHUNKS, DIMS, leaves
from withgrain.store import mapped
from withgrain.store import vectors as module
from withgrain.store.vectors import Vectors

IDS = pa.array([f"c{n}" for n in range(CHUNKS)])
QUESTION = [1.0, -2.0, 0.5, 0.0, 1.0, 3.0, -1.0, 0.25]


def made(table: pa.Table, folder: Path, *, kept: int, monkeypatch: pytest.MonkeyPatch) -> Vectors:
    """Return vectors that stay in memory up to so many bytes."""
    monkeypatch.setattr(module, "KEPT_BYTES", kept)

    def read() -> Iterator[pa.RecordBatch]:
        return iter(table.to_batches(max_chunksize=17))

    return Vectors(read, len(table), DIMS, folder)


@pytest.mark.parametrize("ordered", [True, False], ids=["by chunk", "shuffled"])
def test_a_mapped_file_answers_as_memory_does(ordered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second question on; the file has no name, so that nothing stays when the process ends."""
    table = leaves(3)
    if ordered:
        table = table.take(np.argsort([int(i[1:]) if i[0] == "c" else -1 for i in table["chunk_id"].to_pylist()]))
    memory = made(table, tmp_path, kept=1 << 20, monkeypatch=monkeypatch)
    file = made(table, tmp_path, kept=len(table) * DIMS, monkeypatch=monkeypatch)
    for _ in range(3):
        for inside in (None, np.arange(0, CHUNKS, 3)):
            beside = np.arange(0, CHUNKS, 6)
            expected = memory.nearest(QUESTION, IDS, inside, 7, beside)
            found = file.nearest(QUESTION, IDS, inside, 7, beside)
            assert [p for p, _, _ in found] == [p for p, _, _ in expected]
            assert [s for _, _, s in found] == pytest.approx([s for _, _, s in expected], abs=1e-6)
        assert file.loaded
        assert file.spans([4, 5]) == memory.spans([4, 5])
    assert list(tmp_path.iterdir()) == []


def test_without_room_they_are_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs time, no answer."""
    table = leaves(3)
    expected = made(table, tmp_path, kept=1 << 20, monkeypatch=monkeypatch).nearest(QUESTION, IDS, None, 9)
    monkeypatch.setattr(mapped, "_FREE", 1 << 60)
    anew = made(table, tmp_path, kept=len(table) * DIMS, monkeypatch=monkeypatch)
    for _ in range(3):
        found = anew.nearest(QUESTION, IDS, None, 9)
        assert [s for _, _, s in found] == pytest.approx([s for _, _, s in expected], abs=1e-6)
    assert not anew.loaded


def test_warm_vectors_are_at_hand_before_the_first_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether they fit into memory or not; none are none."""
    table = leaves(3)
    for kept in (1 << 20, len(table) * DIMS):
        vectors = made(table, tmp_path, kept=kept, monkeypatch=monkeypatch)
        vectors.warm(IDS)
        assert vectors.loaded
    nothing = made(table.slice(0, 0), tmp_path, kept=1, monkeypatch=monkeypatch)
    nothing.warm(IDS)
    assert not nothing.loaded and nothing.nearest(QUESTION, IDS, None, 9) == []


def test_leaves_that_wait_for_their_vectors_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole batches of them, too."""
    table = leaves(3)
    vectors = table.column("vector").combine_chunks()
    missing = pa.array([n < 40 or n % 3 == 0 for n in range(len(table))])
    some = pa.FixedSizeListArray.from_arrays(vectors.flatten(), type=vectors.type, mask=missing)
    place = table.schema.get_field_index("vector")
    waiting = made(table.set_column(place, "vector", some), tmp_path, kept=1 << 20, monkeypatch=monkeypatch)
    there = made(table.filter(pc.invert(missing)), tmp_path, kept=1 << 20, monkeypatch=monkeypatch)
    assert waiting.nearest(QUESTION, IDS, None, 9) == there.nearest(QUESTION, IDS, None, 9)


def test_who_asks_once_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single command reads more vectors than a few through; from the second question on they are kept."""
    table = leaves(3)
    few = made(table, tmp_path, kept=1 << 20, monkeypatch=monkeypatch)
    expected = few.nearest(QUESTION, IDS, None, 9)
    assert few.loaded
    monkeypatch.setattr(module, "_AT_ONCE", 100)
    many = made(table, tmp_path, kept=1 << 20, monkeypatch=monkeypatch)
    for loaded in (False, True):
        found = many.nearest(QUESTION, IDS, None, 9)
        assert [p for p, _, _ in found] == [p for p, _, _ in expected] and many.loaded == loaded


def test_the_first_question_is_answered_as_later_ones_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads through and keeps nothing, the others compare what is kept: to the last bit the same cosines."""
    monkeypatch.setattr(module, "_AT_ONCE", 0)
    numbers = np.random.default_rng(4).normal(size=(600, 32)).astype(np.float32)
    columns = {
        "leaf_id": [f"l{n:03}" for n in range(600)],
        "chunk_id": [f"c{n // 7}" for n in range(600)],
        "vector": pa.FixedSizeListArray.from_arrays(numbers.ravel(), 32),
        "start": [0] * 600,
        "end": [1] * 600,
    }
    table, ids = pa.table(columns), pa.array([f"c{n}" for n in range(86)])
    for size in (17, 256, 600):
        vectors = Vectors(lambda size=size: iter(table.to_batches(max_chunksize=size)), 600, 32, tmp_path)  # type: ignore[misc]
        question = numbers[3].tolist()
        first = vectors.nearest(question, ids, None, 20, np.arange(0, 86, 5))
        assert not vectors.loaded
        again = [vectors.nearest(question, ids, None, 20, np.arange(0, 86, 5)) for _ in range(2)]
        assert vectors.loaded
        assert again == [first, first]
