"""Each folder holds ``input.*`` of one kind of data file and ``blocks.txt``, the outline that its parser must make.

After a wanted change: ``WITHGRAIN_GOLDEN=write pytest tests/golden/data``, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.golden.markdown.outline import outline
from withgrain.parse import parse

HERE = Path(__file__).parent
INPUTS = sorted(HERE.glob("*/input.*"))
WRITE = os.environ.get("WITHGRAIN_GOLDEN") == "write"


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name)
def test_outline(path: Path) -> None:
    found = outline(parse(path.read_bytes(), uri=path.name))
    expected = path.with_name("blocks.txt")
    if WRITE:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")
