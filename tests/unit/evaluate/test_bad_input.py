"""Quote: "Questions for documents that are not there, offsets out of range, quotes that occur twice, empty files,
duplicate ids …: reported with line numbers; the rest still runs"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.evaluate import evaluate, read_questions

DOCS = (
    Doc(path="policies/keys.md", chunks=(Text(body="Keys are kept for 90 days."), Text(body="Then gone. Then gone."))),
    Doc(path="a/keys.md", chunks=(Text(body="Other keys."),)),
)
GOOD = {
    "question_id": "good",
    "question": "How long are keys kept?",
    "type": "fact",
    "doc_id": "policies/keys.md",
    "references": [{"text": "kept for 90 days", "start": 9, "end": 25}],
}


def write(place: Path, *rows: object, name: str = "questions.jsonl") -> Path:
    file = place / name
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), encoding="utf-8")
    return file


def reference(**given: object) -> dict[str, object]:
    return GOOD | {"question_id": "bad", "references": [given]}


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (GOOD | {"question_id": "bad", "doc_id": "absent.md"}, 'no document of the collection is called "absent.md"'),
        (GOOD | {"question_id": "bad", "doc_id": "keys.md"}, "may mean 2 documents"),
        (reference(start=40, end=4000), "is outside of policies/keys.md"),
        (reference(start=0, end=4, text="Kept"), "was edited since"),
        (reference(text="Then gone."), "occurs 2 times in policies/keys.md (lines 2, 2)"),
        (reference(text="never said"), "is not in the text of policies/keys.md"),
        (reference(start=4, end=2), "whole numbers"),
        (reference(start=True, end=2), "whole numbers"),
        (GOOD, 'the id "good" is already used in line 1'),
        ("not json", "Expecting value"),
        ("[1]", "a question is a JSON object"),
        (GOOD | {"question_id": "bad", "question": " "}, '"question" is missing or empty'),
        (GOOD | {"question_id": "bad", "draft": True}, "this is a draft"),
        (GOOD | {"question_id": "bad", "level": "page"}, '"level" is'),
        (GOOD | {"question_id": "bad", "references": []}, "nothing to find"),
        ("[" * 100_000, ""),
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_the_rest_runs(tmp_path: Path, row: object, what: str) -> None:
    path = write(tmp_path, GOOD, "", row)
    file = read_questions(path)
    found = evaluate(collection(DOCS), file.questions, mode="lexical")
    (problem,) = (*file.problems, *found.problems)
    assert str(problem).startswith(f"{path}:3: ")
    assert what in str(problem)
    assert [a.question.id for a in found.answers] == ["good"]


def test_an_empty_file_is_reported_beside_one_that_is_not(tmp_path: Path) -> None:
    empty = write(tmp_path, "", name="empty.jsonl")
    file = read_questions(empty, write(tmp_path, GOOD))
    assert [str(p) for p in file.problems] == [f"{empty}: there is no question in this file"]
    assert len(file.questions) == 1


def test_an_id_is_used_once_in_all_files(tmp_path: Path) -> None:
    first, second = write(tmp_path, GOOD, name="a.jsonl"), write(tmp_path, GOOD, name="b.jsonl")
    (problem,) = read_questions(first, second).problems
    assert problem.message == f'the id "good" is already used in {first}:1'


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_questions(tmp_path / "absent.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read"):
        read_questions(tmp_path / "binary.jsonl")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_of_questions_is_read(tmp_path: Path, delimiter: str) -> None:
    """Quote: "CSV import (question, file, quoted answer) locates the quote and reports what it cannot"."""
    rows = [
        ("Question", "File", "Answer"),
        ('"How long\nare keys kept?"', "policies/keys", "Kept for 90 days"),
        ("Two places?", "policies/keys.md", "Then gone."),
        ("Nowhere?", "policies/keys.md", "not there"),
        ("No quote?", "policies/keys.md", ""),
    ]
    path = tmp_path / "questions.csv"
    path.write_text("\ufeff" + "\r\n".join(delimiter.join(row) for row in rows), encoding="utf-8")
    file = read_questions(path)
    found = evaluate(collection(DOCS), file.questions, mode="lexical")
    assert [a.question.text for a in found.answers] == ["How long\nare keys kept?"]
    assert [(p.line, p.message.split(" in ")[0]) for p in (*file.problems, *found.problems)] == [
        (6, "the column for quote is empty"),
        (4, 'the evidence "Then gone." occurs 2 times'),
        (5, 'the evidence "not there" is not'),
    ]


def test_a_table_without_the_columns_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    (problem,) = read_questions(path).problems
    assert "question, file, answer" in problem.message
