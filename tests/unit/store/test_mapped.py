"""Rows in a mapped file are those that were written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withgrain.store import mapped as module
from withgrain.store.mapped import Mapped

TABLE = pa.table(
    {
        "_rowid": [3 * n + n // 20 for n in range(100)],
        "text": [f"text {n}" for n in range(100)],
        "list": [[str(n)] * (n % 4) for n in range(100)],
    }
)
GROUPS = (("text",), ("list",))


def read() -> Iterator[pa.RecordBatch]:
    return iter(TABLE.to_batches(max_chunksize=13))


@pytest.mark.parametrize("count", [0, 1, 7, 300])
@pytest.mark.parametrize("together", [0, 500, 10**6], ids=["as read", "some together", "all together"])
def test_rows_come_in_the_order_asked(
    together: int, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As often as they are asked for, and only the columns that are."""
    monkeypatch.setattr(module, "_TOGETHER", together)
    made = Mapped.made(read, tmp_path, 1000, (("text", "list"), ("list", "not there")))
    assert made is not None and list(tmp_path.iterdir()) == []
    rows, lists = made
    positions = np.array([random.Random(count + n).randrange(100) for n in range(count)], dtype=np.int64)
    assert lists.take(positions, ["list"]).to_pylist() == TABLE.select(["list"]).take(positions).to_pylist()
    for columns in (["text"], ["list", "text"]):
        assert rows.take(positions, columns).to_pylist() == TABLE.select(columns).take(positions).to_pylist()


def test_rows_out_of_order_are_refused(tmp_path: Path) -> None:
    """A position must be a place in the file."""
    shuffled = TABLE.take(list(range(50, 100)) + list(range(50)))
    assert Mapped.made(lambda: iter(shuffled.to_batches(max_chunksize=10)), tmp_path, 1000, GROUPS) is None


def test_no_room_and_no_rows_are_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller reads as before."""
    assert Mapped.made(lambda: iter(()), tmp_path, 1000, GROUPS) is None
    monkeypatch.setattr(module, "_FREE", 1 << 60)
    assert Mapped.made(read, tmp_path, 1000, GROUPS) is None
