"""What is left for later is the same as if it had been made at once."""

from __future__ import annotations

from hypothesis import given, settings

from withgrain.model import Block, Source
from withgrain.parse import parse
from withgrain.parse.markdown.parser import parse_markdown
from withgrain.parse.markdown.sink import Sink
from withgrain.parse.markdown.structure import structure
from withgrain.testing.markdown import documents


@settings(max_examples=60, deadline=None)
@given(documents())
def test_blocks_read_later_are_those_of_a_thorough_reading(text: str) -> None:
    """Children of lists, tables, quotes and footnotes do not depend on when they are read."""
    lazy = structure(text, Sink(), mdx=False)
    thorough = structure(text, Sink(thorough=True), mdx=False)
    assert [repr(b) for b in lazy] == [repr(b) for b in thorough]


def test_a_container_becomes_a_plain_block_when_somebody_looks() -> None:
    """It cannot be told from one that was read at once."""
    text = "- one\n- two\n  1. inner\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    source = Source(uri="a.md", media_type="text/markdown", sha256="x")
    items, table = parse_markdown(text.encode(), source).content
    assert items.__class__ is not Block
    assert [c.kind for c in items.children] == ["list_item", "list_item"]
    assert items.__class__ is Block
    assert table == parse_markdown(text.encode(), source).content[1]
    assert [len(row.children) for row in table.children] == [2, 0, 2]


def test_blanks_and_links_are_made_on_demand() -> None:
    """Blocks tile the text, links are resolved, whoever asks first."""
    document = parse(b"# A\n\nSee [b](#b).\n\n\n# B\n", uri="a.md")
    assert [b.kind for b in document.blocks] == ["heading", "blank", "paragraph", "blank", "heading"]
    assert [link.resolved is not None for link in document.links] == [True]
    assert document == parse(b"# A\n\nSee [b](#b).\n\n\n# B\n", uri="a.md")
