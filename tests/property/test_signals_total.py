"""Signals over any text: total, pure, linear."""

from __future__ import annotations

import time
from dataclasses import fields

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import shared
from withgrain.model import Facts
from withgrain.signals import detect, explain_quality, has_own_signal, quality

_WORDS = """
@@OKTA:USERS statuskey=1 `statuskey=1` USERKEY ROLE_ADMIN --force $HOME v1.2.3 AADSTS50011 404 HTTP status ``` ` | ->
[a](b) https://a.b/c suspended users sign-on é 猫 . = @ - { } ": /api/v1/users/{id} SQLSTATE 42P01 GET POST
"""
_PIECES = st.sampled_from([*_WORDS.split(), "\n", " ", "\u2028", "\ud800", "\x00", "POST /api/v1/users/{id}"])
TEXTS = st.one_of(st.text(), st.lists(_PIECES, max_size=60).map("".join), st.lists(_PIECES, max_size=60).map(" ".join))

# What hostile text is made of: one character or a short group, repeated.
_GROUPS = """
a A 0 = / - @ _ . ` | [ ]( { $ % " # : -> ``` A_ a= /a --a @@A: A1 1. http:// a.b "a": ](a ROLE_ aA href= (( )) ** ~ \\
"""
_HOSTILE = [*_GROUPS.split(), "404 ", "GET /", "GET ", "`a` ", "-> a", "user ", "$A ", "A_B ", "HTTP 404 ", "SQLSTATE "]
_HOSTILE += ["getenv ", "version 1.2 ", "sign on ", "\n|404|", "é ", "猫", "```a\n"]


@given(TEXTS)
@example("```\n" * 200)
@example("\n`" * 300)
def test_detection_is_total_and_pure(text: str) -> None:
    """Any text has facts; the same text has the same facts; every field is a tuple of distinct, non-empty strings."""
    facts = detect(text)
    assert facts == detect(text)
    for field in fields(Facts):
        values = getattr(facts, field.name)
        assert isinstance(values, tuple)
        assert len(set(values)) == len(values)
        assert all(isinstance(value, str) and value for value in values)


@given(TEXTS)
def test_literal_facts_stand_in_the_text(text: str) -> None:
    """An identifier is given as it is written, so that exact search can look for it; only 5XX becomes 5xx."""
    facts = detect(text)
    for value in (*facts.identifiers(), *facts.versions, *facts.links, *facts.api_method):
        assert value in text or value in text.lower()


@given(TEXTS, TEXTS)
def test_a_blank_line_adds_no_fact_of_words(left: str, right: str) -> None:
    """What two texts say on their own, they say together: no word is lost by a neighbour."""
    together = detect(f"{left}\n\n{right}")
    for field in ("operations", "entities", "auth"):
        assert set(getattr(detect(left), field)) <= set(getattr(together, field))


@given(TEXTS, st.integers(0, 2000), st.sampled_from(["normal", "atomic_fact", "document_summary"]))
def test_quality_is_bounded_and_explained(text: str, tokens: int, kind: str) -> None:
    """Quality is clamped to 0..100 and equals the sum of its reasons."""
    facts = detect(text)
    value = quality(facts, tokens=tokens, kind=kind)
    assert 0 <= value <= 100
    assert value == max(0, min(100, sum(p for _, p in explain_quality(facts, tokens=tokens, kind=kind))))
    assert has_own_signal(facts) == bool(facts.identifiers())


@pytest.mark.parametrize("unit", _HOSTILE, ids=repr)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """Four times the text takes about four times as long: a quadratic scan would take sixteen times."""
    small, large = (_seconds(unit * (size // len(unit))) for size in (100_000, 400_000))
    assert large < 0.25 or large / small < 9, (small, large)


def _seconds(text: str) -> float:
    best = 60.0
    for _ in range(3):
        start = time.process_time()
        detect(text)
        best = min(best, time.process_time() - start)
    return best


def test_real_documents_have_no_fact_that_is_not_in_them() -> None:
    """Over every document of the corpus: literal facts are substrings of the document."""
    documents = sorted((shared() / "eval" / "corpus" / "techops").glob("*.md"))
    assert len(documents) > 300
    for path in documents:
        text = path.read_text(encoding="utf-8")
        facts = detect(text)
        assert all(value in text for value in (*facts.identifiers(), *facts.versions, *facts.links)), path.name
