"""Cuts in plain text: sentences, words, grapheme clusters."""

from __future__ import annotations

from itertools import pairwise

import pytest

from withgrain.chunk.split_text import (
    grapheme_boundary,
    grapheme_starts,
    line_starts,
    record_starts,
    sentence_starts,
    word_starts,
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    starts = [*sentence_starts(text, 0, len(text)), len(text)]
    return [text[a:b].strip() for a, b in pairwise(starts)]


@pytest.mark.parametrize(
    "text",
    [
        "Use approx. 3.5 ml, i.e. less than Dr. Stone's old dose (see Fig. 4 and No. 7).",
        "Start before 6 a.m. on Jan. 1 with Prof. Reed.",
        'The guide asked, "Is pump 1 off?" and nobody moved.',
        "Version v1.2.3 of https://a.example/b.c?d=1.2 is out.",
    ],
)
def test_no_cut_inside(text: str) -> None:
    """Abbreviations, quotes, versions and addresses do not end a sentence."""
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("पहला वाक्य। दूसरा वाक्य।", ["पहला वाक्य।", "दूसरा वाक्य।"]),
        ("هل انتهى؟ نعم.", ["هل انتهى؟", "نعم."]),
        ("第一句。第二句。", ["第一句。", "第二句。"]),
    ],
)
def test_sentences_of_many_scripts(text: str, expected: list[str]) -> None:
    """Sentence ends of several scripts."""
    assert sentences(text) == expected


@pytest.mark.parametrize("cluster", ["👩\u200d👩\u200d👧\u200d👦", "🇳🇴", "👍🏽", "1\ufe0f\u20e3", "e\u0301", "각"])
def test_a_grapheme_cluster_is_never_cut(cluster: str) -> None:
    """No cut inside an emoji family, flag, skin tone, keycap, accent or syllable (Unicode UAX #29)."""
    text = cluster * 10
    for at in range(1, len(text)):
        assert grapheme_boundary(text, 0, at, len(text)) % len(cluster) == 0
    assert all(start % len(cluster) == 0 for start in grapheme_starts(text, 0, len(text), 3))


def test_words_are_never_cut_while_there_is_white_space() -> None:
    """Runs of words end at white space, whatever the width."""
    text = "alpha beta gamma delta " * 50
    for start in word_starts(text, 0, len(text), 17)[1:]:
        assert text[start - 1] == " "


def test_a_long_word_is_one_piece_among_the_words() -> None:
    """A word longer than the width is passed over whole."""
    text = "a b " + "x" * 500 + " c d"
    starts = word_starts(text, 0, len(text), 10)
    assert not any(4 < s < 504 for s in starts)


def test_lines_skip_empty_ones() -> None:
    """Line starts name the lines that have something."""
    assert line_starts("a\n\n  \nb\nc", 0, 9) == [0, 6, 8]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("『はい、来ました。』日誌に書く。", ["『はい、来ました。』", "日誌に書く。"]),
        ("他问：“好吗？”然后他写下时间。", ["他问：“好吗？”", "然后他写下时间。"]),
        ('He said: "Go." Then he went.', ['He said: "Go."', "Then he went."]),
        ("Nobody knows why.¹² Some guess.† It burns.", ["Nobody knows why.¹²", "Some guess.†", "It burns."]),
    ],
)
def test_a_closing_sign_belongs_to_its_sentence(text: str, expected: list[str]) -> None:
    """Closing quotes and brackets behind the stop end the sentence, in scripts without spaces too."""
    assert sentences(text) == expected


def test_a_long_run_is_not_cut_before_a_wide_closing_sign() -> None:
    """No piece of Chinese or Japanese begins with a stop, comma or closing quote (kinsoku)."""
    text = "灯台、光。「海」" * 20
    assert not any(text[s] in "、。」" for s in grapheme_starts(text, 0, len(text), 3)[1:])


@pytest.mark.parametrize(
    ("lines", "records"),
    [
        ([f"[{i}] Reed, A. (20{i}). On ropes. Knots, 3." for i in range(10, 20)], 10),
        (["[1] Reed, A. On", "    ropes and knots.", "[2] Stone, B. On", "    sails and wind."], 2),
        (["a line that", "ends where", "the writer wants", "it to, not at the edge of the page", "as verse"], 5),
        (["The keeper walks along the wall at", "night and counts the lamps that are", "lit. He writes."] * 4, 1),
    ],
)
def test_lines_that_are_records_are_told_from_wrapped_prose(lines: list[str], records: int) -> None:
    """Lines are joints when they begin with a mark or end before the edge; not in hard-wrapped prose."""
    text = "\n".join(lines)
    assert len(record_starts(text, 0, len(text))) == records
