"""Several collections under the same questions, and the page about them."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.unit.evaluate.test_evaluate import DOCS, ask
from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.evaluate import METRICS, Study, Subject, shapes, study
from withgrain.evaluate.report import page

WORSE = (DOCS[0], DOCS[1], replace(DOCS[2], chunks=tuple(reversed(DOCS[2].chunks))))
QUESTIONS = [ask("badges desk", "faq", 0, 26), ask("90 days", "policies/keys", 0, 26), ask("x", "absent", 0, 1, line=9)]


def two() -> Study:
    subjects = [Subject(name="a", snapshot=collection(DOCS)), Subject(name="b", snapshot=collection(WORSE))]
    return study(subjects, QUESTIONS, mode="lexical")


def test_every_collection_is_compared_with_the_first_on_every_metric() -> None:
    found = two()
    assert [o.name for o in found.outcomes] == ["a", "b"]
    metrics = {c.metric for c in found.comparisons}
    assert metrics <= {m.name for m in METRICS} and {"R@8k", "recall@5", "section@1"} <= metrics
    assert [(c.candidate, c.metric) for c in found.verdicts] == [("b", "R@8k"), ("b", "recall@5")]


def test_a_problem_is_told_once() -> None:
    assert [p.line for p in two().problems] == [9]


def test_names_are_unique() -> None:
    subject = Subject(name="a", snapshot=collection(DOCS))
    with pytest.raises(UsageError, match="each once"):
        study([subject, subject], QUESTIONS)


def test_the_json_has_the_shape_of_the_architecture_page() -> None:
    """Quote: "{schema, questions, collections: {name: {metrics, by_type}}, comparisons}"."""
    shape = shapes.study(two(), details=True)
    assert shape["schema"] == 1 and shape["questions"] == 2
    a = shape["collections"]["a"]
    named = "recall@1 recall@5 recall@10 R@8k mrr ndcg@10 precision@5 iou@5 hit@1 groundedness citation_precision"
    assert all(isinstance(a["metrics"][name], float) for name in named.split())
    assert a["by_type"]["fact"].keys() == a["metrics"].keys() == a["intervals"].keys()
    assert all(low <= a["metrics"][name] <= high for name, (low, high) in a["intervals"].items())
    assert a["cost"]["chunks"] == 5 and a["cost"]["index_bytes"] is None
    assert len(a["answers"]) == 2
    assert {"baseline", "candidate", "metric", "difference", "p", "verdict"} <= shape["comparisons"][0].keys()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "line", "rect", "path", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_file_that_loads_nothing() -> None:
    """Quote: "one self-contained HTML file (no CDN)". Every element is closed; there is no script and no address."""
    text = page(two(), title="q.jsonl")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    names = {tag for tag, _ in tags.seen}
    assert {"svg", "table", "details", "mark"} <= names and not names & {"script", "link", "img", "iframe"}
    assert not [a for _, given in tags.seen for a in given if a in ("src", "href") or a.startswith("on")]
    assert "http" not in re.sub(r'http-equiv|content="default-src[^"]*"', "", text)


def test_what_documents_and_questions_say_is_only_text() -> None:
    evil = "<script>alert(1)</script> keys \u202e kept"
    docs = (Doc(path="e.md", title="<b>", chunks=(Text(body=evil, path=("</pre><img src=x>",)), Text(body="keys"))),)
    other = (replace(docs[0], chunks=tuple(reversed(docs[0].chunks))),)
    question = ask("keys </summary><script>", "e", 0, 20, type="<i>")
    subjects = [Subject(name="<a>", snapshot=collection(docs)), Subject(name="b", snapshot=collection(other))]
    text = page(study(subjects, [question], mode="lexical"), title="<u>")
    assert not re.search("<script|<img|<i>|<u>|\u202e|<a>", text)


def test_one_collection_alone_has_a_report_too() -> None:
    text = page(study([Subject(name="a", snapshot=collection(DOCS))], QUESTIONS[:1], mode="lexical"), title="q")
    assert "finds 100% of the evidence" in text
