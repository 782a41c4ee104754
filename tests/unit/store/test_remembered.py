"""What was read before is not read again, within bounds."""

from __future__ import annotations

from withgrain.store.remembered import Remembered


def test_only_what_is_unknown_is_read() -> None:
    """Missing keys are left out, and asked for again; a key asked twice is read once."""
    asked: list[list[str]] = []

    def read(keys: list[str]) -> list[tuple[str, int]]:
        asked.append(keys)
        return [(k, len(k)) for k in keys if k != "missing"]

    memory: Remembered[str, int] = Remembered(10)
    assert memory.all(["a", "bb", "a", "missing"], read) == {"a": 1, "bb": 2}
    assert memory.all(["bb", "ccc"], read) == {"bb": 2, "ccc": 3}
    assert memory.all(["a", "ccc"], read) == {"a": 1, "ccc": 3}
    assert asked == [["a", "bb", "missing"], ["ccc"]]


def test_the_weight_is_bounded() -> None:
    """When it is full, all is forgotten; what is too heavy is not remembered at all."""
    reads: list[str] = []

    def read(keys: list[str]) -> list[tuple[str, str]]:
        reads.extend(keys)
        return [(k, k * 4) for k in keys]

    memory: Remembered[str, str] = Remembered(8, len)
    for key in ("a", "b", "b", "c", "b", "longer", "longer"):
        assert memory.all([key], read) == {key: key * 4}
    assert reads == ["a", "b", "c", "b", "longer", "longer"]
