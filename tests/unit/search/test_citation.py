"""A citation is complete without a second look-up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from withgrain.model import Chunk, ChunkRecord, Citation, SectionRef, Span
from withgrain.search.citation import cite_chunk as cite
from withgrain.search.citation import clause, deep_link


def test_a_chunk_of_one_section_cites_path_lines_and_link() -> None:
    chunk = Chunk(
        id="c",
        doc_id="d",
        ordinal=0,
        total=1,
        span=Span(start=40, end=80),
        body="x" * 40,
        title="Reset",
        heading_path=("Reset", "4.2 Steps"),
        lines=(12, 18),
    )
    found = cite(ChunkRecord(chunk=chunk, path="runbooks/reset me.md", root="kb", doc_class="sop"), {})
    assert found.document == "runbooks/reset me.md"
    assert found.title == "Reset"
    assert found.heading_path == ("Reset", "4.2 Steps")
    assert found.clause == "4.2"
    assert found.lines == (12, 18)
    assert found.link == "runbooks/reset%20me.md#L12-L18"


def several() -> ChunkRecord:
    """Two small sections with their headings in one chunk that begins at line 5."""
    first = "## Retry\nTry three times.\n\n"
    second = "## Timeout\nWait ten seconds.\nThen stop.\n"
    start = 100
    middle, end = start + len(first), start + len(first) + len(second)
    chunk = Chunk(
        id="c",
        doc_id="d",
        ordinal=0,
        total=1,
        span=Span(start=start, end=end),
        body=first + second,
        title="Client",
        heading_path=("Client",),
        sections=(
            SectionRef(path=("Client", "Retry"), span=Span(start=start, end=middle)),
            SectionRef(path=("Client", "Timeout"), span=Span(start=middle, end=end)),
        ),
        lines=(5, 10),
    )
    return ChunkRecord(chunk=chunk, path="client.md", root="kb", doc_class="concept")


@pytest.mark.parametrize(
    ("weights", "leaf", "name", "lines"),
    [
        ({"timeout": 2.0}, None, "Timeout", (8, 10)),
        ({"three": 1.0, "wait": 0.5}, None, "Retry", (5, 6)),
        ({"other": 1.0}, Span(start=130, end=140), "Timeout", (8, 10)),
        ({"other": 1.0}, None, "Retry", (5, 6)),
        ({"three": 1.0}, Span(start=130, end=140), "Retry", (5, 6)),
    ],
)
def test_of_several_sections_the_best_match_is_cited(
    weights: dict[str, float], leaf: Span | None, name: str, lines: tuple[int, int]
) -> None:
    """Quote: "a chunk with several sections cites the section that matched best (path + its lines)"."""
    found = cite(several(), weights, leaf=leaf)
    assert found.heading_path == ("Client", name)
    assert found.lines == lines
    assert found.link == f"client.md#L{lines[0]}-L{lines[1]}"


@pytest.mark.parametrize(
    ("path", "body", "number"),
    [
        (("Policy", "4.2 Retention"), "", "4.2"),
        (("B.1 Keys",), "", "B.1"),
        (("7. Term",), "", "7"),
        (("Section 12: Notices",), "", "12"),
        (("Article IV",), "", "IV"),
        (("§ 3.1 Scope", "Notes"), "", "3.1"),
        (("3 ways to fail",), "", None),
        (("2024 in review",), "", None),
        (("A guide",), "", None),
        (("Annexes",), "", None),
        (("Terms",), "  11.3 Neither party may …", "11.3"),
        (("Terms",), "5 minutes later", None),
        (("Terms",), "1.5% of the fee", None),
        ((), "", None),
    ],
)
def test_the_clause_is_the_printed_number(path: tuple[str, ...], body: str, number: str | None) -> None:
    assert clause(path, body) == number


@pytest.mark.parametrize(
    ("lines", "page", "link"),
    [((3, 3), None, "a/b.md#L3"), (None, 4, "a/b.md#page=4"), (None, None, "a/b.md"), ((1, 2), 9, "a/b.md#L1-L2")],
)
def test_deep_links(lines: tuple[int, int] | None, page: int | None, link: str) -> None:
    assert deep_link("a/b.md", lines, page) == link


def test_a_page_of_html_is_cited_with_its_anchor() -> None:
    """It has neither lines nor pages: the anchor is what leads there. Lines and pages say more."""
    cited = Citation(document="g.html", title="Guide", heading_path=("Guide", "Rotate"), anchor="rotate")
    assert str(cited) == "g.html › Guide › Rotate, #rotate"
    assert str(replace(cited, lines=(3, 4))) == "g.html › Guide › Rotate, lines 3-4"
    assert str(replace(cited, page=2)) == "g.html › Guide › Rotate, page 2"
