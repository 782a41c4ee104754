"""From a question file to figures, over a collection in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.errors import UsageError
from withgrain.evaluate import EvalQuestion, evaluate
from withgrain.evaluate.gold import Names, locate, to_canonical
from withgrain.evaluate.questions import Place, Reference
from withgrain.model import Document, DocumentRecord, Source, Span

DOCS = (
    Doc(
        path="policies/keys.md", title="Keys", chunks=(Text(body="Keys are kept for 90 days."), Text(body="Then gone."))
    ),
    Doc(path="old/keys.txt", title="Old", chunks=(Text(body="Keys were kept for 30 days."),)),
    Doc(path="faq.md", title="FAQ", chunks=(Text(body="Ask the desk about badges."), Text(body="Keys: see there."))),
)


def ask(text: str, doc_id: str, start: int, end: int, **given: object) -> EvalQuestion:
    places = (Place(doc_id=doc_id, start=start, end=end),)
    question = EvalQuestion(
        id=text, line=1, text=text, type="fact", doc_id=doc_id, references=(Reference(text="", places=places),)
    )
    return replace(question, **given)  # type: ignore[arg-type]


def test_good_answers_score_one() -> None:
    kb = collection(DOCS)
    found = evaluate(kb, [ask("badges desk", "faq", 0, 26), ask("90 days", "policies/keys", 0, 26)], mode="lexical")
    overall = found.overall()
    assert overall["recall@1"].mean == overall["mrr"].mean == overall["ndcg@10"].mean == 1.0
    assert overall["recall@1"].count == 2
    assert set(found.by_type()) == {"fact"}


def test_the_scope_of_a_question_is_honoured() -> None:
    """Quote: "scope "document" honoured by a filter"."""
    kb = collection(DOCS)
    question = ask("keys kept 90 days", "faq.md", 27, 43, scope="document")
    assert evaluate(kb, [question], mode="lexical").answers[0].metrics["hit@1"] == 1.0
    assert evaluate(kb, [question], mode="lexical", scoped=False).answers[0].metrics["hit@1"] == 0.0


@pytest.mark.parametrize("name", ["policies/keys.md", "policies/keys", "/policies/keys.md", "kb/policies/keys", "faq"])
def test_a_document_is_named_by_the_end_of_its_path(name: str) -> None:
    """Quote: "doc_id matches a document by unique path suffix, with or without extension"."""
    located = locate([ask("x", name, 0, 3)], collection(DOCS))
    assert located.problems == ()


@pytest.mark.parametrize(
    ("name", "start", "end", "what"),
    [
        ("keys", 0, 3, "may mean 2 documents"),
        ("absent.md", 0, 3, "no document"),
        ("eys.md", 0, 3, "no document"),
        ("faq.md", 40, 4_000, "is outside of faq.md"),
    ],
)
def test_what_cannot_be_asked_is_reported_and_the_rest_runs(name: str, start: int, end: int, what: str) -> None:
    bad = ask("bad", name, start, end, line=7)
    found = evaluate(collection(DOCS), [bad, ask("badges", "faq", 0, 26)], mode="lexical")
    assert len(found.answers) == 1
    (problem,) = found.problems
    assert problem.line == 7
    assert what in problem.message


def test_no_question_that_can_be_asked_is_an_error() -> None:
    with pytest.raises(UsageError, match="None of the 1 questions"):
        evaluate(collection(DOCS), [ask("bad", "absent", 0, 3)], mode="lexical")


def test_evidence_without_offsets_is_found_by_its_text() -> None:
    question = replace(ask("x", "faq", 0, 1), references=(Reference(text="about badges", places=()),))
    (gold,) = locate([question], collection(DOCS)).gold
    assert gold.evidence[0].places[0][1] == Span(start=13, end=25)


@pytest.mark.parametrize("source", ["a\r\nbc\r\nd", "\ufeffab\r\ncd", "a\x00b\rc\r\n\r\nd", "plain"])
def test_source_offsets_become_canonical_ones(source: str) -> None:
    """Going to the source and back gives the same range, for every range."""
    text, removed = "", []
    for at, character in enumerate(source):
        if character in "\ufeff\x00" or (character == "\r" and source[at + 1 : at + 2] == "\n"):
            removed.append(len(text))
        else:
            text += "\n" if character == "\r" else character
    document = Document(
        id="d",
        source=Source(uri="d", media_type="text/plain", sha256=""),
        title="",
        text=text,
        blocks=(),
        removed=tuple(removed),
    )
    record = DocumentRecord(
        id="d",
        root="",
        uri="d",
        path="d",
        title="",
        sha256="",
        modified=None,
        media_type="text/plain",
        doc_class="x",
        text=text,
        removed=tuple(removed),
    )
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            there = document.to_source(Span(start=start, end=end))
            assert there is not None
            assert to_canonical(record, Place(doc_id="d", start=there.start, end=there.end)) == Span(
                start=start, end=end
            )


def test_a_whole_path_wins_over_ends() -> None:
    docs = collection([replace(DOCS[0], path="a.md"), replace(DOCS[1], path="x/a.md")]).documents()
    assert Names(docs).find("a.md").path == "a.md"
    assert Names(docs).find("x/a").path == "x/a.md"
