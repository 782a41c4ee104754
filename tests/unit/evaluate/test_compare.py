"""Paired tests: what is a difference, and what is noise."""

from __future__ import annotations

import pytest

from withgrain.evaluate.compare import compare, holm, paired, randomisation_test


def pairs(*differences: float) -> list[tuple[float, float]]:
    return [(0.5, 0.5 + d) for d in differences]


def test_few_differences_are_counted_exactly() -> None:
    """Five wins of five: only one of the 32 sign patterns, and its mirror, is as extreme."""
    assert randomisation_test([0.1, 0.2, 0.3, 0.1, 0.4]) == 2 / 32
    assert randomisation_test([]) == randomisation_test([0.0, 0.0]) == 1.0


def test_many_differences_are_sampled_and_repeat() -> None:
    differences = [0.1] * 30 + [-0.1] * 10
    p = randomisation_test(differences)
    assert p == randomisation_test(differences)
    assert 0.0005 < p < 0.006  # the binomial probability of 30 or more of 40, or 10 or fewer, is .0022


def test_a_clear_gain_is_better_and_a_clear_loss_worse() -> None:
    found = compare("a", "b", "R@8k", pairs(*[0.2] * 20))
    assert (found.verdict, found.better, found.worse, found.more_questions) == ("better", 20, 0, None)
    assert str(found).startswith("b is better than a: R@8k .700 against .500, +.200")
    assert compare("a", "b", "R@8k", pairs(*[-0.2] * 20)).verdict == "worse"


def test_less_can_be_better() -> None:
    """Of orphaned values, fewer is better."""
    found = compare("a", "b", "orphaned_values", pairs(*[-0.2] * 20), higher_is_better=False)
    assert (found.verdict, found.better) == ("better", 20)


def test_no_difference_says_how_many_more_questions_would_be_needed() -> None:
    """Quote: "no difference that these questions can show; about N more would be needed"."""
    found = compare("a", "b", "R@8k", pairs(*[0.3, -0.2, 0.1, 0.0] * 5))
    assert found.verdict == "no difference"
    assert found.detectable is not None and found.more_questions is not None
    sentence = str(found)
    assert "that these 20 questions can show" in sentence and "more would be needed" in sentence
    s = found.detectable * 20**0.5 / 2.801585
    assert found.more_questions == pytest.approx((2.801585 * s / 0.05) ** 2 - 20, abs=1)


def test_equal_answers_are_said_to_be_equal() -> None:
    found = compare("a", "b", "R@8k", pairs(0.0, 0.0, 0.0))
    assert (found.p, found.detectable, found.more_questions) == (1.0, None, None)
    assert "all 3 questions have the same R@8k" in str(found)


def test_holm_multiplies_the_smallest_p_by_the_number_of_comparisons() -> None:
    some = [compare("a", name, "R@8k", pairs(*[0.2] * n)) for name, n in (("b", 6), ("c", 7), ("d", 9))]
    corrected = {c.candidate: c.p_holm for c in holm(some)}
    assert corrected["d"] == pytest.approx(3 * 2 / 2**9)
    assert corrected["c"] == pytest.approx(2 * 2 / 2**7)
    assert corrected["b"] == pytest.approx(2 / 2**6)
    assert {c.candidate: c.verdict for c in holm([*some, *some])}["b"] == "no difference"


def test_only_questions_that_both_were_asked_are_compared() -> None:
    assert paired({"q1": 0.1, "q2": 0.2}, {"q2": 0.3, "q3": 1.0}) == [(0.2, 0.3)]


@pytest.mark.parametrize("count", [1, 3, 5, 6])
@pytest.mark.parametrize("step", [0.0, 0.2, -0.2])
def test_questions_that_all_differ_alike_are_not_said_to_be_equal(count: int, step: float) -> None:
    """Quote: "a plain verdict": without variance nothing can be said about noise, but a difference is no equality."""
    found = compare("a", "b", "mrr", [(0.5, 0.5 + step)] * count)
    told = str(found)
    assert ("the same mrr" in told) == (step == 0)
    assert found.equal == (count if step == 0 else 0)
    if step and count < 6:
        assert found.verdict == "no difference"
        assert found.more_questions == 6 - count
        assert f"About {6 - count} more would be needed to show one of .200." in told
    elif step:
        assert found.verdict == ("better" if step > 0 else "worse")
