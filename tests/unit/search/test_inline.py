"""Filters inside a question."""

from __future__ import annotations

import pytest

from tests.unit.search.build import Doc, Text, collection
from withgrain.model import And, Compare, Filter, Not
from withgrain.search import search
from withgrain.search.filters import parse_filter, written
from withgrain.search.inline import split_filters
from withgrain.search.unfound import Values

BODY = (Text(body="Reset a factor of the user in the console."),)
KB = collection(
    [
        Doc(path="runbooks/reset.md", title="Reset a factor", domain="OKTA", doc_class="runbook", chunks=BODY),
        Doc(path="runbooks/okta/lock.md", domain="okta", doc_class="faq", chunks=BODY, labels=("team=a", "env=prod")),
        Doc(path="guide.md", domain="ENTRA ID", doc_class="reference", chunks=BODY, labels=("team=b",)),
        Doc(path="class", domain="v1.", doc_class="concept", chunks=BODY),
    ]
)


@pytest.mark.parametrize(
    ("text", "rest", "where"),
    [
        ("reset domain:okta", "reset", Compare(field="domain", operator="eq", value="okta")),
        ("path:runbooks/ reset", "reset", Compare(field="document", operator="prefix", value="runbooks/")),
        ("path:runbooks/* reset", "reset", Compare(field="document", operator="prefix", value="runbooks/")),
        ("reset path:a.md now", "reset now", Compare(field="document", operator="eq", value="a.md")),
        ('title:"Reset a factor" how', "how", Compare(field="title", operator="contains", value="Reset a factor")),
        ("-class:faq reset", "reset", Not(part=Compare(field="class", operator="eq", value="faq"))),
    ],
)
def test_a_filter_is_taken_out_of_the_question(text: str, rest: str, where: Filter) -> None:
    read = split_filters(text)
    assert (read.text, read.where) == (rest, where)


def test_several_filters_hold_together() -> None:
    read = split_filters("domain:okta how class:sop")
    assert read.text == "how"
    assert isinstance(read.where, And)
    assert len(read.where.parts) == 2


#: What is written, what is left of the question, and the filter in the language of filters.
FILTERS = [
    ("reset DOMAIN:OKTA", "reset", "domain = OKTA"),
    ("reset Domain:okta", "reset", "domain = okta"),
    ("reset Domain: okta", "reset", "domain = okta"),
    ("reset domain : okta", "reset", "domain = okta"),
    ("reset domain=okta", "reset", "domain = okta"),
    ("Class: FAQ reset", "reset", "class = FAQ"),
    ("reset, domain:okta, please", "reset, please", "domain = okta"),
    ("reset domain:okta.", "reset", "domain = okta"),
    ("who resets domain:v1.", "who resets", "domain = v1."),
    ("reset (domain:okta)?", "reset", "domain = okta"),
    ("reset (in the console, domain: okta)", "reset (in the console,", "domain = okta"),
    ('reset domain:"entra id".', "reset", 'domain = "entra id"'),
    ('reset Domain: "Entra ID"', "reset", 'domain = "Entra ID"'),
    ("reset path:runbooks", "reset", "document ^= runbooks/"),
    ("reset path:runbooks/okta!", "reset", "document ^= runbooks/okta/"),
    ("reset path: runbooks/reset.md", "reset", "document = runbooks/reset.md"),
    ("reset path:./guide.md", "reset", "document = guide.md"),
    ("reset path:class", "reset", "document = class"),
    ("reset Path:guide.md,", "reset", "document = guide.md"),
    ("reset domain:okta domain:k8s", "reset", "domain in (okta, k8s)"),
    ("reset domain:okta DOMAIN: okta", "reset", "domain = okta"),
    ("path:guide.md path:runbooks reset", "reset", "document = guide.md or document ^= runbooks/"),
    ("reset label:team=a label:team=b", "reset", "labels in (team=a, team=b)"),
    ("reset label:team=a label:env=prod", "reset", "labels = team=a and labels = env=prod"),
    ("reset -domain:okta -domain:k8s", "reset", "not (domain = okta) and not (domain = k8s)"),
    ("reset domain:a class:faq domain:b", "reset", "domain in (a, b) and class = faq"),
    ("reset page:12", "reset", "pages = 12"),
    ("reset domain:nosuch", "reset", "domain = nosuch"),
    ("reset Domain:nosuch", "reset", "domain = nosuch"),
    ("reset title:factor", "reset", "title contains factor"),
    ('reset title = "reset a factor"', "reset", 'title = "reset a factor"'),
    ("class: domain:okta", "class:", "domain = okta"),
]


