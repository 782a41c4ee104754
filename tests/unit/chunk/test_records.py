"""Issue 3: "Tables: … row groups with the header repeated (or `records`: each row as a self-contained JSON object)"."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from withgrain.chunk import STRUCTURE_AWARE, chunk_document
from withgrain.chunk.compile import Chunked
from withgrain.parse import parse
from withgrain.tokens import wordpiece

RECORDS = replace(STRUCTURE_AWARE, classes=(), table_mode="records")


def cut(text: str, maximum: int = 480) -> Chunked:
    return chunk_document(parse(text.encode(), uri="doc.md"), RECORDS.with_maximum(maximum), wordpiece())


def records(text: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


TABLE = "| Status | Meaning |\n|---|---|\n| 1 | enabled |\n| 2 | a \\| b |\n"


def test_rows_are_read_as_json_objects_with_the_header_labels() -> None:
    """Each row is a self-contained object; escaped bars are read; the body stays a slice of the text."""
    chunked = cut(f"# T\n\nCodes:\n\n{TABLE}\nAfter.\n")
    (chunk,) = chunked.chunks
    assert records(chunk.embed_text) == [{"Status": "1", "Meaning": "enabled"}, {"Status": "2", "Meaning": "a | b"}]
    assert "|---|" not in chunk.embed_text
    assert "|---|" in chunk.body
    assert chunk.embed_text.endswith("After.")
    assert chunk.display_text.startswith("Codes:\n\n{")
    assert chunked.audit.words_lost == 0


def test_budgets_count_the_rendered_text() -> None:
    """A table of short cells under long labels is longer as records; every chunk still fits, each row is in one."""
    rows = "".join(f"| k{i} | {i} |\n" for i in range(60))
    chunked = cut(f"# T\n\n| The long name of a column | Another long name of one |\n|---|---|\n{rows}", 120)
    assert all(c.tokens == wordpiece().count(c.embed_text) <= 120 for c in chunked.chunks)
    found = [r for c in chunked.chunks for r in records(c.embed_text)]
    assert [r["The long name of a column"] for r in found] == [f"k{i}" for i in range(60)]


def test_a_row_over_the_limit_is_cut_at_cells_that_are_records_with_the_key_beside_them() -> None:
    """A row over the limit by cells: each cell is an object of its own, the row's first cell stands beside it."""
    cells = " | ".join(f"value {i} of some words" for i in range(12))
    names = " | ".join(f"Column {i}" for i in range(12))
    chunked = cut(f"| Id | {names} |\n|{'---|' * 13}\n| A1 | {cells} |\n", 70)
    found = [r for c in chunked.chunks for r in records(c.embed_text.replace("} {", "}\n{"))]
    assert {f"Column {i}": f"value {i} of some words" for i in range(12)}.items() <= {
        key: value for r in found for key, value in r.items()
    }.items()
    assert all({"Id": "A1"} in records(c.embed_text.replace("} {", "}\n{")) for c in chunked.chunks)
    assert all(c.tokens is not None and c.tokens <= 70 for c in chunked.chunks)


@pytest.mark.parametrize(
    ("header", "names"),
    [("| A | A |", ["A", "A (2)"]), ("| A | |", ["A", "column 2"]), ("| A |", ["A"])],
)
def test_every_column_has_a_name_of_its_own(header: str, names: list[str]) -> None:
    """Labels that repeat or are empty are made distinct, so that no cell is lost."""
    delimiter = "|" + "---|" * (header.count("|") - 1)
    (chunk,) = cut(f"{header}\n{delimiter}\n| 1 | 2 |\n").chunks
    assert list(records(chunk.embed_text)[0]) == names


def test_a_nested_table_that_is_cut_becomes_records_too() -> None:
    """A table inside a list item is rendered once its item has to be cut."""
    rows = "".join(f"  | k{i} | some words {i} |\n" for i in range(40))
    chunked = cut(f"- Item:\n\n  | Key | Words |\n  |---|---|\n{rows}", 100)
    assert sum(len(records(c.embed_text)) for c in chunked.chunks) == 40


def test_long_headers_are_replaced_by_the_names_of_the_cells() -> None:
    """Without records, a piece of a wide row says the columns of its own cells, not all of them."""
    names = " | ".join(f"Name of the column with number {i}" for i in range(12))
    cells = " | ".join(f"value {i} " + "of some words " * 8 for i in range(12))
    policy = replace(STRUCTURE_AWARE, classes=()).with_maximum(90)
    text = f"| Id | {names} |\n|{'---|' * 13}\n| A1 | {cells} |\n"
    chunked = chunk_document(parse(text.encode(), uri="doc.md"), policy, wordpiece())
    for i in range(12):
        (chunk,) = [c for c in chunked.chunks if f"value {i} " in c.body]
        assert f"Name of the column with number {i} |" in chunk.embed_text
    assert all(c.tokens is not None and c.tokens <= 90 for c in chunked.chunks)
