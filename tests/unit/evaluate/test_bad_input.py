"""Quote: "Questions for documents that are not there, offsets out of range, quotes that occur twice, empty files,
duplicate ids …: reported with line numbers; the rest still runs"."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.evaluate import evaluate, read_questions
from withgrain.evaluate.gold import Names
from withgrain.evaluate.questions import parse_questions

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
        ("not json", "this line is no JSON: Expecting value at character 1"),
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


ROWS = [GOOD, GOOD | {"question_id": "other", "question": "What is kept?"}]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_array_of_questions_is_read(tmp_path: Path, indent: int | None) -> None:
    """What `eval init --json` prints is a question file, too; lines are those of the objects."""
    path = tmp_path / "array.json"
    path.write_text("\n" + json.dumps([*ROWS, {"question_id": "bad"}], indent=indent) + "\n")
    file = read_questions(path)
    assert [q.id for q in file.questions] == ["good", "other"]
    (problem,) = file.problems
    assert problem.line == (2 if indent is None else path.read_text()[: path.read_text().index("bad")].count("\n"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_any_unicode_encoding_and_line_end_is_read(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(
        (end.join(json.dumps(r | {"text": "größe"}, ensure_ascii=False) for r in ROWS) + end).encode(encoding)
    )
    file = read_questions(path)
    assert [q.line for q in file.questions] == [1, 2]
    assert not file.problems


def test_another_encoding_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes("question,file,answer\nWie groß?,a.md,b\n".encode("latin-1"))
    with pytest.raises(UsageError, match=r"csv:2: .*not UTF-8\. Save the file as UTF-8"):
        read_questions(path)


def test_a_missing_file_is_told_plainly(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be read \(No such file or directory\)"):
        read_questions(tmp_path / "absent.jsonl")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("twin.md", "a/keys.md"),
        ("b/twin", "a/keys.md"),
        ("policies\\keys.md", "policies/keys.md"),
        (".\\policies\\keys", "policies/keys.md"),
        ("gro\u0308\u00dfe", "größe.md"),
    ],
)
def test_a_document_is_named_by_any_of_its_names(name: str, path: str) -> None:
    """By the path of a copy, by a path of another system, and with letters composed or not."""
    docs = (*DOCS, Doc(path="größe.md", chunks=(Text(body="Keys are kept."),)))
    stored = collection(docs).documents()
    names = Names([replace(d, copies=(f"{d.root}/b/twin.md",)) if d.path == "a/keys.md" else d for d in stored])
    assert names.find(name).path == path


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(ValueError, match=r'did you mean "policies/keys\.md"'):
        Names(collection(DOCS).documents()).find("policies/keys.MD")


def test_evidence_that_is_named_twice_counts_once() -> None:
    """Quote: "G is the set of gold characters"."""
    places = [(9, 25), (9, 25), (14, 20), (18, 26)]
    row = GOOD | {"references": [{"start": start, "end": end} for start, end in places]}
    found = evaluate(collection(DOCS), parse_questions(json.dumps(row), "q").questions, mode="lexical")
    (answer,) = found.answers
    assert answer.gold is not None
    assert [e.length for e in answer.gold.evidence] == [17]
    assert answer.metrics["precision@5"] <= 1
    assert answer.metrics["iou@5"] <= 1


def test_a_repetition_with_other_words_by_now_is_no_evidence() -> None:
    alternates = [{"doc_id": "a/keys.md", "start": 0, "end": 10}]
    row = GOOD | {"references": [{"start": 9, "end": 25, "alternates": alternates}]}
    found = evaluate(collection(DOCS), parse_questions(json.dumps(row), "q").questions, mode="lexical")
    (answer,) = found.answers
    assert answer.gold is not None
    assert len(answer.gold.evidence[0].places) == 1
