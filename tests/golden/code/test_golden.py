"""Each folder holds ``input.*`` in one language and ``blocks.txt``, the outline that the parser must make of it.

After a wanted change: ``WITHGRAIN_GOLDEN=write pytest tests/golden/code``, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.golden.markdown.outline import outline
from withgrain.parse import parse
from withgrain.parse.code.languages import LANGUAGES

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


def test_every_language_has_its_folder() -> None:
    """A language counts only with a golden folder."""
    assert {path.parent.name for path in INPUTS} == {language.name for language in LANGUAGES.values()}
