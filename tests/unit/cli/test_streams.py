"""What is shown stays on its line, and who listens decides nothing."""

from __future__ import annotations

import os
import sys

import pytest

from withgrain.cli.screen import Screen
from withgrain.cli.talk import Talk, one_line


@pytest.mark.parametrize("mark", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_a_name_cannot_make_a_line_of_its_own(mark: str, capsys: pytest.CaptureFixture[str]) -> None:
    """ "nothing that a document says controls it": a line break in a name is no line of the output."""
    Screen().line(f"failed   a{mark}failed   b.md: forged")
    assert capsys.readouterr().out.splitlines() == ["failed   a\ufffdfailed   b.md: forged"]


def test_text_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """A whole section is shown line by line."""
    Screen().text("one\ntwo")
    assert capsys.readouterr().out == "one\ntwo\n"


def test_one_line_without_breaks_is_the_same() -> None:
    assert [one_line(t) for t in ("", "a b", "a\n")] == ["", "a b", "a"]


def test_talk_without_a_listener_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be said is no error of its own."""
    kept = os.dup(2)
    try:
        with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
            monkeypatch.setattr(sys, "stderr", full)
            Talk().error("nobody hears this")
            Talk().error("nor this")
    finally:
        os.dup2(kept, 2)
        os.close(kept)
