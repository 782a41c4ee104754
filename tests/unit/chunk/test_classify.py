"""The class of a document: path words, headings, content, front matter; always with reasons."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import shared
from withgrain.chunk.classify import CLASSES, Classification, classify
from withgrain.parse import parse

PROSE = "A session ties a browser to a person for a while. It ends when the person leaves or when time runs out. " * 8


_CHARACTERS = st.one_of(st.sampled_from("\n#-*|`>: 1a"), st.characters(exclude_categories=("Cc", "Cs")))


def of(text: str, uri: str = "page.md") -> Classification:
    return classify(parse(text.encode(), uri=uri))


API = """# Users
## Create a user
`POST /api/v1/users` makes one.
### Request body
| Field | Type |
|---|---|
| name | text |
## Read a user
`GET /api/v1/users/{id}` reads one.
### Response body
Text.
"""
SOP = """# Rotate the signing key
## Prerequisites
You are on call.
## Steps
1. Stop the writers.
2. Make a key.
3. Start the writers.
## Rollback
Use the old key.
"""
INCIDENT = """# Logins failed for an hour
## Timeline
At noon it began.
## Root cause
A key was old.
## Action items
Rotate it.
"""
FAQ = """# Questions
## Who may sign in?
All.
## When does it end?
Never.
## What does it cost?
Nothing.
"""
CONCEPT = f"# Sessions\n## What is a session\n{PROSE}\n## Background\n{PROSE}"
CONTRACT = "4.1 The supplier shall deliver. The parties agree.\n\n4.2 The buyer shall pay and must not resell.\n\n" * 20
CODE = "# Example\n\n```python\n" + "print('x')\n" * 100 + "```\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (API, "api_reference"),
        (SOP, "sop"),
        (INCIDENT, "incident"),
        (FAQ, "faq"),
        ("# Why is it locked?\n\nToo many tries.\n\n# Who can help?\n\nThe desk.\n\n# When?\n\nNow.\n", "faq"),
        (CONCEPT, "concept"),
        (CONTRACT, "policy"),
        (CODE, "code"),
        ("Hello.", "default"),
        ("", "default"),
    ],
    ids=["api", "sop", "incident", "faq", "three questions", "concept", "policy", "code", "short", "empty"],
)
def test_content_alone_tells_the_class(text: str, expected: str) -> None:
    """Share of endpoints, ordered steps, numbered clauses, question headings, code."""
    assert of(text).doc_class == expected


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("ops/runbooks/node.md", "sop"),
        ("handbook/policies/retention.md", "policy"),
        ("handbook/api/tokens.md", "api_reference"),
        ("handbook/concepts/tokens.md", "concept"),
        ("handbook/incidents/2026-05-12.md", "incident"),
        ("faq.md", "faq"),
        ("ory__talos__concepts__keys.md", "concept"),
        ("capital/apis-of-summer.md", "api_reference"),
        ("capital/rapid.md", "default"),
    ],
)
def test_path_words_tell_the_class(uri: str, expected: str) -> None:
    """Whole words of folders and of the file's name count; "api" in "rapid" is none."""
    assert of("Hello there.", uri).doc_class == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("class: faq", "faq"), ("type: Runbook", "sop"), ("class: api-reference", "api_reference"), ("type: docs", "sop")],
)
def test_front_matter_wins_when_it_names_a_known_class(line: str, expected: str) -> None:
    """Front matter ``class:``/``type:`` wins; a value that is no class is ignored."""
    assert of(f"---\n{line}\n---\n{SOP}").doc_class == expected


def test_a_log_is_no_prose() -> None:
    """The lines of a log explain no concept."""
    assert of("2026-01-01 10:00:00 ERROR the request has failed again\n" * 40, "app.log").doc_class == "default"


def test_reasons_are_plain_sentences() -> None:
    """The reasons are reported: the strongest first, each a sentence with what was seen."""
    reasons = of(SOP, "runbooks/key.md").reasons
    assert reasons[0] == 'Its path has the folder "runbooks".'
    assert 'It has the headings "Prerequisites", "Steps".' in reasons
    assert all(reason[0].isupper() and reason.endswith(".") for reason in reasons)


def test_default_says_why() -> None:
    """Also the default class has a reason."""
    assert of("Hello.").reasons == ("Neither path nor content speak for another class.",)


@given(st.text(_CHARACTERS, max_size=300), st.sampled_from(["a.md", "a.txt", "runbooks/a.md"]))
def test_every_document_has_one_class_and_a_reason(text: str, uri: str) -> None:
    """Total and deterministic."""
    document = parse(text.encode(), uri=uri)
    found = classify(document)
    assert found == classify(document)
    assert found.doc_class in CLASSES
    assert found.reasons


def test_real_contracts_and_runbooks_are_recognised() -> None:
    """Floors over real documents: contracts are policies, alert runbooks procedures. Never lower them silently."""
    corpus = shared() / "eval" / "corpus"
    contracts = [
        classify(parse(p.read_bytes(), uri="x.txt")).doc_class for p in sorted((corpus / "cuad").glob("*.txt"))
    ]
    alerts = [
        classify(parse(p.read_bytes(), uri="x.md")).doc_class for p in sorted((corpus / "techops").glob("ocp__*.md"))
    ]
    assert Counter(contracts)["policy"] >= 38
    assert Counter(alerts)["sop"] >= 50
