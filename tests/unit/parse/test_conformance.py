"""CommonMark: every pair of block lines, and thousands of longer runs of them, have markdown-it-py's blocks and lines.

The examples of the specification are under a licence that this repository cannot carry. `make` fetches them for the
last test; the others are generated: the lines below are one of each construct of its chapters on blocks, with the
indentations that matter.
"""

from __future__ import annotations

import json
import random
import re
import sys
from itertools import pairwise, product
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.unit.parse.support import doc
from withgrain.model import Document

#: Constructs of the chapters 4 and 5, and what may continue or end each of them.
LINES = (
    "", "para", "  para", "    deep", "\tdeep", "# head", "## head ##", "#none", "   # head", "===", "---",
    "   ---", "***", "_ _ _", "- item", "+ item", "* item", "-", "1. item", "2) item", "10. item", "-   - item",
    "  cont", "   cont", "- # head", "- ```", "> quote", ">", "> - item", "> # head", ">quote", "```", "```py",
    "~~~", "  ```", "````", "    ```", "<div>", "</div>", "<!-- note -->", "<pre>", "</pre>", "<a href='x'>",
    "[ref]: /target", "[ref]: <t> 'title'", "a\\", "`code`",
)  # fmt: skip
_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code",
    "code_block": "code",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "hr": "rule",
    "html_block": "html",
}
_PARSER = MarkdownIt("commonmark")


def theirs(text: str) -> list[tuple[str, int, int]]:
    """Return kind, first line and line behind the last one that is not blank, of top-level blocks."""
    lines = text.split("\n")
    found = []
    for token in _PARSER.parse(text):
        if token.level == 0 and token.map and token.type in _KINDS:
            first, last = token.map
            while last > first + 1 and not lines[last - 1].strip():
                last -= 1
            found.append((_KINDS[token.type], first, last))
    return found


def ours(document: Document) -> list[tuple[str, int, int]]:
    """Return the same of our blocks; link definitions are no blocks to markdown-it-py."""
    found = []
    for block in document.blocks:
        if block.kind in ("blank", "link_definition"):
            continue
        kind = "html" if block.kind == "comment" else block.kind
        body = block.span.of(document.text).rstrip()
        first = document.text.count("\n", 0, block.span.start)
        found.append((kind, first, first + body.count("\n") + 1))
    return found


def has_open_definition(text: str) -> bool:
    """Return whether a link reference definition touches another line.

    To cmark, the reference implementation, and to us such a line begins a paragraph, which cannot be interrupted by
    indented code, an empty item or a list that does not begin with 1; markdown-it-py closes it at once.
    """
    lines = text.split("\n")
    return any(a.startswith("[ref]") and b.strip() for a, b in pairwise(lines)) or any(
        b.startswith("[ref]") and a.strip() for a, b in pairwise(lines)
    )


def differing(texts: list[str]) -> list[tuple[str, list[tuple[str, int, int]], list[tuple[str, int, int]]]]:
    """Return the texts whose blocks differ, with both readings."""
    return [(t, a, b) for t in texts if not has_open_definition(t) and (a := ours(doc(t.encode()))) != (b := theirs(t))]


def test_every_pair_of_lines() -> None:
    """Which block ends which, all 2,209 of them; a line in front keeps rules from being front matter."""
    texts = [f"para\n\n{a}\n{b}\n" for a, b in product(LINES, LINES)]
    assert not differing(texts)


def test_longer_runs_of_lines() -> None:
    """Three to seven lines at random, from a fixed seed."""
    source = random.Random(12)
    texts = ["para\n\n" + "\n".join(source.choices(LINES, k=source.randint(3, 7))) + "\n" for _ in range(1500)]
    assert not differing(texts)


#: An image alone is a figure here, and a table in HTML is one block whatever stands between its tags.
_HTML_TABLE = re.compile(r"<table>.*</table>", re.DOTALL)


def test_the_examples_of_the_specification() -> None:
    """All examples of CommonMark 0.31 have the blocks of markdown-it-py."""
    place = Path(sys.prefix) / "commonmark.json"
    if not place.is_file():
        pytest.skip("NOT TESTED: the examples of CommonMark (python tools/fetch_commonmark.py .venv/commonmark.json)")
    examples = [example["markdown"] for example in json.loads(place.read_text(encoding="utf-8"))]
    assert len(examples) > 600
    texts = [f"para\n\n{example}" for example in examples if not _HTML_TABLE.search(example)]
    assert len(texts) > 600
    assert [text for text in texts if _without_figures(ours(doc(text.encode()))) != theirs(text)] == []


def _without_figures(blocks: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    return [("paragraph" if kind == "figure" else kind, first, last) for kind, first, last in blocks]
