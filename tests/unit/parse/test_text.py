"""Plain text and logs."""

from __future__ import annotations

import pytest

from tests.support import shared
from tests.unit.parse.support import doc, every, headings, kinds

PROSE = "The agreement is made between the two parties, who have read every clause of it and agree to all of them.\n"


@pytest.mark.parametrize(
    ("line", "level", "number"),
    [
        ("Backup plan\n===========", 1, None),
        ("Daily jobs\n----------", 2, None),
        ("1. GRANT OF RIGHTS", 1, "1"),
        ("4.2 Data Retention", 2, "4.2"),
        ("4.2.1 Legal Hold", 3, "4.2.1"),
        ("ARTICLE IV", 1, "ARTICLE IV"),
        ("ARTICLE 7  STANDSTILL", 1, "ARTICLE 7"),
        ("Section 3. Compensation", 1, "Section 3"),
        ("EXHIBIT A", 1, "EXHIBIT A"),
        ("B.   MICOA BILLED POLICIES", 1, "B"),
    ],
)
def test_headings(line: str, level: int, number: str | None) -> None:
    document = doc(f"{PROSE}\n{line}\n\n{PROSE}", ".txt")
    block = document.blocks[2]
    assert (block.kind, block.level, block.number) == ("heading", level, number)


def test_capitals_are_a_heading_between_prose_only() -> None:
    assert kinds(doc(f"{PROSE}\nGENERAL TERMS OF USE\n\n{PROSE}", ".txt")) == ["paragraph", "heading", "paragraph"]
    assert headings(doc("RESELLER AGREEMENT\n\nBY AND BETWEEN\n\nPIVX CORPORATION\n\nAND\n\nDETTO\n", ".txt")) == []


@pytest.mark.parametrize(
    "line",
    [
        "The year 2031 was dry.",
        "2031 was dry",
        "1. Close the inlet and wait until the needle rests.",
        "Article III Operation of the Company 7",
        "4.2 Data Retention ............ 12",
        "Section 5.05. Group Members. Each Party shall cause its members to comply.",
        "PIVX CORPORATION, INC.",
        "By: ______________",
        "NOW, THEREFORE, the parties agree as follows:",
        "3",
        "- 2 -",
        "2 3 CONFIDENTIAL",
        "I agree with you",
        "A. Meyer",
    ],
)
def test_prose_never_becomes_a_heading(line: str) -> None:
    assert headings(doc(f"{PROSE}\n{line}\n\n{PROSE}", ".txt")) == []


def test_steps_are_a_list_and_no_headings() -> None:
    document = doc("1. Stop Pump\n\n2. Open Valve\n\n3. Wait\n", ".txt")
    assert kinds(document) == ["list"]
    assert [item.number for item in every(document, "list_item")] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "markers"),
    [
        ("- a\n- b\n  more\n", ["-", "-"]),
        ("• a\n\n• b\n", ["•", "•"]),
        ("1) a\n2) b\n", ["1)", "2)"]),
        ("(a) x\n\n(b) y\n\n(c) z\n", ["(a)", "(b)", "(c)"]),
        ("(i) x\n(ii) y\n(iii) z\n(iv) w\n", ["(i)", "(ii)", "(iii)", "(iv)"]),
    ],
)
def test_lists(text: str, markers: list[str]) -> None:
    document = doc(text, ".txt")
    assert kinds(document) == ["list"]
    assert [item.attrs["marker"] for item in every(document, "list_item")] == markers


def test_a_year_or_an_initial_begins_no_list() -> None:
    assert kinds(doc("2031. That year was dry.\n\nJ. Doe wrote it.\n", ".txt")) == ["paragraph", "paragraph"]


def test_hard_wrapped_lines_are_one_paragraph() -> None:
    assert kinds(doc("one line\nand another\nand a third\n\nnext\n", ".txt")) == ["paragraph", "paragraph"]


def test_clause_numbers_are_kept() -> None:
    assert doc("1.1 LICENSE. Subject to the terms, PivX grants rights.\n", ".txt").blocks[0].number == "1.1"


def test_markdown_means_nothing_in_text() -> None:
    assert kinds(doc("# not a heading\n\n```\n\nx\n", ".txt")) == ["paragraph", "paragraph", "paragraph"]


def test_a_log_is_one_paragraph_an_entry() -> None:
    text = "2031-01-02 10:00:00 ERROR a\n  at b\n  at c\n2031-01-02 10:00:01 INFO d\n\n2031-01-02 10:00:02 INFO e\n"
    document = doc(text, ".log")
    assert [block.span.of(text) for block in document.blocks if block.kind == "paragraph"] == [
        "2031-01-02 10:00:00 ERROR a\n  at b\n  at c\n",
        "2031-01-02 10:00:01 INFO d\n",
        "2031-01-02 10:00:02 INFO e\n",
    ]


def test_contracts_get_their_headings() -> None:
    """Checked by eye: 495 headings in 40 contracts, 16 of them no titles (3.2 %)."""
    found = 0
    for path in sorted((shared() / "eval" / "corpus" / "cuad").glob("*.txt")):
        found += len(headings(doc(path.read_bytes(), ".txt")))
    assert 475 <= found <= 515
