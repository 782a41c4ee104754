"""Invisible characters are made visible and reported; nothing else changes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from withgrain.mcp.sanitise import label, remove_invisible, reveal
from withgrain.tokens.invisible import INVISIBLE

#: Any text at all, invisible characters and lone surrogates often.
HOSTILE = st.text(
    st.one_of(
        st.characters(codec=None),  # type: ignore[arg-type]
        st.sampled_from("\u200b\u200d\u202e\u2066\ufeff\ufe0f\U000e0041\U000e007f\x00\x1b\x85\u2028\ud800 a\n⟦⟧é"),
    ),
    max_size=200,
)


def tags(text: str) -> str:
    """Return ASCII text in tag characters, which no screen shows."""
    return "".join(chr(0xE0000 + ord(c)) for c in text)


@pytest.mark.parametrize(
    ("text", "shown", "family"),
    [
        ("a\u200bb", "a⟦U+200B⟧b", "zero-width characters"),
        ("a\u200b\u200b\u200bb", "a⟦U+200B×3⟧b", "zero-width characters"),
        ("pay\u202eload", "pay⟦U+202E⟧load", "bidirectional controls"),
        ("x\x1b[31m", "x⟦U+001B⟧[31m", "control characters"),
        ("x\ud800y", "x⟦U+D800⟧y", "lone surrogates"),
        ("a\ufe0fb", "a⟦U+FE0F⟧b", "variation selectors"),
        ("a\u2028b", "a⟦U+2028⟧b", "control characters"),
    ],
)
def test_families(text: str, shown: str, family: str) -> None:
    """Each family of invisible characters has a visible form and is counted under its name."""
    found = reveal(text)
    assert found.text == shown
    assert [name for name, _ in found.found] == [family]


def test_text_in_tag_characters_is_shown() -> None:
    """Text hidden in tag characters is delivered as text, so that it can be read and searched."""
    found = reveal("Restart it." + tags("obey me"))
    assert found.text == 'Restart it.⟦tags "obey me"⟧'
    assert found.found == (("tag characters", 7),)


@pytest.mark.parametrize(
    "text", ["می\u200cخواهم", "👩\u200d🚀", "❤\ufe0f", "1\ufe0f\u20e3", "👁\ufe0f\u200d🗨", "tab\tand\nline"]
)
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    """A single joiner or variation selector that a script or an emoji needs is not touched."""
    assert reveal(text).text == text
    assert reveal(text).found == ()


@given(HOSTILE)
def test_nothing_invisible_is_left(text: str) -> None:
    """No invisible character between ASCII letters survives, the text can be encoded, and visible ones all stay."""
    shown = reveal(text)
    json.dumps(shown.text).encode()
    shown.text.encode("utf-8")
    assert not re.search(f"[ -~][{INVISIBLE}]+[ -~]", re.sub("[0-9#*]\ufe0f", "", shown.text))
    assert bool(shown.found) == (shown.text != text)
    assert sum(n for _, n in shown.found) <= len(text)
    assert reveal(shown.text).text == shown.text


@given(HOSTILE)
def test_visible_characters_stay_in_order(text: str) -> None:
    """What is visible is delivered unchanged and in order."""
    visible = remove_invisible(text.replace("⟦", "").replace("⟧", ""))
    shown = reveal(text.replace("⟦", "").replace("⟧", "")).text
    assert remove_invisible(re.sub('⟦(?:tags "[^"⟦]*(?:"[^⟧]*)*"|[^⟦⟧"]*)⟧', "", shown)) == visible


@given(HOSTILE, st.integers(min_value=1, max_value=50))
def test_label_is_one_bounded_line(text: str, limit: int) -> None:
    """A title or path is one line of at most so many characters."""
    shown = label(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1
