"""How far a mean over questions can be trusted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

SEED = 20_240_601
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean with its 95 % interval.

    Attributes:
        mean: Mean over the questions.
        low: 2.5th percentile of the resampled means.
        high: 97.5th percentile.
        count: Number of questions.
    """

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        """Return ``.806 [.751, .857]``."""
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate(values: Sequence[float], *, seed: int = SEED, resamples: int = RESAMPLES) -> Estimate:
    """Return the mean of ``values`` with a percentile bootstrap interval; the same for the same values and seed.

    Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 13.3.
    """
    if not values:
        return Estimate(mean=0.0, low=0.0, high=0.0, count=0)
    generator = random.Random(seed)
    size = len(values)
    means = sorted(sum(generator.choices(values, k=size)) / size for _ in range(resamples))
    return Estimate(
        mean=sum(values) / size,
        low=means[int(0.025 * resamples)],
        high=means[min(resamples - 1, int(0.975 * resamples))],
        count=size,
    )
