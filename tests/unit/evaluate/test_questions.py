"""Question files: what is read, and how mistakes are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from withgrain.errors import UsageError
from withgrain.evaluate import load_questions

GOOD = {
    "question_id": "q1",
    "question": "How long are keys kept?",
    "type": "fact",
    "doc_id": "policy",
    "references": [{"text": "90 days", "start": 3, "end": 10}],
}


def write(path: Path, *rows: object) -> Path:
    file = path / "questions.jsonl"
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), encoding="utf-8")
    return file


def test_a_question_is_read_with_all_it_says(tmp_path: Path) -> None:
    row = GOOD | {
        "scope": "document",
        "references": [
            {
                "text": "90 days",
                "start": 3,
                "end": 10,
                "doc_id": "other",
                "alternates": [{"doc_id": "copy", "start": 1, "end": 8}],
            }
        ],
    }
    (question,) = load_questions(write(tmp_path, "", row, ""))
    assert (question.id, question.line, question.scope, question.level) == ("q1", 2, "document", "chunk")
    assert [(p.doc_id, p.start, p.end) for p in question.references[0].places] == [("other", 3, 10), ("copy", 1, 8)]


def test_a_reference_may_be_known_by_its_text_only(tmp_path: Path) -> None:
    (question,) = load_questions(
        write(tmp_path, GOOD | {"references": [{"text": "90 days", "start": None, "end": None}]})
    )
    assert question.references[0].places == ()


def test_offsets_need_no_text(tmp_path: Path) -> None:
    """Quote: "``text`` may be absent"."""
    (question,) = load_questions(write(tmp_path, GOOD | {"references": [{"start": 3, "end": 10}]}))
    assert question.references[0].text == ""


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("{not json", "Expecting"),
        ("[1]", "JSON object"),
        ("[" * 100_000, ""),
        (GOOD | {"question": " "}, '"question" is missing'),
        ({k: v for k, v in GOOD.items() if k != "doc_id"}, '"doc_id" is missing'),
        (GOOD | {"references": []}, "nothing to find"),
        (GOOD | {"references": {"start": 1}}, "must be a list"),
        (GOOD | {"references": ["x"]}, "JSON object"),
        (GOOD | {"references": [{"start": 5, "end": 5}]}, "start < end"),
        (GOOD | {"references": [{"start": -1, "end": 5}]}, "start < end"),
        (GOOD | {"references": [{"start": "1", "end": 5}]}, "whole numbers"),
        (GOOD | {"references": [{}]}, '"start" and "end", or "text"'),
        (GOOD, "already used in line 1"),
    ],
)
def test_a_wrong_line_is_reported_with_its_number(tmp_path: Path, row: object, what: str) -> None:
    with pytest.raises(UsageError, match=r"questions\.jsonl:2:") as error:
        load_questions(write(tmp_path, GOOD, row))
    assert what in str(error.value)


def test_an_empty_or_unreadable_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no question"):
        load_questions(write(tmp_path, "", ""))
    with pytest.raises(UsageError, match="cannot be read"):
        load_questions(tmp_path / "absent.jsonl")
