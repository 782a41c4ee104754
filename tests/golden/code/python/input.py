#!/usr/bin/env python3
"""Pumps of the lower dock."""

from __future__ import annotations

import functools
from typing import overload

LIMIT = 4


# This remark stands alone.

# Pressure in bar.
@functools.cache
def pressure(depth: float) -> float:  # metres
    """Return the pressure.

    # Example
    """
    return 1 + depth / 10


@overload
def level(pole: str) -> float: ...
@overload
def level(pole: int) -> float: ...
def level(pole):
    return float(pole)


class Pump:
    """One pump."""

    limit: int = 4

    class Stuck(Exception):
        """It does not turn."""

    @property
    def speed(self) -> int:
        return 3

    @speed.setter
    def speed(self, value: int) -> None:
        self._speed = value

    maximum = 12

    async def run(self, seconds: int) -> None:
        text = """def fake():
    not a function
"""
        for _ in range(seconds):
            if self.speed > self.limit:
                raise self.Stuck(text)


if __name__ == "__main__":
    print(pressure(3))
