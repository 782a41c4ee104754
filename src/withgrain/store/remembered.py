"""What was read before, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Values by key, up to a weight in all. When it is full, all is forgotten: what is asked often comes back soon.

    Threads may ask at once: at worst one reads what another has read.
    """

    def __init__(self, most: int, weight: Callable[[V], int] = lambda value: 1) -> None:
        """Remember values whose weights add up to at most ``most``."""
        self._most, self._weight = most, weight
        self._known: dict[K, V] = {}
        self._size = 0

    def all(self, keys: Sequence[K], read: Callable[[list[K]], Sequence[tuple[K, V]]]) -> dict[K, V]:
        """Return the values of some keys; those that are not known are read, in one go, and missing ones left out."""
        known = self.known(keys)
        unknown = [key for key in dict.fromkeys(keys) if key not in known]
        fresh = dict(read(unknown)) if unknown else {}
        self.add(fresh)
        return {key: known[key] if key in known else fresh[key] for key in keys if key in known or key in fresh}

    def known(self, keys: Sequence[K]) -> dict[K, V]:
        """Return the values that are remembered of some keys."""
        known = self._known
        return {key: known[key] for key in keys if key in known}

    def add(self, fresh: Mapping[K, V]) -> None:
        """Remember more values, unless they are too heavy by themselves."""
        weight = sum(map(self._weight, fresh.values()))
        if self._size + weight > self._most:
            self._known, self._size = {}, 0
        if weight <= self._most:
            self._known.update(fresh)
            self._size += weight
