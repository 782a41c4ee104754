"""Calls of any size, type and script are answered within their budget or refused in words; nothing else happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.mcp.adversarial import attack, made
from withgrain.errors import WithgrainError
from withgrain.mcp.calls import call
from withgrain.mcp.tools.get import GET


def test_adversarial_calls(tmp_path: Path) -> None:
    """100 seeded calls (``make agents`` makes 1,000): no defect, no answer over its budget, no path of this machine."""
    ends = attack(made(tmp_path), 100)
    assert ends["answered"] > 10 and ends["refused"] > 10


def test_lone_surrogates_are_refused_in_words(tmp_path: Path) -> None:
    r"""JSON can spell half a character ("\\ud800"); no store can look it up."""
    with pytest.raises(WithgrainError, match="Nothing in the collection has"):
        call(made(tmp_path), GET, {"id": "\ud800"})
