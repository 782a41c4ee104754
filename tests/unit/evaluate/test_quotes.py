"""Quotes are found although people copy them without marks."""

from __future__ import annotations

import pytest

from withgrain.evaluate.quotes import Quotable

TEXT = (
    "# Keys\n\nKeys are **rotated** every\n90 days — see `ops`.\n\n"
    "| Key | Days |\n|---|---|\n| a | 90 |\n\nThen gone. Then gone.\n"
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Keys are **rotated** every\n90 days", "Keys are **rotated** every\n90 days"),
        ("Keys are rotated every 90 days", "Keys are **rotated** every\n90 days"),
        ("90 days - see ops", "90 days — see `ops"),
        ("keys ARE rotated", "Keys are **rotated"),
        ("a 90", "a | 90"),
    ],
)
def test_a_quote_is_found_with_the_marks_of_the_source(quote: str, found: str) -> None:
    (span,) = Quotable(TEXT).find(quote)
    assert span.of(TEXT) == found


def test_the_targets_of_links_are_not_seen() -> None:
    text = "Read [the *runbook*](../a_(b).md#x) before [2] you (really) start."
    (span,) = Quotable(text).find("the runbook before 2 you (really)")
    assert span.of(text) == "the *runbook*](../a_(b).md#x) before [2] you (really)"


def test_every_place_is_found_and_nothing_where_there_is_none() -> None:
    assert [s.start for s in Quotable(TEXT).find("Then gone.")] == [TEXT.index("Then"), TEXT.rindex("Then")]
    assert Quotable(TEXT).find("never said") == []
    assert Quotable(TEXT).find("  ") == Quotable("").find("x") == []
