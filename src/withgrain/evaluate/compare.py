"""Are two answers to the same questions different, or is it noise? And how many questions would tell?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from withgrain.evaluate.bootstrap import SEED, Estimate, estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Verdict = Literal["better", "worse", "no difference"]

#: Sign flips of the test; up to this many questions that differ, all flips are counted instead.
FLIPS = 10_000
EXACT_UP_TO = 13
ALPHA = 0.05
#: Fewest questions with differences of one sign that the test can show: 2 / 2⁶ is below `ALPHA`.
FEWEST = 6
#: Differences below this are of no practical interest: how many questions would show them is not asked.
SMALLEST = 0.01
# Quantiles of the normal distribution: two-sided 5 % level, 80 % power.
_LEVEL, _POWER = 1.959964, 0.841621


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One metric of two collections over the questions that both could be asked.

    Attributes:
        baseline: Name of the collection that is compared with.
        candidate: Name of the other one.
        metric: Name of the metric.
        values: Means of baseline and candidate over the common questions.
        difference: Candidate minus baseline, with its 95 % interval.
        p: Two-sided p-value of the paired test.
        p_holm: The same after Holm's correction for all candidates.
        better: Questions on which the candidate is better.
        worse: Questions on which it is worse.
        detectable: The smallest true difference that so many questions show in four of five trials; None when the
            questions do not vary: none differs, or all differ alike.
        more_questions: How many more questions would show the observed difference (at least `SMALLEST`); None when it
            is shown already, or when no question differs.
        verdict: About the candidate.
    """

    baseline: str
    candidate: str
    metric: str
    values: tuple[float, float]
    difference: Estimate
    p: float
    p_holm: float
    better: int
    worse: int
    detectable: float | None
    more_questions: int | None
    verdict: Verdict

    @property
    def questions(self) -> int:
        """Number of questions that both were asked."""
        return self.difference.count

    @property
    def equal(self) -> int:
        """Questions on which they do not differ."""
        return self.questions - self.better - self.worse

    def __str__(self) -> str:
        """Return the verdict as a sentence or two."""
        a, b = self.values
        gap = f"{_signed(self.difference.mean)} [{_signed(self.difference.low)}, {_signed(self.difference.high)}]"
        if self.verdict != "no difference":
            return (
                f"{self.candidate} is {self.verdict} than {self.baseline}: {self.metric} {_plain(b)} against "
                f"{_plain(a)}, {gap}, p {_p(self.p_holm)}."
            )
        if not self.better + self.worse:
            same = "the one question has" if self.questions == 1 else f"all {self.questions} questions have"
            return f"No difference between {self.candidate} and {self.baseline}: {same} the same {self.metric}."
        shown = [] if self.detectable is None else [f"They would show one of {_plain(self.detectable)} or more"]
        if self.more_questions is not None:
            of = max(abs(self.difference.mean), SMALLEST)
            more = f"about {_rounded(self.more_questions):,} more would be needed to show one of {_plain(of)}"
            shown.append(more if shown else more.capitalize())
        these = "this question" if self.questions == 1 else f"these {self.questions} questions"
        return (
            f"No difference between {self.candidate} and {self.baseline} that {these} can show: {self.metric} "
            f"{_plain(b)} against {_plain(a)}, {gap}, p {_p(self.p_holm)}. {'; '.join(shown)}."
        )


