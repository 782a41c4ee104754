"""The gate: closed on a drop beyond noise, open on noise; floors are never lowered silently."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.unit.evaluate.test_evaluate import ask
from withgrain.errors import UsageError
from withgrain.evaluate import Answer, EvalQuestion, Evaluation, Outcome, Problem
from withgrain.evaluate.baseline import Baseline, Pinned, baseline, read_baseline, write_baseline
from withgrain.evaluate.gate import GATED, judge, lowered, subset
from withgrain.evaluate.gate_reports import to_json, to_junit, to_markdown
from withgrain.evaluate.study import Cost

CORPUS = {"a.md": "1" * 64, "b.md": "2" * 64}
PINNED = Pinned(questions=("q.jsonl",), documents=("docs",), policy="fixed", mode="lexical")


def outcome(values: Sequence[float], questions: Sequence[EvalQuestion] | None = None) -> Outcome:
    asked = questions or [replace(ask(f"q{n}", "a.md", 0, 3), id=f"q{n}") for n in range(len(values))]
    answers = tuple(
        Answer(question=q, metrics=dict.fromkeys(GATED, value), seconds=0.1)
        for q, value in zip(asked, values, strict=True)
    )
    cost = Cost(documents=2, chunks=9, vectors=0, tokens=9, index_bytes=None, text_bytes=9, ms_p50=1.0, ms_p95=2.0)
    return Outcome(name="now", policy="fixed", evaluation=Evaluation(answers=answers), cost=cost)


def pinned(values: Sequence[float]) -> Baseline:
    return baseline(PINNED, CORPUS, outcome(values), GATED)


GOOD = [1.0] * 16 + [1 / 3] * 4


def test_the_same_answers_open_the_gate() -> None:
    found = judge(pinned(GOOD), outcome(GOOD), CORPUS)
    assert (found.passed, found.exit_code, found.changes, found.lost) == (True, 0, (), ())


def test_a_drop_within_noise_opens_it_and_names_the_questions() -> None:
    found = judge(pinned(GOOD), outcome([0.5, *GOOD[1:]]), CORPUS)
    assert found.exit_code == 0
    assert found.lost == (("q0", 1.0, 0.5),)


def test_a_drop_beyond_noise_closes_it() -> None:
    """Quote: "exit 1 on a drop beyond noise". Ten of twenty questions drop a little: above the floor, and yet."""
    found = judge(pinned(GOOD), outcome([0.97] * 12 + GOOD[12:]), CORPUS)
    assert found.exit_code == 1
    assert all("beyond noise" in c.reason for c in found.checks)


def test_a_value_below_the_floor_closes_it() -> None:
    """Four questions lose everything: p = 2/16 is no proof, but the mean is below the pinned floor."""
    found = judge(pinned(GOOD), outcome([0.0] * 4 + GOOD[4:]), CORPUS)
    assert found.exit_code == 1
    assert all("below the floor" in c.reason for c in found.checks)


def test_where_all_answers_are_equal_one_question_is_noise() -> None:
    assert judge(pinned([1.0] * 20), outcome([0.0] + [1.0] * 19), CORPUS).exit_code == 0


def test_documents_and_questions_that_changed_are_reported() -> None:
    """Quote: "a collection changed since the baseline: reported; the rest still runs (exit 4)"."""
    questions = [replace(ask(f"q{n}", "a.md", 0, 3), id=f"q{n}") for n in range(19)]
    questions[0] = replace(questions[0], text="edited")
    corpus = {"a.md": "9" * 64, "c.md": "3" * 64}
    found = judge(pinned(GOOD), outcome(GOOD[:19], questions), corpus)
    assert found.exit_code == 4
    assert found.changes == (
        "1 document changed: a.md",
        "1 document gone: b.md",
        "1 document new: c.md",
        "1 pinned question changed: q0",
        "1 pinned question not asked: q19",
    )


def test_problems_are_exit_4_and_a_closed_gate_stays_exit_1() -> None:
    problems = [Problem(line=3, message="x")]
    assert judge(pinned(GOOD), outcome(GOOD), CORPUS, problems).exit_code == 4
    assert judge(pinned(GOOD), outcome([0.0] * 20), CORPUS, problems).exit_code == 1


def test_a_moved_line_is_no_change() -> None:
    moved = [replace(a.question, line=a.question.line + 5, file="x") for a in outcome(GOOD).evaluation.answers]
    assert judge(pinned(GOOD), outcome(GOOD, moved), CORPUS).changes == ()


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    value = replace(pinned(GOOD), history=({"reason": "x"},))
    write_baseline(tmp_path / "b.json", value)
    assert read_baseline(tmp_path / "b.json") == value
    assert json.loads((tmp_path / "b.json").read_text())["corpus"]["sha256"] == value.corpus_hash


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 9}', '{"schema": 1, "pinned": 3}'])
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError, match=r"b\.json"):
        read_baseline(tmp_path / "b.json")


def test_pinning_anew_tells_what_it_would_lower() -> None:
    """Quote: "never lowered silently"."""
    better, worse = pinned([1.0] * 20), pinned(GOOD)
    assert lowered(worse, better) == {}
    assert lowered(worse, worse) == {}
    assert set(lowered(better, worse)) == set(GATED)


def test_reports_say_the_same() -> None:
    """Quote: "JUnit and Markdown summaries"."""
    closed = judge(pinned(GOOD), outcome([0.0] * 20), {"a<&>\x01.md": "1"})
    suite = ElementTree.fromstring(to_junit(closed))[0]
    assert int(suite.attrib["failures"]) == len(suite.findall(".//failure")) == len(GATED)
    assert "a<&>" in suite.findall(".//skipped")[0].attrib["message"]
    text = to_markdown(closed)
    assert "Retrieval gate: closed" in text and "| R@8k | 0.867 | 0.000 |" in text and "a\\<&\\>" in text
    assert to_json(closed)["passed"] is False


def test_a_subset_is_the_same_every_time_and_has_every_type() -> None:
    some = [replace(ask(f"q{n}", "a.md", 0, 3), id=f"q{n}", type="table" if n < 3 else "fact") for n in range(20)]
    chosen = subset(some, 6)
    assert chosen == subset(list(reversed(some)), 6)[::-1]
    assert sorted(q.type for q in chosen) == ["fact"] * 3 + ["table"] * 3


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (lambda floors: floors.pop("R@8k"), 'the floor of "R@8k" is missing'),
        (lambda floors: floors.update({"R@9k": floors.pop("R@8k")}), "R@"),
        (lambda floors: floors.update({"R@8k": "low"}), "low"),
        (lambda floors: floors.update({"R@8k": -1}), "between 0 and 1"),
        (lambda floors: floors.update({"R@8k": math.nan}), "between 0 and 1"),
    ],
)
def test_a_floor_that_is_gone_or_misspelt_is_an_error(tmp_path: Path, edit: Callable[[Any], object], what: str) -> None:
    """Quote: "never lowered silently": a floor that nobody finds would be none."""
    path = tmp_path / "baseline.json"
    write_baseline(path, pinned([0.5, 1.0, 0.7]))
    shape = json.loads(path.read_text())
    edit(shape["floors"])
    path.write_text(json.dumps(shape))
    with pytest.raises(UsageError, match=what):
        read_baseline(path)
