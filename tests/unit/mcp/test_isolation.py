"""A reader with a scope sees no row, count, name or suggestion of what is outside it, whatever is asked."""

from __future__ import annotations

from pathlib import Path

from tests.unit.mcp.isolation import attack, made


def test_scopes_are_isolated(tmp_path: Path) -> None:
    """4 scopes with 30 queries each (``make agents``: 50 with 200)."""
    there = made(tmp_path, 4)
    assert attack(there["place"], there["ids"], 4, 30) > 60
