"""Patterns in the syntax of ``.gitignore``; git itself is the judge in tests/property/test_ingest_patterns.py."""

from __future__ import annotations

import time

import pytest

from withgrain.ingest.patterns import decide, parse_pattern, parse_patterns, selects


@pytest.mark.parametrize(
    ("pattern", "path", "folder", "expected"),
    [
        ("*.tmp", "a.tmp", False, True),
        ("*.tmp", "deep/er/a.tmp", False, True),
        ("/a.md", "a.md", False, True),
        ("/a.md", "sub/a.md", False, False),
        ("drafts/", "drafts", True, True),
        ("drafts/", "drafts", False, False),
        ("docs/*.md", "docs/a.md", False, True),
        ("docs/*.md", "docs/sub/a.md", False, False),
        ("docs/**", "docs/sub/a.md", False, True),
        ("docs/**", "docs", True, False),
        ("docs/**/a.md", "docs/a.md", False, True),
        ("**/a.md", "a.md", False, True),
        ("a?c", "abc", False, True),
        ("a?c", "a/c", False, False),
        ("[a-c]x", "bx", False, True),
        ("[!a-c]x", "bx", False, False),
        ("[]]x", "]x", False, True),
        (r"\#a", "#a", False, True),
        (r"\!a", "!a", False, True),
        (r"a\ ", "a ", False, True),
        ("a  ", "a", False, True),
        ("a**b", "axyb", False, True),
        ("**", "x/y", False, True),
    ],
)
def test_pattern_matches_as_gitignore_says(pattern: str, path: str, folder: bool, expected: bool) -> None:
    parsed = parse_pattern(pattern)
    assert parsed is not None
    assert parsed.matches(path.split("/"), folder) is expected


@pytest.mark.parametrize("line", ["", "# comment", "   ", "/", "!", "a[b", "a\\", "x" * 5000])
def test_line_that_can_match_nothing_is_no_pattern(line: str) -> None:
    assert parse_pattern(line) is None


def test_last_matching_pattern_decides() -> None:
    """ "the last matching pattern decides the outcome"."""
    patterns = parse_patterns("*.md\n!keep.md\n")
    assert decide(patterns, ["a.md"], False) is True
    assert decide(patterns, ["keep.md"], False) is False
    assert decide(patterns, ["a.txt"], False) is None


def test_pattern_of_a_folder_selects_what_is_inside() -> None:
    assert selects(parse_patterns("guides/"), "guides/deep/a.md")
    assert not selects(parse_patterns("guides/"), "other/a.md")


def test_hostile_pattern_ends_quickly() -> None:
    """Patterns come with the documents: "bounded time". As a regular expression this one takes years."""
    pattern = parse_pattern("*a" * 60 + "b")
    assert pattern is not None
    started = time.process_time()
    assert not pattern.matches(["a" * 250], False)
    deep = parse_pattern("/".join(["**", "a"] * 60) + "/b")
    assert deep is not None
    assert not deep.matches(["a"] * 250, False)
    assert time.process_time() - started < 1
