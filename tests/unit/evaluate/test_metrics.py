"""Metrics against answers that are counted by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from withgrain.evaluate.gold import Evidence, Gold
from withgrain.evaluate.metrics import PACKED_BUDGETS, Seen, covered, measure, ndcg, recall, within
from withgrain.evaluate.questions import EvalQuestion
from withgrain.evaluate.structure import Structure
from withgrain.model import Chunk, Citation, DocumentRecord, Hit, Part, Span


def seen(start: int, end: int, doc: str = "d") -> Seen:
    return Seen(doc_id=doc, span=Span(start=start, end=end))


def gold(*pieces: tuple[tuple[str, Span], ...], level: str = "chunk") -> Gold:
    question = EvalQuestion(
        id="q",
        line=1,
        text="?",
        type="fact",
        doc_id="d",
        references=(),
        level=level,  # type: ignore[arg-type]
    )
    document = DocumentRecord(
        id="d",
        root="",
        uri="d",
        path="d",
        title="",
        sha256="",
        modified=None,
        media_type="text/plain",
        doc_class="x",
    )
    return Gold(question=question, document=document, evidence=tuple(Evidence(places=p) for p in pieces))


def place(start: int, end: int, doc: str = "d") -> tuple[str, Span]:
    return doc, Span(start=start, end=end)


def hit(start: int, end: int, *, doc: str = "d", ahead: str = "") -> Hit:
    body = "b" * (end - start)
    parts = (Part(role="table_header", text=ahead),) if ahead else ()
    chunk = Chunk(
        id=f"{doc}{start}",
        doc_id=doc,
        ordinal=0,
        total=1,
        span=Span(start=start, end=end),
        body=body,
        parts=parts,
    )
    return Hit(
        rank=1,
        score=0,
        chunk=chunk,
        text=chunk.display_text,
        body=body,
        span=chunk.span,
        source_span=None,
        citation=Citation(document=doc, title=""),
    )


def test_overlap_is_read_once() -> None:
    assert covered(place(10, 30), [seen(0, 15), seen(12, 20), seen(25, 99), seen(10, 30, "other")]) == 15


def test_a_repetition_elsewhere_counts_as_the_gold_itself() -> None:
    asked = gold((place(0, 10), place(50, 60, "copy")))
    assert recall(asked, [seen(50, 55, "copy")]) == 0.5
    assert recall(asked, [seen(50, 55, "copy"), seen(0, 8)]) == 0.8


def test_recall_is_the_share_of_all_gold_characters() -> None:
    asked = gold((place(0, 10),), (place(100, 130),))
    assert recall(asked, [seen(100, 130)]) == 0.75


def test_the_budget_counts_text_and_cuts_the_last_body() -> None:
    """Quote: "gold characters counted on bodies within the first 8,000 characters of Hit.text"."""
    hits = [hit(0, 50), hit(100, 150, ahead="hhhh"), hit(200, 250)]
    assert within(hits, 75) == [seen(0, 50), seen(100, 120)]
    assert within(hits, 105) == [seen(0, 50), seen(100, 150)]
    assert within(hits, 52) == [seen(0, 50)]
    assert within(hits, 0) == []


def test_document_questions_ask_for_the_document_only() -> None:
    asked = gold((place(0, 10),), level="document")
    assert recall(asked, [seen(500, 600)]) == 1.0
    assert recall(asked, [seen(0, 10, "other")]) == 0.0
    assert ndcg(asked, [seen(0, 9, "other"), seen(500, 600), seen(0, 10)], []) == 1 / math.log2(3)


def test_ndcg_compares_with_the_best_order() -> None:
    asked = gold((place(0, 10),), (place(20, 40),))
    chunks = [seen(0, 10), seen(20, 40), seen(50, 60)]
    assert math.isclose(ndcg(asked, [chunks[1], chunks[0]], chunks), 1.0)
    one_third, two_thirds = 10 / 30, 20 / 30
    expected = (one_third + two_thirds / math.log2(3)) / (two_thirds + one_third / math.log2(3))
    assert math.isclose(ndcg(asked, chunks, chunks), expected)


def test_precision_and_iou_count_characters_of_the_first_five() -> None:
    asked = gold((place(0, 10),))
    values = measure(asked, [hit(5, 25), hit(100, 120)], [seen(5, 25)])
    assert values["precision@5"] == 5 / 40
    assert values["iou@5"] == 5 / (10 + 40 - 5)
    assert values["recall@1"] == values["recall@5"] == values["R@8k"] == 0.5
    assert values["hit@1"] == values["mrr"] == 1.0


def test_the_first_hit_with_gold_gives_the_reciprocal_rank() -> None:
    values = measure(gold((place(0, 10),)), [hit(20, 30), hit(40, 50), hit(0, 10)], [seen(0, 10)])
    assert values["mrr"] == 1 / 3
    assert values["hit@1"] == values["recall@1"] == 0.0
    assert values["recall@5"] == 1.0


def test_an_answer_is_grounded_when_the_packed_context_holds_all_evidence() -> None:
    """Quote: "groundedness (all gold evidence is inside the packed context)"."""
    asked = gold((place(0, 10),), (place(50, 60),))
    assert measure(asked, [], [], contexts={2_000: [seen(0, 60)]})["groundedness"] == 1.0
    assert measure(asked, [], [], contexts={2_000: [seen(0, 59)]})["groundedness"] == 0.0
    assert "groundedness" not in measure(asked, [], [])


def test_the_packed_context_is_judged_by_the_share_of_the_evidence_at_each_budget() -> None:
    asked = gold((place(0, 40),), (place(50, 60),))
    found = measure(asked, [], [], contexts={1_000: [], 2_000: [seen(0, 40)], 4_000: [seen(0, 60)]})
    assert [found[name] for name in PACKED_BUDGETS] == [0.0, 0.8, 1.0]


def test_an_empty_answer_is_worth_nothing() -> None:
    values = measure(gold((place(0, 10),)), [], [seen(0, 10)])
    assert set(values.values()) == {0.0}


@pytest.mark.parametrize("ahead", ["", "bb"])
def test_a_body_is_found_behind_its_header(ahead: str) -> None:
    assert within([hit(0, 20, ahead=ahead)], 1_000) == [seen(0, 20)]


TEXT = (
    "# Guide\n\nIntro.\n\n## Codes\n\n| Code | Meaning |\n|---|---|\n| a | one |\n| b | two |\n\n"
    "## Steps\n\n1. first\n2. second\n"
)


def structure() -> Structure:
    record = gold((place(0, 1),)).document
    return Structure(replace(record, text=TEXT, media_type="text/markdown", uri="d.md"))


def row_hit(start: int, end: int, path: tuple[str, ...], header: str = "") -> Hit:
    found = hit(start, end, ahead=header)
    chunk = replace(found.chunk, body=TEXT[start:end], block_kinds=("table",))
    return replace(
        found,
        chunk=chunk,
        body=chunk.body,
        text=chunk.display_text,
        citation=Citation(document="d", title="", heading_path=path),
    )


B = TEXT.index("| b")
ROW = place(B, B + len("| b | two |"))


@pytest.mark.parametrize(
    ("start", "header", "present", "orphaned"),
    [
        (B, "", 0.0, 1.0),
        (B, "| Code | Meaning |\n|---|---|", 1.0, 0.0),
        (TEXT.index("| Code"), "", 1.0, 0.0),
        (TEXT.index("| a"), "", 0.0, 1.0),
    ],
)
def test_a_row_comes_with_its_header_or_is_orphaned(start: int, header: str, present: float, orphaned: float) -> None:
    """Quote: "header present for table questions", "orphaned values"."""
    asked = replace(gold(ROW_PIECE), header="| Code | Meaning |\n|---|---|")
    values = measure(asked, [row_hit(start, ROW[1].end, ("Guide", "Codes"), header)], [], lambda _: structure())
    assert (values["header_present"], values["orphaned_values"]) == (present, orphaned)


ROW_PIECE = (ROW,)


def test_a_citation_is_right_when_the_cited_section_holds_the_evidence() -> None:
    """Quote: "citation precision (the cited section contains evidence)", "top-1 section accuracy"."""
    asked = gold(ROW_PIECE)
    right = row_hit(B, ROW[1].end, ("Guide", "Codes"))
    parent, other = (row_hit(B, ROW[1].end, p) for p in (("Guide",), ("Guide", "Steps")))
    values = measure(asked, [right, parent, other], [], lambda _: structure())
    assert (values["section@1"], values["citation_precision"]) == (1.0, 1 / 3)
    assert measure(asked, [parent, right], [], lambda _: structure())["section@1"] == 0.0
    nothing = row_hit(0, 7, ("Guide",))
    assert "citation_precision" not in measure(asked, [nothing], [], lambda _: structure())


def test_a_procedure_is_whole_when_one_hit_holds_all_of_it() -> None:
    """Quote: "procedures retrieved whole"."""
    steps = gold((place(0, 20),))
    asked = replace(steps, question=replace(steps.question, type="procedure"))
    assert measure(asked, [hit(0, 10), hit(10, 20)], [])["procedure_whole"] == 0.0
    assert measure(asked, [hit(0, 10), hit(0, 30)], [])["procedure_whole"] == 1.0
    assert "procedure_whole" not in measure(steps, [hit(0, 30)], [])
