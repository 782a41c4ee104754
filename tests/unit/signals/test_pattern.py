"""Patterns of users: what `re` understands the same way, in linear time, and nothing that could be slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.signals.pattern import Pattern, PatternError

SAME = [
    r"INC\d{7}",
    r"[A-Z]{2,5}-\d+",
    r"(?:CHG|INC)\d{2,}",
    r"a|b|cd",
    r"[^a-c]x?",
    r"\w+(?:-\w+)*",
    r"x{2}y{0,2}",
    r"[\d_]+\.",
    r"(ab)*c",
    r"[]a]+",
    r"[a\-z]+",
    r"\{\w\}",
    r"a.c",
    r"(a(b(c)?)?)d",
]


@pytest.mark.parametrize("source", SAME)
@given(text=st.text(alphabet="aAbcdxyz012-_.{}]INCHG", min_size=1, max_size=12))
def test_it_means_what_it_means_in_python(source: str, text: str) -> None:
    """The subset has the meaning that everybody knows."""
    assert Pattern(source).matches(text) == bool(re.fullmatch(source, text, re.ASCII))


@pytest.mark.parametrize("source", SAME)
def test_it_matches_what_it_was_written_for(source: str) -> None:
    """Random texts seldom match: these do."""
    texts = [
        "INC1234567",
        "AB-1",
        "CHG12",
        "cd",
        "dx",
        "a-b-c",
        "xxyy",
        "1_.",
        "ababc",
        "]a",
        "a-z",
        "{x}",
        "abc",
        "abcd",
    ]
    assert any(Pattern(source).matches(text) for text in texts)


@pytest.mark.parametrize("source", [r"(a+)+", r"(a|a)+", r"(a*)*b", r"(\w+\w+\w+)+x", r"(a|aa)+", r"(.*)(.*)(.*)(.*)y"])
def test_no_pattern_is_catastrophic(source: str) -> None:
    """Patterns that make a backtracking engine hang end at once."""
    pattern = Pattern(source)
    started = time.process_time()
    for size in (50, 200):
        pattern.matches("a" * size + "!")
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (r"(a)\1", r"\\1 is not understood"),
        (r"a(?=b)", "look-around"),
        (r"(?P<x>a)", "names"),
        (r"^a$", "leave it out"),
        (r"a**", "two counts"),
        (r"a+?", "two counts"),
        (r"a{99999}", "out of range"),
        (r"a{3,2}", "out of range"),
        (r"(a{100}){100}", "states"),
        (r"((((){400}){400}){400}){400}a", "multiply"),
        (r"(a", "too early"),
        (r"a)", "without its"),
        (r"[a", "ends too early"),
        (r"[z-a]", "backwards"),
        (r"*a", "nothing in front"),
        (r"a{x}", r"must be \{2\}"),
        (r"a*", "empty text"),
        (r"\b", "not understood"),
        ("(" * 30 + "a" + ")" * 30, "groups inside"),
        ("a" * 600, "longer than"),
        ("\\", "ends too early"),
    ],
)
def test_what_it_cannot_promise_is_refused(source: str, why: str) -> None:
    """A pattern outside of the subset is refused, and the message says where and why."""
    with pytest.raises(PatternError, match=why):
        Pattern(source)


@given(source=st.text(alphabet="ab01()[]{}|?*+.\\^$-,dw", max_size=30), text=st.text(max_size=40))
def test_any_text_as_a_pattern_ends(source: str, text: str) -> None:
    """Total: compiled or refused, never another error."""
    try:
        pattern = Pattern(source)
    except PatternError:
        return
    assert pattern.matches(text) in (True, False)
