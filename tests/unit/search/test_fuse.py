"""Fusion and order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.errors import UsageError
from withgrain.model import Candidate, Candidates
from withgrain.search.fuse import falling, fuse, reciprocal_ranks, standard_scores
from withgrain.search.pool import ById, Pool, ranks
from withgrain.search.weights import Weights


def candidate(name: str, *, quality: int = 50, kind: str = "normal", path: str = "a.md", ordinal: int = 0) -> Candidate:
    return Candidate(
        chunk_id=name,
        doc_id=path,
        title=path,
        heading_path=(),
        kind=kind,
        quality=quality,
        ordinal=ordinal,
        total=1,
        parent_id=None,
        identifiers=(),
        length=1,
    )


def among(names: str) -> ById:
    return ById(Candidates.of([candidate(n) for n in names]))


def pool(names: str, **scores: dict[str, float]) -> Pool:
    return Pool(candidates=among(names), scores=scores)


def order(made: Pool, weights: Weights | None = None) -> str:
    return "".join(i for i, _ in fuse(made, weights or Weights()))


def test_standard_scores_have_mean_zero_and_deviation_one() -> None:
    scores = standard_scores({"a": 9.0, "b": 3.0, "c": 0.5}, among("abc"))
    assert math.isclose(sum(scores), 0, abs_tol=1e-12)
    assert math.isclose(sum(v * v for v in scores) / 3, 1)


def test_a_chunk_that_a_channel_lacks_gets_its_lowest_score() -> None:
    scores = standard_scores({"a": 9.0, "b": 3.0}, among("abc"))
    assert scores[2] == scores[1] < scores[0]


def test_a_channel_where_all_are_equal_says_nothing() -> None:
    assert standard_scores({"a": 2.0, "b": 2.0}, among("ab")).tolist() == [0.0, 0.0]


def test_the_units_of_a_channel_do_not_matter() -> None:
    """A channel in other units (10 x + 5) gives the same order."""
    lexical = {"a": 1.0, "b": 7.0, "c": 4.0}
    dense = {"a": 0.9, "b": 0.2, "c": 0.5}
    scaled = {i: 10 * v + 5 for i, v in lexical.items()}
    first = fuse(pool("abc", lexical=lexical, dense=dense), Weights())
    second = fuse(pool("abc", lexical=scaled, dense=dense), Weights())
    assert [i for i, _ in first] == [i for i, _ in second]
    assert all(math.isclose(x, y, abs_tol=1e-9) for (_, x), (_, y) in zip(first, second, strict=True))


def test_weights_decide_between_channels() -> None:
    made = pool("ab", lexical={"a": 2.0, "b": 1.0}, dense={"a": 0.1, "b": 0.9})
    assert order(made, Weights(lexical=1, dense=0.5)) == "ab"
    assert order(made, Weights(lexical=0.5, dense=1)) == "ba"


def test_reciprocal_ranks_follow_the_formula_and_share_ranks() -> None:
    scores = dict(zip("abcd", reciprocal_ranks({"a": 5.0, "b": 5.0, "c": 1.0}, among("abcd"), 60), strict=True))
    assert scores == {"a": 1 / 61, "b": 1 / 61, "c": 1 / 63, "d": 0.0}
    assert ranks({"a": 5.0, "b": 5.0, "c": 1.0}) == {"a": 1, "b": 1, "c": 3}


def test_rrf_uses_ranks_only() -> None:
    made = pool("abc", lexical={"a": 100.0, "b": 2.0, "c": 1.0}, dense={"a": 0.1, "b": 0.9, "c": 0.8})
    assert order(made, Weights(fusion="rrf")) == "bac"


def test_a_literal_identifier_stands_before_every_other_chunk() -> None:
    """Quote: "chunks that have the query's identifier literally come first"."""
    made = pool("abc", lexical={"a": 9.0, "b": 1.0, "c": 0.0}, exact={"c": 0.1})
    assert order(made) == "cab"
    assert order(made, Weights(exact=False)) == "abc"


@given(st.lists(st.integers(-50, 50).map(lambda n: n / 4), max_size=30))
def test_falling_scores_fall_in_any_order_and_those_that_fell_stay(scores: list[float]) -> None:
    ranking = [(str(n), score) for n, score in enumerate(scores)]
    lifted = falling(ranking)
    assert [i for i, _ in lifted] == [i for i, _ in ranking]
    assert sorted(lifted, key=lambda pair: -pair[1]) == lifted
    for (_, before), (_, after), (_, new), (_, behind) in zip(ranking, ranking[1:], lifted, lifted[1:], strict=False):
        assert new > behind or before == after
        assert before < after or math.isclose(new - behind, before - after, abs_tol=1e-9)
    steady = sorted(ranking, key=lambda pair: -pair[1])
    assert falling(steady) == steady


def test_equal_scores_are_ordered_by_quality_then_short_facts_then_place() -> None:
    """Quote: "Deterministic ties (quality, atomic_fact, uri, ordinal)"."""
    rows = [
        candidate("1", quality=80, path="z.md"),
        candidate("2", kind="atomic_fact", path="z.md"),
        candidate("3", path="a.md", ordinal=1),
        candidate("4", path="a.md", ordinal=2),
        candidate("5", path="b.md"),
    ]
    for shuffled in (rows, rows[::-1]):
        made = Pool(candidates=ById(Candidates.of(shuffled)), scores={"lexical": dict.fromkeys("12345", 1.0)})
        assert order(made) == "12345"


@pytest.mark.parametrize(
    "wrong",
    [{"lexical": -1.0}, {"dense": math.nan}, {"b": 1.5}, {"candidates": 0}, {"fusion": "borda"}, {"rrf_constant": 0}],
)
def test_weights_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Weights(**wrong)  # type: ignore[arg-type]
