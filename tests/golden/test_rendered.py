"""Formats whose text the parser makes: ``input.*``, its text in ``canonical.txt``, its blocks in ``blocks.txt``.

After a wanted change: ``WITHGRAIN_GOLDEN=write pytest tests/golden/test_rendered.py``, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.golden.markdown.outline import outline
from withgrain.parse import parse

HERE = Path(__file__).parent
FOLDERS = ("html", "eml", "ipynb", "rst", "vtt")
INPUTS = sorted(path for name in FOLDERS for path in HERE.glob(f"{name}/*/input.*"))
WRITE = os.environ.get("WITHGRAIN_GOLDEN") == "write"


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parts[-3]}-{path.parent.name}")
def test_golden(path: Path) -> None:
    """Text, blocks and drops are those that a person has read; no word of the source is lost."""
    if path.suffix == ".rst":
        pytest.importorskip("docutils")
    document = parse(path.read_bytes(), uri=path.name)
    drops = "".join(f"dropped: {drop.reason}: {' '.join(drop.text.split())[:80]}\n" for drop in document.dropped)
    for name, found in (("canonical.txt", document.text), ("blocks.txt", outline(document) + drops)):
        expected = path.with_name(name)
        if WRITE:
            expected.write_text(found, encoding="utf-8")
        assert found == expected.read_text(encoding="utf-8")
    assert document.unread == ()
