"""How far a mean over questions can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 20_240_601
RESAMPLES = 2_000

#: Random numbers that are drawn at once: bounds the memory.
_AT_ONCE = 4_000_000


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
    import numpy as np

    if not values:
        return Estimate(mean=0.0, low=0.0, high=0.0, count=0)
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    if (sample == sample[0]).all():
        return Estimate(mean=mean, low=mean, high=mean, count=len(values))
    means = np.sort(_resampled_means(sample, seed, resamples))
    low, high = means[int(0.025 * resamples)], means[min(resamples - 1, int(0.975 * resamples))]
    return Estimate(mean=mean, low=float(low), high=float(high), count=len(values))


def _resampled_means(sample: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(seed))
    size = len(sample)
    rows = max(1, min(resamples, _AT_ONCE // size))
    parts = []
    for start in range(0, resamples, rows):
        drawn = generator.integers(0, size, size=(min(rows, resamples - start), size))
        parts.append(sample[drawn].mean(axis=1))
    return np.concatenate(parts)
