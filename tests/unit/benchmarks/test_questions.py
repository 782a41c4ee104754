"""Our own questions point at the words that they were written about."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support import shared
from withgrain.evaluate.questions import TYPES

QUESTIONS = Path(__file__).resolve().parents[3] / "benchmarks" / "questions"


@pytest.mark.parametrize("file", sorted(QUESTIONS.glob("*.jsonl")), ids=lambda file: file.name)
def test_gold_is_where_it_was_when_the_question_was_written(file: Path) -> None:
    questions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(questions) > 200
    assert len({q["question_id"] for q in questions}) == len({q["question"] for q in questions}) == len(questions)
    for question in questions:
        assert question["type"] in TYPES
        corpus = shared() / "eval" / "corpus" / question["dataset"]
        for gold in (*question["references"], *([question["table_header"]] if "table_header" in question else ())):
            named = gold.get("doc_id", question["doc_id"])
            text = (corpus / f"{named}.md").read_bytes().decode("utf-8")
            words = text[gold["start"] : gold["end"]]
            assert sha256(words.encode()).hexdigest()[:12] == gold["sha256"], question["question_id"]
            for other in gold.get("alternates", ()):
                again = (corpus / f"{other['doc_id']}.md").read_bytes().decode("utf-8")
                assert again[other["start"] : other["end"]] == words
