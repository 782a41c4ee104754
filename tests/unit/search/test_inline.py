"""Filters inside a question."""

from __future__ import annotations

import pytest

from withgrain.model import And, Compare, Filter, Not
from withgrain.search.inline import split_filters


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
    assert split_filters(text) == (rest, where)


def test_several_filters_hold_together() -> None:
    rest, where = split_filters("domain:okta how class:sop")
    assert rest == "how"
    assert isinstance(where, And)
    assert len(where.parts) == 2


@pytest.mark.parametrize(
    "text",
    [
        "roles: admin",
        "what is title: x",
        "https://example.org/path:x",
        "mydomain:okta",
        "domain:",
        "12:30",
        "auth:oauth2",
    ],
)
def test_other_colons_are_text(text: str) -> None:
    assert split_filters(text) == (text, None)
