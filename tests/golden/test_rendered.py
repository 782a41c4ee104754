"""Formats whose text the parser makes: ``input.*``, its text in ``canonical.txt``, its blocks in ``blocks.txt``.

Documents of binary formats are made by the ``make.py`` of their folder. After a wanted change:
``WITHGRAIN_GOLDEN=write pytest tests/golden/test_rendered.py``, then read the difference.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

from tests.golden.markdown.outline import outline
from withgrain.ingest.archives import Shelf
from withgrain.model import Document
from withgrain.parse import formats, parse

HERE = Path(__file__).parent
WRITTEN = ("html", "eml", "ipynb", "rst", "vtt")
MADE = ("pdf", "docx", "xlsx", "pptx")
INPUTS = sorted(path for name in WRITTEN for path in HERE.glob(f"{name}/*/input.*"))
MAKERS = sorted(path for name in MADE for path in HERE.glob(f"{name}/*/make.py"))
ARCHIVES = sorted(HERE.glob("archive/*/make.py"))
WRITE = os.environ.get("WITHGRAIN_GOLDEN") == "write"


def name_of(path: Path) -> str:
    return f"{path.parts[-3]}-{path.parent.name}"


def made(path: Path) -> bytes:
    """Return the document that a ``make.py`` makes."""
    data: bytes = import_module(".".join(path.relative_to(HERE.parents[1]).with_suffix("").parts)).make()
    return data


def compare(folder: Path, name: str, found: str) -> None:
    expected = folder / name
    if WRITE:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def check(document: Document, folder: Path) -> None:
    drops = "".join(f"dropped: {drop.reason}: {' '.join(drop.text.split())[:80]}\n" for drop in document.dropped)
    compare(folder, "canonical.txt", document.text)
    compare(folder, "blocks.txt", outline(document) + drops)
    assert document.unread == ()


@pytest.mark.parametrize("path", INPUTS, ids=name_of)
def test_golden(path: Path) -> None:
    """Text, blocks and drops are those that a person has read; no word of the source is lost."""
    if path.suffix == ".rst":
        pytest.importorskip("docutils")
    check(parse(path.read_bytes(), uri=path.name), path.parent)


@pytest.mark.parametrize("path", MAKERS, ids=name_of)
def test_made(path: Path) -> None:
    """The same, with pages, boxes, slides and cells, of documents that are made for it."""
    check(parse(made(path), uri=f"input.{path.parts[-3]}"), path.parent)


@pytest.mark.parametrize("path", ARCHIVES, ids=name_of)
def test_archive(path: Path, tmp_path: Path) -> None:
    """An archive is a folder: its members with their text, and what is refused with the reason."""
    file = tmp_path / "input.zip"
    file.write_bytes(made(path))
    shelf = Shelf()
    listing = shelf.list(str(file), 1_000_000, [suffix for known in formats() for suffix in known.suffixes])
    lines = []
    for member in listing.members:
        document = parse(shelf.read(str(file), member.inside, 1_000_000).data, uri=member.path)
        lines += [f"== {member.path} ({document.source.media_type})", document.text]
    lines += [f"refused: {refused.path}: {refused.reason}" for refused in listing.refused]
    compare(path.parent, "members.txt", "\n".join(lines) + "\n")
