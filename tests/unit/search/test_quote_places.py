"""Quotes: found letter for letter, or apart from white space, Markdown and typographic signs; else the nearest text."""

from __future__ import annotations

import time
import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.search.quotes.nearest import nearest
from withgrain.search.quotes.places import Looks, find, seen
from withgrain.search.quotes.typography import whole

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
    """Each slice of whole words is found exactly, and its first place is not behind the slice."""
    start = data.draw(st.integers(0, len(TEXT) - 2))
    end = data.draw(st.integers(start + 1, len(TEXT)))
    quote = TEXT[start:end]
    found = find(quote, TEXT)
    if quote.strip() and whole(TEXT, start, end):
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
    view = Looks(TEXT).numbered
    near = nearest(seen("Sign in with the second account. Check the credential out"), view.text)
    assert near is not None
    place = view.source(near.span.start, near.span.end)
    assert place.of(TEXT) == "Sign in with the **other** account.\n2. Check the credential out"
    assert [(d.quote, d.document) for d in near.differences] == [("second", "other"), ("", ". 2")]
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


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("Sign in with the other … out: vault checkout breakglass", "Sign in with the **other"),
        ("Sign in with the […] vault checkout breakglass", "Sign in with the"),
        ("Sign in with (...) vault checkout breakglass", "Sign in with"),
        ("Sign in with . . . the credential out", "Sign in with"),
        ("… Sign in with the other account …", "Sign in with the **other** account"),
        ("...Check the credential out...", "Check the credential out"),
        ("Sign in with … Check the credential … then open the form", "Sign in with"),
    ],
)
def test_an_ellipsis_stands_for_what_is_left_out(quote: str, stands: str) -> None:
    """A quote may leave words out where it says so."""
    how, text = _found(quote)
    assert how == "normalised"
    assert text.startswith(stands)
    assert text.endswith(("breakglass", "account", "out", "the form"))


@pytest.mark.parametrize(
    "quote",
    [
        "vault checkout breakglass … Sign in with the other",
        "Sign in … the",
        "1...2",
        "Sign in with the other … reset every password",
        "…",
    ],
)
def test_an_ellipsis_stands_for_nothing_else(quote: str) -> None:
    """Not for another order, other words, or parts of a word or two."""
    assert find(quote, TEXT) is None


def test_an_ellipsis_leaves_out_a_section_at_most_and_begins_at_the_nearest_place() -> None:
    text = "one two three. " + "far " * 400 + "one two three. near. four five six."
    found = find("one two three … four five six", text)
    assert found is not None
    assert [s.of(text) for s in found.spans] == ["one two three. near. four five six"]
    assert find("one two three … four five six", "one two three. " + "far " * 400 + "four five six.") is None


@pytest.mark.parametrize("there", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_letters_may_be_composed_or_not(there: Literal["NFC", "NFD"], asked: Literal["NFC", "NFD"]) -> None:
    """The same letters in another form of Unicode are the same typography, in any script that has them."""
    for text in ("Der Schlüssel für Überprüfungen.", "各 가격은 값이다.", "ガラスのドアを開ける。", "क़लम की दुकान"):
        found = find(unicodedata.normalize(asked, text), unicodedata.normalize(there, f"« {text} »"))
        assert found is not None
        assert found.how == (
            "exact" if unicodedata.is_normalized(there, unicodedata.normalize(asked, text)) else "normalised"
        )


@pytest.mark.parametrize(
    ("quote", "text", "differences"),
    [
        ("Die Strasse ist lang", "Die Straße ist lang", [("Strasse", "Straße")]),
        ("the VAULT opens", "The vault opens", [("the", "The"), ("VAULT", "vault")]),
        ("鍵の期限は三十日です", "鍵の期限は九十日です", [("三", "九")]),
        ("กุญแจหมดอายุในสามวัน", "กุญแจหมดอายุในสองวัน", [("าม", "อง")]),
        (unicodedata.normalize("NFD", "für große Prüfung"), "für kleine Prüfung", [("große", "kleine")]),
    ],
)
def test_the_nearest_text_names_every_difference(quote: str, text: str, differences: list[tuple[str, str]]) -> None:
    """Quote: "near with the differences": of letters alone, and in scripts without spaces, too."""
    near = nearest(quote, text)
    assert near is not None
    assert [(unicodedata.normalize("NFC", d.quote), d.document) for d in near.differences] == differences
    assert near.similarity >= 0.6


TABLE = """Before it.

| name | price |
|:-----|------:|
| bolt | -7 |
| nut -- small | 9 |
"""


@pytest.mark.parametrize(
    "quote",
    [
        "name price bolt -7",
        "name | price | bolt | -7",
        "| name | price | |---|---| | bolt | -7 |",
        "| name | price |\n|---|---|\n| bolt | -7 | nut -- small",
        "bolt -7 nut -- small 9",
    ],
)
def test_the_dashes_below_the_header_of_a_table_are_no_words(quote: str) -> None:
    """Who reads a table sees its header and its rows."""
    found = find(quote, TABLE)
    assert found is not None
    assert found.how == "normalised"
    assert found.spans[0].of(TABLE).startswith(("name", "bolt"))


@pytest.mark.parametrize("quote", ["name price bolt 7", "nut small 9"])
def test_dashes_inside_a_row_are_signs(quote: str) -> None:
    assert find(quote, TABLE) is None
