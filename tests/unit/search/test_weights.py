"""Quote: "weights that are policy data; RRF, dense-only, lexical-only stay selectable": in every interface, alike."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import withgrain
from withgrain.cli import application
from withgrain.cli.tune import _shape, _show
from withgrain.config import load
from withgrain.errors import ConfigError, UsageError
from withgrain.evaluate.compare import compare
from withgrain.evaluate.tuning import Tuned
from withgrain.search import Weights

NAMES = [one.name for one in fields(Weights)]
OTHER = {"fusion": "rrf", "document": 0.0, "b": 0.4, "exact": False, "candidates": 100}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    float.__name__: st.one_of(st.floats(0, 1), st.integers(0, 1)),
    int.__name__: st.integers(1, 1000),
    bool.__name__: st.booleans(),
    str.__name__: st.sampled_from(["zscore", "rrf"]),
}
SOME = st.fixed_dictionaries({}, optional={n: VALUES[type(getattr(Weights(), n)).__name__] for n in NAMES})
NO_WEIGHTS: list[Any] = [None, [], {}, "x", "", -1, float("nan"), float("inf"), 10**400, 1e300, True, 0.5]


@given(SOME)
def test_what_is_other_than_usual_says_all(values: dict[str, Any]) -> None:
    """Changes, written as JSON and read again, make the same weights: so what `tune` prints can be used."""
    changed = Weights().having(values)
    again = json.loads(json.dumps(changed.changes(Weights())))
    assert Weights().having(again) == changed
    assert Weights().having(json.loads(json.dumps(asdict(changed)))) == changed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", NO_WEIGHTS, ids=lambda v: str(v)[:8])
def test_a_value_is_taken_as_it_is_or_refused_with_its_name(name: str, value: Any) -> None:
    try:
        found = Weights().having({name: value})
    except UsageError as error:
        assert name in str(error) or name == "fusion"
    else:
        assert getattr(found, name) == value and type(value) in (type(getattr(Weights(), name)), int)


@pytest.mark.parametrize(("name", "meant"), [("lexcal", "lexical"), ("fusoin", "fusion"), ("late_candidate", "late_c")])
def test_an_unknown_name_is_an_error_with_the_nearest(name: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f'Did you mean "{meant}'):
        Weights().having({name: 1})
    with pytest.raises(UsageError, match=f'Did you mean "{meant}'):
        withgrain.open(tmp_path, weights={name: 1})
    (tmp_path / "withgrain.toml").write_text(f"[search]\nb = 0.4\n{name} = 1\n")
    with pytest.raises(ConfigError, match=rf'withgrain.toml:3: .*Did you mean "{meant}'):
        load(directory=tmp_path, environment={})


@pytest.mark.parametrize("text", ["search = 3\n", "[search]\nb = 2\n", "[search]\nfusion = 'best'\n", "search = []\n"])
def test_wrong_values_in_a_file_name_their_place(text: str, tmp_path: Path) -> None:
    (tmp_path / "withgrain.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"withgrain.toml:\d"):
        load(directory=tmp_path, environment={})


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a command beside a collection: its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for number in range(8):
        body = "The marmot sleeps. " * (number + 1) + f"It eats {'grass ' * (9 - number)}in KEY_{number}."
        (tmp_path / "docs" / f"{number}.md").write_text(f"# Page {number}\n\n{body}\n")
    withgrain.open("kb", embedder="none").ingest("docs")

    def command(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["withgrain", *words])
        with pytest.raises(SystemExit) as ended:
            application.main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return command


def used(run: Any, *words: str) -> dict[str, Any]:
    code, out, err = run("search", "marmot grass", "-c", "kb", "--json", "--explain", *words)
    assert code == 0, err
    weights: dict[str, Any] = json.loads(out)["trace"]["weights"]
    return weights


def test_every_interface_takes_them(run: Any, tmp_path: Path) -> None:
    expected = asdict(Weights().having(OTHER))
    kb = withgrain.open("kb", embedder="none")
    assert kb.search("marmot", weights=OTHER).trace["weights"] == expected
    assert kb.search("marmot", weights=Weights(**OTHER)).trace["weights"] == expected  # type: ignore[arg-type]
    assert withgrain.open("kb", weights=OTHER, embedder="none").search("marmot").trace["weights"] == expected
    assert used(run) == asdict(Weights())
    assert used(run, "--fusion", "rrf") == asdict(Weights(fusion="rrf"))
    assert used(run, "--weights", json.dumps(OTHER)) == expected
    (tmp_path / "w.json").write_text(json.dumps(OTHER))
    assert used(run, "--weights", "w.json") == expected
    (tmp_path / "withgrain.toml").write_text("[search]\nb = 0.4\nfusion = 'rrf'\n")
    assert used(run) == asdict(Weights(b=0.4, fusion="rrf"))
    assert used(run, "--fusion", "zscore", "--weights", '{"k1": 2}') == asdict(Weights(b=0.4, k1=2))
    code, out, _ = run("config", "show", "--origin")
    assert code == 0 and "b=0.4, fusion=rrf" in out and "withgrain.toml:1" in out


def test_agents_get_those_of_the_settings(tmp_path: Path, run: Any) -> None:
    """A client cannot choose them; whoever starts the server can."""
    from withgrain.mcp.collections import Collections, States
    from withgrain.mcp.tools.search import SEARCH

    (view,) = Collections(States({"kb": tmp_path / "kb"}, embedder="none", weights=OTHER)).views()
    assert view.library.search("marmot").trace["weights"] == asdict(Weights().having(OTHER))
    assert not {"weights", "fusion"} & {parameter.name for parameter in SEARCH.parameters}


@pytest.mark.parametrize(
    "words",
    [
        ("--weights", '{"lexcal": 1}'),
        ("--weights", "{broken"),
        ("--weights", "nowhere.json"),
        ("--weights", "docs"),
        ("--weights", ""),
        ("--weights", '{"weights": 3}'),
        ("--weights", '{"k1": 1e999}'),
        ("--weights", '{"k1": NaN}'),
        ("--weights", '{"candidates": 99999999999999999999}'),
        ("--weights", "{" + '"a":{' * 20000),
        ("--fusion", "best"),
    ],
)
def test_wrong_ones_are_usage_errors(run: Any, words: tuple[str, ...]) -> None:
    code, out, err = run("search", "marmot", "-c", "kb", *words)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def test_why_not_speaks_of_the_same_ranking(run: Any) -> None:
    kb = withgrain.open("kb", embedder="none")
    for weights in ({}, {"b": 0.0}, {"b": 1.0, "document": 0.0}, {"fusion": "rrf"}):
        for hit in kb.search("marmot grass", weights=weights).hits:
            why = kb.why_not("marmot grass", hit.chunk.id, weights=weights)
            assert (why.stage, why.rank, why.channels) == ("hit", hit.rank, hit.channels)


def test_a_context_is_packed_with_them(run: Any) -> None:
    kb = withgrain.open("kb", embedder="none")
    for weights in ({"b": 0.0}, {"b": 1.0}):
        best = kb.search("marmot grass", weights=weights).hits[0].chunk.id
        assert kb.pack("marmot grass", max_tokens=60, weights=weights).items[0].chunk_id == best


def test_what_tune_prints_can_be_used_as_printed(run: Any, tmp_path: Path, capsys: Any) -> None:
    from withgrain.cli.screen import Screen

    weights = Weights(document=0.5, fusion="rrf")
    better = compare("the default", "document 0.5", "R@8k", [(0.0, 1.0)] * 40, higher_is_better=True)
    found = Tuned(
        trials=(),
        chosen="document 0.5",
        weights=weights,
        changes=weights.changes(Weights()),
        comparison=better,
        searched=40,
        reported=40,
    )
    assert not found.keep_default
    _show(Screen(), found, "R@8k")
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    begin = lines.index("[search]")
    (tmp_path / "withgrain.toml").write_text("\n".join(lines[begin : begin + 3]))
    assert used(run) == asdict(weights)
    (tmp_path / "withgrain.toml").unlink()
    (tmp_path / "tuned.json").write_text(json.dumps(_shape(found, "R@8k")))
    assert used(run, "--weights", "tuned.json") == asdict(weights)
    flag = next(line for line in lines if "--weights" in line).partition("--weights ")[2].strip("'")
    assert used(run, "--weights", flag) == asdict(weights)
