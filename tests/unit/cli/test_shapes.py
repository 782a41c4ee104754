"""The JSON shapes say what the records hold."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from withgrain.cli import shapes
from withgrain.cli.screen import first_lines, plural
from withgrain.cli.talk import safe
from withgrain.model import Chunk, Facts, Part, Span

ROLES = ["path", "metadata", "overlap", "stem", "table_header", "signature", "fence_open", "fence_close", "marker"]


@given(
    st.lists(
        st.builds(
            lambda role, text, position: Part(role=role, text=text, position=position),
            st.sampled_from([*ROLES, "records"]),
            st.text(min_size=1),
            st.sampled_from(["before", "after"]),
        ),
        max_size=6,
    )
)
def test_context_body_and_suffix_are_what_is_shown(parts: list[Part]) -> None:
    """``context``, ``text`` and ``suffix``, a line each, are the display text: nothing is lost or shown twice."""
    chunk = Chunk(id="1", doc_id="d", ordinal=0, total=1, span=Span(start=0, end=4), body="body", parts=tuple(parts))
    shape = shapes.chunk(chunk)
    shown = [shape["context"]] if shape["context"] else []
    after = [shape["suffix"]] if shape["suffix"] else []
    assert "\n".join((*shown, shape["text"], *after)) == chunk.display_text


def test_empty_facts_are_left_out() -> None:
    """Only facts that were found are in the JSON."""
    assert shapes.facts(Facts(codes=("E1",), domain=("OKTA",))) == {"domain": ["OKTA"], "codes": ["E1"]}


def test_failed_file_has_the_keys_of_a_cut_one() -> None:
    """A file that failed has an error and no chunks, in the same form."""
    shape = shapes.failed("a.md", "binary", "It is binary.")
    assert shape["error"] == {"kind": "binary", "message": "It is binary."}
    assert shape["chunks"] == []
    json.dumps(shape)


def test_terminal_controls_are_replaced() -> None:
    """Nothing that a document says controls the terminal; tabs, line breaks and letters stay."""
    assert safe("a\x1b[31mb\x9b\u202ec\r\x00") == "a\ufffd[31mb\ufffd\ufffdc\ufffd\ufffd"
    assert safe("tab\tline\nnaïve 漢字 👩‍👩‍👧") == "tab\tline\nnaïve 漢字 👩‍👩‍👧"


def test_first_lines_say_that_something_is_left_out() -> None:
    """A cut line and left-out lines are marked with an ellipsis; empty lines do not count."""
    assert first_lines("a\n\nb\n", count=2) == ["a", "b"]
    assert first_lines("a\nb\nc", count=2) == ["a", "b", "…"]
    assert first_lines("x" * 10, width=5) == ["xxxx…"]


def test_plural() -> None:
    """One chunk, two chunks."""
    assert [plural(n, "chunk") for n in (0, 1, 2000)] == ["0 chunks", "1 chunk", "2,000 chunks"]
