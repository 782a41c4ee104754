"""A generated document, written by other people's libraries, is read back: headings, lists, cells, spans, all words."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.property.written import writers
from tests.property.written.model import (
    LATIN,
    Area,
    Grid,
    Heading,
    Items,
    Part,
    depths,
    documents,
    every,
    in_order,
    phrases,
    same,
    tables,
    texts,
    words,
)  # fmt: skip
from withgrain.model import Document
from withgrain.parse import parse

NASTY = phrases(words())
PLAIN = phrases(words(LATIN, ".,:"), most=4)
#: What can be told to be a heading by its looks: letters, no full stop.
TITLES = st.lists(st.text("abcxyzäñ", min_size=2, max_size=7), min_size=1, max_size=5).map(lambda w: "T" + " ".join(w))


def check(document: Document, parts: list[Part]) -> None:
    """Rule: no word is lost, nothing changes its place, every cell of every table is where it was."""
    assert document.unread == ()
    assert not in_order(same(document.text), texts([p for p in parts if not isinstance(p, Grid)]))
    grids = [
        part.drawn() if document.source.uri.endswith("pdf") else part.shown()
        for part in parts
        if isinstance(part, Grid)
    ]
    assert tables(document) == [[[same(text) for text in row] for row in grid] for grid in grids]


def headings(document: Document) -> list[tuple[int | None, str]]:
    return [(block.level, same(block.attrs["text"])) for block in every(document, "heading")]


def items(parts: list[Part]) -> list[tuple[str, int]]:
    return [(same(text), deep) for part in parts if isinstance(part, Items) for text, deep in part.items]


@settings(max_examples=40)
@given(documents(NASTY))
@example([Heading("t`0", 1), Heading("t0", 1)])
@example([Heading("a\\b", 1), Heading("ab", 1)])
def test_html(parts: list[Part]) -> None:
    document = parse(writers.html(parts), uri="a.html")
    check(document, parts)
    assert headings(document) == [(p.level, same(p.text)) for p in parts if isinstance(p, Heading)]
    assert depths(document) == items(parts)


@settings(max_examples=12)
@given(documents(NASTY))
def test_docx(parts: list[Part]) -> None:
    document = parse(writers.docx(parts), uri="a.docx")
    check(document, parts)
    assert headings(document) == [(p.level, same(p.text)) for p in parts if isinstance(p, Heading)]
    assert depths(document) == items(parts)


@settings(max_examples=12)
@given(documents(NASTY))
def test_pptx(parts: list[Part]) -> None:
    document = parse(writers.pptx(parts), uri="a.pptx")
    check(document, parts)
    assert headings(document) == [(1, same(p.text)) for p in parts if isinstance(p, Heading)]
    assert depths(document) == items(parts)
    assert [b.page for b in every(document, "heading")] == list(range(1, len(headings(document)) + 1))


@settings(max_examples=15)
@given(documents(NASTY, spans_in_header=False))
def test_xlsx(parts: list[Part]) -> None:
    """Lists are cells in a sheet: they are texts or a table, so that tables are compared in documents without them."""
    document = parse(writers.xlsx(parts), uri="a.xlsx")
    assert document.unread == ()
    assert not in_order(same(document.text), texts([p for p in parts if not isinstance(p, Grid | Items)]))
    found = tables(document)
    for part in parts:
        if isinstance(part, Grid):
            assert [[same(text) for text in row] for row in part.shown()] in found
    text = same(document.text)
    assert all(word in text for word, _ in items(parts))


def _over_two_pages(items: int, columns: int) -> list[Part]:
    """A table of five rows that begins so near to the end of a page that one row is alone there, or on the next."""
    cells = tuple(Area(f"t{r} of r{r}c{c}", r, c) for r in range(5) for c in range(columns))
    return [Items((("t0", 1),) * items, ordered=False), Grid(5, columns, cells)]


@settings(max_examples=25)
@given(documents(PLAIN, titles=TITLES))
def test_pdf(parts: list[Part]) -> None:
    document = parse(writers.pdf(parts), uri="a.pdf")
    check(document, parts)
    assert [text for _, text in headings(document)] == [same(p.text) for p in parts if isinstance(p, Heading)]
    assert depths(document) == items(parts)


def test_a_table_of_a_pdf_is_whole_wherever_its_page_ends() -> None:
    """A header or a last row that is alone on its page belongs to the table, however few its columns are."""
    for columns in (2, 3):
        for items_above in range(15, 27):
            parts = _over_two_pages(items_above, columns)
            check(parse(writers.pdf(parts), uri="a.pdf"), parts)
