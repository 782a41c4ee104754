"""The benchmarks' judge finds the faults that it says it finds. No peer is needed."""

from __future__ import annotations

import importlib.util
from itertools import pairwise

import pytest

from tests.support import REPO

if not (REPO / "benchmarks" / "judge").is_dir() or importlib.util.find_spec("benchmarks") is None:
    pytest.skip("needs the repository; this run tests an installed wheel", allow_module_level=True)

from benchmarks.judge import Score, place, score, structure
from benchmarks.judge.source import Piece, make_source
from benchmarks.judge.structure import key_of
from benchmarks.peers import Sizes
from benchmarks.peers.own import Own
from withgrain.tokens import wordpiece

pytestmark = pytest.mark.needs_repo

TEXT = """# Guide

Intro words.

## Steps

1. first
2. second

```sh
# not a heading
run
```

| Key | Meaning |
|---|---|
| a | one |
| b | two |
"""


def count(text: str) -> int:
    return len(text.split())


def judged(pieces: list[Piece], text: str = TEXT, limit: int = 1000) -> Score:
    source = make_source("guide.md", text.encode())
    assert source is not None
    result = Score()
    score(source, pieces, limit, count, result)
    return result


def cut(*marks: str, text: str = TEXT) -> list[Piece]:
    """Cut the text in front of each mark; offsets as they are."""
    edges = [0, *(text.index(m) for m in marks), len(text)]
    return [Piece(text=text[a:b], body=text[a:b], start=a, end=b) for a, b in pairwise(edges)]


def faults(found: Score) -> dict[str, int]:
    return {name: tally.faults for name, tally in found.tallies.items() if tally.faults}


def test_structure_is_what_the_text_holds():
    """Line maps become exact ranges, and a # in code is no heading."""
    found = structure(TEXT, "guide.md")
    assert [h.text for h in found.headings] == ["Guide", "Steps"]
    assert [TEXT[a:b].splitlines()[0] for a, b in found.fences] == ["```sh"]
    assert [TEXT[a:b] for a, b in found.ordered_lists] == ["1. first\n2. second"]
    assert TEXT[slice(*found.tables[0].rows)] == "| a | one |\n| b | two |"
    assert found.hash_lines == {key_of("not a heading")}


def test_one_whole_chunk_has_no_fault():
    """What is in one chunk whole is not severed."""
    found = judged(cut())
    assert faults(found) == {}
    assert found.tallies["fences"].cases == found.tallies["tables"].cases == found.tallies["ordered_lists"].cases == 1


@pytest.mark.parametrize(("mark", "measure"), [("run\n", "fences"), ("| b", "tables"), ("2. second", "ordered_lists")])
def test_a_block_cut_in_two_is_severed(mark: str, measure: str):
    """A block that fits and is in no chunk whole is a fault of its kind."""
    assert faults(judged(cut(mark)))[measure] == 1


def test_a_block_that_does_not_fit_is_no_case():
    """Only what fits under its headings can be severed."""
    found = judged(cut("| b"), limit=12)
    assert found.tallies["tables"].cases == 0


@pytest.mark.parametrize(("repeated", "expected"), [("", 1), ("| Key | Meaning |\n", 0)])
def test_rows_need_their_header(repeated: str, expected: int):
    """A chunk that continues a table repeats its header."""
    first, second = cut("| b")
    second = Piece(text=repeated + second.body, body=second.body, start=second.start, end=second.end)
    tally = judged([first, second]).tallies["headerless"]
    assert (tally.faults, tally.cases) == (expected, 1)


@pytest.mark.parametrize(("path", "own", "whole"), [((), 1, 1), (("Steps",), 0, 1), (("Guide", "Steps"), 0, 0)])
def test_a_chunk_needs_its_headings(path: tuple[str, ...], own: int, whole: int):
    """The heading above the first word is in the text or beside it."""
    first, second = cut("1. first")
    second = Piece(text=second.text, body=second.body, start=second.start, end=second.end, path=path)
    tallies = judged([first, second]).tallies
    assert (tallies["no_heading"].faults, tallies["no_path"].faults) == (own, whole)


def test_words_in_no_chunk_are_lost():
    """A word is in a chunk, in a heading that some chunk carries, or lost."""
    first, _ = cut("| Key")
    tally = judged([first]).tallies["lost"]
    assert tally.faults == 6  # Key Meaning a one b two


def test_declared_text_is_no_loss():
    """Front matter, comment blocks and link definitions need not be in a chunk."""
    text = "---\ntitle: T\n---\n\n<!-- note -->\n\n[a]: http://b.example\n\nbody\n"
    start = text.index("body")
    assert faults(judged([Piece(text="body", body="body", start=start, end=start + 4)], text)) == {}


def test_wrong_offsets_are_inexact_and_the_text_is_found_all_the_same():
    """A false claim is a fault of exactness, not a loss."""
    found = judged([Piece(text=TEXT, body=TEXT, start=3, end=3 + len(TEXT))])
    assert faults(found) == {"inexact": 1}


def test_repeated_text_is_placed_in_order():
    """The second of two equal chunks stands behind the first."""
    placed = place("same\n\nsame\n", [Piece(text="same", body="same"), Piece(text="same", body="same")])
    assert [p.ranges for p in placed] == [((0, 4),), ((6, 10),)]


def test_changed_white_space_is_found_and_inexact():
    """Text whose white space was rewritten is placed, but it is no copy."""
    (placed,) = place("one\n  two three", [Piece(text="one two", body="one two")])
    assert (placed.ranges, placed.exact) == (((0, 9),), False)


def test_long_text_is_over_the_limit():
    """The whole text counts, not the body alone."""
    found = judged([Piece(text="x " * 5 + TEXT, body=TEXT, start=0, end=len(TEXT))], limit=count(TEXT))
    assert found.tallies["over_limit"].faults == 1


def test_a_code_line_in_a_path_is_a_fault():
    """A # line of code must not be taken for a heading."""
    (piece,) = cut()
    found = judged([Piece(text=piece.text, body=piece.body, start=0, end=len(TEXT), path=("not a heading",))])
    assert faults(found) == {"hash_lines": 1}


def test_our_adapter_gives_clean_pieces():
    """The adapter's spans, texts and paths are what the judge expects."""
    source = make_source("guide.md", TEXT.encode())
    assert source is not None
    own = Own(Sizes(limit=480, count=wordpiece().count))
    found = Score()
    score(source, own.pieces(source), 480, wordpiece().count, found)
    assert found.clean and found.chunks > 1
    assert list(own.cut(source)) == [p.text for p in own.pieces(source)]
