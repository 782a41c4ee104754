"""Calls of any size, type and script are answered within their budget or refused in words; nothing else happens."""

from __future__ import annotations

from pathlib import Path

from tests.unit.mcp.adversarial import attack, made


def test_adversarial_calls(tmp_path: Path) -> None:
    """100 seeded calls (``make agents`` makes 1,000): no defect, no answer over its budget, no path of this machine."""
    ends = attack(made(tmp_path), 100)
    assert ends["answered"] > 10 and ends["refused"] > 10