@pytest.mark.parametrize(("text", "rest", "where"), FILTERS)
def test_a_loose_spelling_of_a_value_that_is_there_is_a_filter(text: str, rest: str, where: str) -> None:
    read = split_filters(text, Values(KB))
    wanted = parse_filter([where])
    assert read.where is not None and wanted is not None
    assert (read.text, written(read.where)) == (rest, written(wanted))


@pytest.mark.parametrize(
    "text",
    [
        "roles: admin",
        "what is title: x",
        "https://example.org/path:x",
        "https://example.org/?domain=okta&class=faq",
        "GET /users?page=2 page=2",
        "mydomain:okta",
        "sub.domain:okta",
        "domain:",
        "domain: what is it",
        "domain",
        "what is a domain, class or kind?",
        "12:30",
        "auth:oauth2",
        "error: path not found",
        "class: abstract",
        "kind: Deployment",
        "Kind:Deployment",
        "set kind = normal in the file",
        "kind: normal",
        "path: not found",
        "Path:/etc/hosts is missing",
        "PATH=/usr/bin:$PATH",
        "set domain=example.com in the file",
        "cookie(domain=okta)",
        "`domain=okta`",
        "```set domain=okta now```",
        '"set domain:okta now"',
        '"domain:okta"',
        "lambda (path:str) -> int",
        "--path:guide.md --domain=okta",
        "title: reset",
        "page:twelve",
        "Page=12",
        "{domain: okta}",
        'domain:"okta',
    ],
)
def test_other_colons_are_text(text: str) -> None:
    read = split_filters(text, Values(KB))
    assert (read.text, read.where) == (text, None)
    assert split_filters(text) == read


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("reset domain:oktta", 'No domain is "oktta". Did you mean OKTA?'),
        ("reset -class:faqs", 'No class is "faqs". Did you mean faq?'),
        ("reset path:reset.md", 'No document is "reset.md". Did you mean runbooks/reset.md?'),
        ("reset path:Runbook", 'No document is "Runbook". Did you mean runbooks/ or runbooks/okta/?'),
        ("reset domain:okta domain:oktta", 'No domain is "oktta". Did you mean OKTA?'),
        ("reset Domain: oktta", '"Domain: oktta" is read as words. No domain is "oktta": did you mean OKTA?'),
        ("reset class=runbok", '"class=runbok" is read as words. No class is "runbok": did you mean runbook?'),
    ],
)
def test_a_near_miss_is_told(text: str, notice: str) -> None:
    assert split_filters(text, Values(KB)).notices == (notice,)
    assert search(KB, text, mode="lexical").trace["notices"].count(notice) == 1


def test_pasted_text_is_not_looked_up_without_end() -> None:
    """What a question costs is bounded, however many places look like a filter."""
    asked: list[Filter] = []

    class Counted(Values):
        def has(self, where: Filter) -> bool:
            asked.append(where)
            return super().has(where)

    read = split_filters("class: abstract " * 200, Counted(KB))
    assert read.where is None
    assert len(asked) < 40


@pytest.mark.parametrize("written_so", ["domain:okta", "DOMAIN:OKTA", "domain: Okta", "domain=okta"])
def test_a_domain_is_not_split_by_its_spelling(written_so: str) -> None:
    found = search(KB, f"reset {written_so}", mode="lexical")
    assert {hit.citation.document for hit in found.hits} == {"runbooks/reset.md", "runbooks/okta/lock.md"}
    assert found.trace["filter"].lower() == "domain = okta"


def test_what_is_loosely_written_and_read_as_a_filter_is_told() -> None:
    assert split_filters("reset domain:okta", Values(KB)).notices == ()
    assert split_filters("what is the domain: okta or entra?", Values(KB)).notices == (
        '"domain: okta" is read as a filter.',
    )