def compare(
    baseline: str,
    candidate: str,
    metric: str,
    pairs: Sequence[tuple[float, float]],
    *,
    higher_is_better: bool = True,
) -> Comparison:
    """Compare (baseline, candidate) values of the same questions.

    The test is the paired randomisation test: under the null hypothesis each question's difference could as well have
    the other sign (Smucker, Allan and Carterette, "A comparison of statistical significance tests for information
    retrieval evaluation", CIKM 2007). The detectable difference is (z.975 + z.80) · s / √n with the standard deviation
    s of the differences.
    """
    differences = [b - a for a, b in pairs]
    gap = estimate(differences)
    sign = 1 if higher_is_better else -1
    p = randomisation_test(differences)
    s = _deviation(differences, gap.mean)
    n = len(pairs)
    found = Comparison(
        baseline=baseline,
        candidate=candidate,
        metric=metric,
        values=(_mean([a for a, _ in pairs]), _mean([b for _, b in pairs])),
        difference=gap,
        p=p,
        p_holm=p,
        better=sum(sign * d > 1e-12 for d in differences),
        worse=sum(sign * d < -1e-12 for d in differences),
        detectable=(_LEVEL + _POWER) * s / math.sqrt(n) if s else None,
        more_questions=_more(s, gap.mean, n),
        verdict="no difference",
    )
    return _judged(found, sign)


def holm(comparisons: Sequence[Comparison], higher_is_better: bool = True) -> tuple[Comparison, ...]:
    """Correct the p-values of comparisons of one metric for their number, and judge them again.

    Holm, "A simple sequentially rejective multiple test procedure" (Scandinavian Journal of Statistics, 1979).
    """
    order = sorted(range(len(comparisons)), key=lambda i: comparisons[i].p)
    corrected = [0.0] * len(comparisons)
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, comparisons[i].p * (len(comparisons) - rank)))
        corrected[i] = highest
    sign = 1 if higher_is_better else -1
    return tuple(_judged(replace(c, p_holm=p), sign) for c, p in zip(comparisons, corrected, strict=True))


def _judged(found: Comparison, sign: int) -> Comparison:
    if found.p_holm >= ALPHA:
        return replace(found, verdict="no difference")
    better = sign * found.difference.mean > 0
    return replace(found, verdict="better" if better else "worse", more_questions=None)


def randomisation_test(differences: Sequence[float], *, seed: int = SEED) -> float:
    """Return the two-sided p-value of the mean difference under random signs; exact for few differences."""
    import numpy as np

    moved = np.asarray([d for d in differences if abs(d) > 1e-12], dtype=np.float64)
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum())) - 1e-9
    if len(moved) <= EXACT_UP_TO:
        return float((np.abs(_all_flips(len(moved)) @ moved) >= observed).mean())
    generator = np.random.Generator(np.random.PCG64(seed))
    extreme, rows = 0, max(1, 2_000_000 // len(moved))
    for start in range(0, FLIPS, rows):
        signs = generator.integers(0, 2, size=(min(rows, FLIPS - start), len(moved)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ moved) >= observed).sum())
    return (extreme + 1) / (FLIPS + 1)


def _all_flips(size: int) -> NDArray[np.int8]:
    import numpy as np

    numbers = np.arange(2**size)[:, None] >> np.arange(size) & 1
    return (numbers * 2 - 1).astype(np.int8)


def paired(a: Mapping[str, float], b: Mapping[str, float]) -> list[tuple[float, float]]:
    """Return the values of the questions that both have, in the order of ``a``."""
    return [(value, b[key]) for key, value in a.items() if key in b]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def _deviation(values: Sequence[float], mean: float) -> float:
    if len(values) < 2:
        return 0.0
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return deviation if deviation > 1e-9 else 0.0


def _more(s: float, mean: float, n: int) -> int | None:
    if not s:  # no question differs, or all differ alike
        return max(1, FEWEST - n) if abs(mean) > 1e-12 else None
    wanted = ((_LEVEL + _POWER) * s / max(abs(mean), SMALLEST)) ** 2
    return max(1, math.ceil(wanted) - n)


def _plain(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if 0 <= value < 1 else f"{value:.3f}"


def _signed(value: float) -> str:
    text = f"{abs(value):.3f}"
    return ("-" if value < 0 and float(text) else "+") + (text[1:] if text.startswith("0.") else text)


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"= {_plain(value)}"


def _rounded(count: int) -> int:
    """Return two significant digits: an estimate pretends no more."""
    size: int = 10 ** max(0, len(str(count)) - 2)
    return math.ceil(count / size) * size
