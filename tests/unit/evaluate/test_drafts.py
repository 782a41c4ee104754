"""Drafts of questions: evidence of every kind, marked as drafts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import repository
from withgrain.chunk import POLICIES
from withgrain.evaluate import read_questions
from withgrain.evaluate.drafts import drafts, to_rows
from withgrain.evaluate.gold import locate
from withgrain.evaluate.lint import lint
from withgrain.evaluate.rows import to_row
from withgrain.evaluate.subjects import Scratch, made
from withgrain.tokens import wordpiece
from withgrain.types import Snapshot


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    docs = repository() / "examples" / "handbook" / "policies"
    scratch = Scratch(documents=(docs,), embedder=None, tokenizer=wordpiece())
    ((subject, _),) = made([POLICIES["heading"]], scratch, tmp_path_factory.mktemp("drafts"))
    return subject.snapshot


def test_drafts_are_spread_over_kinds_and_documents_and_repeat(handbook: Snapshot) -> None:
    found = drafts(handbook, 12)
    assert found == drafts(handbook, 12) and len(found) == 12
    assert {d.type for d in found} >= {"fact", "section", "table"}
    assert len({d.document.path for d in found}) == 5
    assert len({(d.document.path, d.span.start, d.type) for d in drafts(handbook, 1000)}) == len(drafts(handbook, 1000))


def test_a_completed_draft_is_a_question_that_can_be_asked(handbook: Snapshot, tmp_path: Path) -> None:
    """Quote: "drafts skeleton questions from a collection for a person to complete, marked as drafts"."""
    rows = to_rows(drafts(handbook, 20))
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert len(read_questions(path).problems) == 20
    done = [row | {"question": f"What about {n}?", "draft": False} for n, row in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, done)), encoding="utf-8")
    found = lint(read_questions(path), handbook)
    assert (found.questions, found.errors) == (20, ())


def test_an_imported_quote_becomes_a_row_with_offsets(handbook: Snapshot, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text('question,file,answer\n"How?",access-control,"Access Control Policy"\n', encoding="utf-8")
    document = next(d for d in handbook.documents() if d.path.startswith("access-control"))
    record = handbook.document(document.id)
    assert record is not None
    line = next(x for x in record.text.splitlines() if len(x) > 60 and record.text.count(x) == 1)
    path.write_text(f'question,file,answer\n"How?",access-control,"{line.replace(chr(34), chr(34) * 2)}"\n')
    (gold,) = locate(read_questions(path).questions, handbook).gold
    row = to_row(gold, {record.id: record})
    (tmp_path / "q.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (again,) = locate(read_questions(tmp_path / "q.jsonl").questions, handbook).gold
    assert again.evidence == gold.evidence
    assert row["references"][0]["text"] == line


def test_lint_warns_of_questions_that_may_not_measure_what_they_seem_to(tmp_path: Path) -> None:
    base = {"doc_id": "a", "question": "How long are the keys kept?"}
    reference = {"text": "how long are the keys kept", "start": 0, "end": 5000}
    rows = [
        base | {"question_id": "1", "type": "riddle", "references": [reference]},
        base | {"question_id": "2", "type": "table", "references": [{"start": 0, "end": 3}]},
    ]
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = lint(read_questions(path))
    told = " ".join(str(w) for w in found.warnings)
    for what in (
        "none of: fact",
        "its own evidence",
        "is all of it needed",
        "asks the same as line 1",
        "table_header",
        "1 question of type",
    ):
        assert what in told
    assert (found.errors, found.questions) == ((), 2)
