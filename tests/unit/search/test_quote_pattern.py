"""Quotes: found letter for letter, or apart from white space, Markdown and typographic signs; else the nearest text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.search.quotes.nearest import nearest
from withgrain.search.quotes.pattern import find

TEXT = """# Reset

1. Sign in with the **other** account.
2. Check the credential out: `vault checkout breakglass`,
   then [open the form](https://example.org/form) and "confirm" it.

> The user’s `user_id` stays – also after a re-keying.
"""


def _found(quote: str) -> tuple[str, str]:
    found = find(quote, TEXT)
    assert found is not None, quote
    return found.how, found.spans[0].of(TEXT)


def test_exact() -> None:
    """A quote that stands there letter for letter is exact."""
    assert _found("the **other** account") == ("exact", "the **other** account")


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("Sign in with the other account.", "Sign in with the **other** account."),
        ("credential out: vault checkout breakglass, then", "credential out: `vault checkout breakglass`,\n   then"),
        ("then open the form and “confirm” it", 'then [open the form](https://example.org/form) and "confirm" it'),
        ("The user's user_id stays - also after", "The user’s `user_id` stays – also after"),
        ("other account. Check the credential", "other** account.\n2. Check the credential"),
        ("other account.\n- Check the credential", "other** account.\n2. Check the credential"),
        ('confirm" it. The user’s', 'confirm" it.\n\n> The user’s'),
        ("Sign\u00a0in   with\tthe other", "Sign in with the **other"),
        ("Sign in ⟦U+200B⟧with the other", "Sign in with the **other"),
    ],
)
def test_normalised(quote: str, stands: str) -> None:
    """White space, Markdown, list markers and typographic signs make no difference, and the place is exact."""
    assert _found(quote) == ("normalised", stands)


@pytest.mark.parametrize(
    "quote", ["Sign in with another account", "signin with the other", "user id stays", "?!", "", "  \n"]
)
def test_other_words_are_not_found(quote: str) -> None:
    """Other words, joined words and texts without a word stand nowhere."""
    assert find(quote, TEXT) is None


@given(st.data())
def test_every_slice_is_found_where_it_stands(data: st.DataObject) -> None:
    """Each slice of a text with a word in it is found exactly, and its first place is not behind the slice."""
    start = data.draw(st.integers(0, len(TEXT) - 2))
    end = data.draw(st.integers(start + 1, len(TEXT)))
    quote = TEXT[start:end]
    found = find(quote, TEXT)
    if quote.strip():
        assert found is not None and found.how == "exact"
        assert found.spans[0].start <= start
        assert all(span.of(TEXT) == quote for span in found.spans)


@given(st.text(max_size=60), st.text(max_size=200))
def test_any_text_is_answered(quote: str, text: str) -> None:
    """Any quote over any text is answered, with places inside the text."""
    found = find(quote, text)
    assert all(0 <= s.start < s.end <= len(text) for s in (found.spans if found else ()))
    near = nearest(quote, text)
    assert near is None or (0 <= near.span.start < near.span.end <= len(text) and 0 <= near.similarity <= 1)


def test_nearest_names_the_differences() -> None:
    """The nearest text has its place, a similarity, and the words that differ."""
    near = nearest("Sign in with the second account. Check the credential out", TEXT)
    assert near is not None
    assert near.span.of(TEXT) == "Sign in with the **other** account.\n2. Check the credential out"
    assert [(d.quote, d.document) for d in near.differences] == [("second", "other"), ("", ".\n2")]
    assert near.similarity > 0.8


def test_nearest_finds_nothing_without_a_common_word() -> None:
    """A text that shares no word with the quote is no nearest text."""
    assert nearest("zebra", TEXT) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a " * 1000 + "b", "a " * 100_000),
        ("a b", "a" + " " * 400_000),
        ("x](y z", "x](" * 100_000),
        ("b<i> c", "b" + "<i>" * 100_000),
    ],
)
def test_time_is_bounded(quote: str, text: str) -> None:
    """Quotes and texts made to trouble the search end in a few seconds."""
    start = time.process_time()
    find(quote, text)
    nearest(quote, text)
    assert time.process_time() - start < 10
