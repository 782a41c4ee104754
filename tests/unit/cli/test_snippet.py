"""What of a hit is shown: the lines that have what was asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from withgrain.cli.snippet import telling_lines

COLOURS = ("red", "blue", "green", "white", "black", "grey", "pink")
STEPS = [f"{n}. Turn the {colour} valve." for n, colour in enumerate(COLOURS, 1)]


def test_the_line_that_was_asked_for_is_shown_below_the_first_one() -> None:
    text = "\n".join(["| key | means |", "|---|---|", *(f"| {n} | state{n} |" for n in range(1, 30))])
    assert telling_lines(text, {"state17": 2.0}) == [
        "| key | means |",
        "…",
        "| 17 | state17 |",
        "| 18 | state18 |",
        "| 19 | state19 |",
        "…",
    ]
    assert telling_lines("\n".join(STEPS), {"pink": 1.0}) == [STEPS[0], "…", STEPS[6]]


def test_the_first_lines_are_shown_where_nothing_has_more() -> None:
    for weights in ({}, {"valv": 1.0}, {"blue": 1.0}, {"nothing": 3.0}):
        assert telling_lines("\n".join(STEPS), weights) == [*STEPS[:4], "…"]
    assert telling_lines("", {"valv": 1.0}) == []
    assert telling_lines("one line", {"two": 1.0}) == ["one line"]


def test_a_long_paragraph_is_shown_where_it_has_the_words() -> None:
    text = " ".join(f"filler{n}" for n in range(200)) + " the valve is violet " + " ".join(["end"] * 100)
    shown = telling_lines(text, {"violet": 1.0})
    assert any("violet" in line for line in shown)
    assert all(len(line) <= 160 for line in shown)
    assert len(set(telling_lines("word " * 40 + "violet", {"violet": 1.0}))) == len(
        telling_lines("word " * 40 + "violet", {"violet": 1.0})
    )


@given(st.text(max_size=2000), st.dictionaries(st.text(min_size=1, max_size=5), st.floats(0.1, 9), max_size=5))
def test_any_text_gives_a_few_short_lines(text: str, weights: dict[str, float]) -> None:
    shown = telling_lines(text, weights)
    assert len(shown) <= 6
    assert all(len(line) <= 160 for line in shown)
