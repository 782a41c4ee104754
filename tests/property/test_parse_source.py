"""``to_source`` points at the same words in the user's own bytes, whatever newlines, marks and NULs they have."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withgrain.model import Span
from withgrain.parse import decode, parse
from withgrain.parse.markdown import walk
from withgrain.testing.markdown import documents

NOISE = st.lists(
    st.sampled_from(["\r\n", "\n", "\r", "\ufeff", "\0", "a", "bc", " ", "é", "🧭", "# h", "- x", "\r\r\n", "\r\0\n"]),
    max_size=40,
).map("".join)
ENCODINGS = st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"])
WORD = re.compile(r"\S+")


@settings(max_examples=800)
@given(NOISE, ENCODINGS)
def test_every_word_is_found_again_in_the_source(source: str, encoding: str) -> None:
    if encoding == "utf-16-le":
        source = source.lstrip("\0")  # a NUL behind that mark reads as the mark of UTF-32
    marked = "\ufeff" + source
    document = parse(marked.encode(encoding), uri="a.md")
    for match in WORD.finditer(document.text):
        span = document.to_source(Span(start=match.start(), end=match.end()))
        assert span is not None
        assert re.sub("[\0\ufeff]", "", span.of(marked)) == match.group()
        assert span.of(marked)[0] == match.group()[0] and span.of(marked)[-1] == match.group()[-1]


@settings(max_examples=400)
@given(NOISE)
def test_removed_counts_exactly_what_is_missing(source: str) -> None:
    decoded = decode(("\ufeff" + source).encode())
    assert len(decoded.text) + len(decoded.removed) == len(source) + 1
    assert list(decoded.removed) == sorted(decoded.removed)
    assert decoded.text.split() == re.sub("[\0\ufeff]", "", source).split()


@settings(max_examples=200)
@given(documents())
def test_newlines_of_any_kind_give_the_same_blocks(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    expected = parse(plain.encode(), uri="a.md")
    for newline in ("\r\n", "\r"):
        other = parse(plain.replace("\n", newline).encode(), uri="a.md")
        assert (other.text, other.blocks, other.links, other.meta) == (
            expected.text,
            expected.blocks,
            expected.links,
            expected.meta,
        )


class _Counting:
    """Passes events on and counts them."""

    def __init__(self, parser: object) -> None:
        self.parser = parser
        self.events = 0

    def events_with_range(self, text: str) -> list[object]:
        found = list(self.parser.events_with_range(text))  # type: ignore[attr-defined]
        self.events += len(found)
        return found


@pytest.mark.parametrize(
    "unit",
    ["# a\n", "- a\n", "> ", "- ", "[a](b) ", "::: note\nx\n:::\n", "!!! note\n    x\n", "::: note\n", "$$\nx\n$$\n",
     "| a |\n|---|\n| b |\n\n", "```\nx\n```\n", "a\n: b\n\n", "<details>\n\nx\n\n</details>\n\n", "[^a]: b\n\n"],
)  # fmt: skip
def test_events_and_blocks_grow_linearly(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the text is at most about twice the events that are read: nothing is parsed again and again."""
    counts: Counter[int] = Counter()
    for times in (400, 800):
        first, second = _Counting(walk._PARSER), _Counting(walk._DEFINITION_PARSER)
        with monkeypatch.context() as patch:
            patch.setattr(walk, "_PARSER", first)
            patch.setattr(walk, "_DEFINITION_PARSER", second)
            document = parse((unit * times).encode(), uri="a.md")
        counts[times] = first.events + second.events + len(document.blocks)
    assert counts[800] <= 2.2 * counts[400] + 50
    assert counts[800] <= 8 * 800 * max(4, len(unit))
