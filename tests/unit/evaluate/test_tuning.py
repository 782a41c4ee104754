"""Tuning: searched on one half, believed on the other only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.evaluate.test_evaluate import ask
from tests.unit.search.build import Doc, Text, collection
from withgrain.chunk import POLICIES
from withgrain.errors import UsageError
from withgrain.evaluate import Subject
from withgrain.evaluate.tuning import halves, policy_candidates, tune, weight_candidates

DOCS = tuple(
    Doc(path=f"{n}.md", chunks=(Text(body=f"key{n} is kept {n} days " + "filler " * 900), Text(body=f"other{n}")))
    for n in range(24)
)
QUESTIONS = [
    replace(ask(f"what is key{n}", f"{n}.md", 0, 15), id=f"q{n}", type="fact" if n % 2 else "table") for n in range(24)
]


def test_halves_have_like_types_and_do_not_depend_on_the_order() -> None:
    first, second = halves(QUESTIONS)
    assert len(first) == len(second) == 12
    assert {q.type for q in first} == {"fact", "table"}
    assert {q.id for q in halves(QUESTIONS[::-1])[0]} == {q.id for q in first}
    with pytest.raises(UsageError, match="too few"):
        halves(QUESTIONS[:5])


def test_it_may_say_keep_the_default() -> None:
    """Quote: "may answer "keep the default"". The same collection twice: the first of equals is chosen."""
    kb = collection(DOCS)
    found = tune(
        {"the default": Subject(name="a", snapshot=kb), "b": Subject(name="b", snapshot=kb)}, QUESTIONS, mode="lexical"
    )
    assert found.keep_default and found.comparison is None
    assert str(found).startswith("Keep the default")


def test_what_is_better_on_both_halves_is_recommended_with_the_figures_of_the_other_half() -> None:
    """Quote: "searches on one half of the questions, reports on the other half only"."""
    empty = tuple(replace(d, chunks=(Text(body="nothing " * 3),)) for d in DOCS)
    worse = collection([replace(d, chunks=(*e.chunks, *d.chunks)) for d, e in zip(DOCS, empty, strict=True)])
    subjects = {"the default": Subject(name="a", snapshot=worse), "b": Subject(name="b", snapshot=collection(DOCS))}
    found = tune(subjects, QUESTIONS, mode="lexical")
    assert found.chosen == "b" and found.comparison is not None
    assert found.comparison.questions == found.reported == 12
    assert not found.keep_default and str(found).startswith("Use b")


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no metric"):
        tune({"the default": Subject(name="a", snapshot=collection(DOCS))}, QUESTIONS, metric="nonsense")


def test_candidates_are_real_settings() -> None:
    for policy in policy_candidates(POLICIES["structure_aware"]).values():
        policy.check()
    assert "fusion rrf" in weight_candidates(vectors=True)
    assert all("dense" not in name for name in weight_candidates(vectors=False))
