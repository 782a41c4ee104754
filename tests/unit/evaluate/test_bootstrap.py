"""Intervals of means."""

from __future__ import annotations

from withgrain.evaluate import estimate


def test_the_interval_surrounds_the_mean_and_repeats() -> None:
    values = [0.0, 1.0, 1.0, 0.5] * 20
    found = estimate(values)
    assert found.mean == 0.625
    assert found.low < 0.625 < found.high
    assert estimate(values) == found


def test_the_width_is_that_of_the_normal_approximation() -> None:
    """For 400 coin flips the interval is about ± 1.96 x 0.5 / 20 = ± 0.049."""
    found = estimate([0.0, 1.0] * 200)
    assert abs((found.high - found.low) - 0.098) < 0.01


def test_equal_values_have_no_width_and_none_give_zero() -> None:
    assert (estimate([0.3] * 5).low, estimate([0.3] * 5).high) == (estimate([0.3] * 5).mean,) * 2
    assert estimate([]).count == 0
