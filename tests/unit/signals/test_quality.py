"""Quality: base 50, what adds to it and what takes away; and what makes a short section a fact of its own."""

from __future__ import annotations

import pytest

from withgrain.model import Facts
from withgrain.signals import detect, explain_quality, has_own_signal, quality

FULL = Facts(
    markers=("@@A:B",),
    entities=("user", "group", "role", "app", "policy", "device"),
    operations=("add", "get", "list", "update", "delete", "reset"),
    api_method=("GET",),
    api_endpoint=("/users",),
)


@pytest.mark.parametrize(
    ("facts", "tokens", "kind", "expected"),
    [
        (Facts(), 100, "normal", 50),
        (Facts(), 49, "normal", 40),
        (Facts(), 50, "normal", 50),
        (Facts(markers=("@@A:B",)), 100, "normal", 65),
        (Facts(entities=("user", "group")), 100, "normal", 54),
        (Facts(entities=FULL.entities), 100, "normal", 60),
        (Facts(operations=FULL.operations), 100, "normal", 60),
        (Facts(api_method=("GET",), api_endpoint=("/users",)), 100, "normal", 60),
        (Facts(api_endpoint=("/users",)), 100, "normal", 50),
        (Facts(), 100, "atomic_fact", 55),
        (Facts(), 100, "document_summary", 55),
        (FULL, 100, "atomic_fact", 100),
        (FULL, 20, "normal", 85),
    ],
)
def test_quality_is_the_documented_sum(facts: Facts, tokens: int, kind: str, expected: int) -> None:
    """base 50; markers +15; entities +2 each to +10; method with endpoint +10; operations +2 each to +10; ..."""
    assert quality(facts, tokens=tokens, kind=kind) == expected


def test_every_point_is_explained() -> None:
    """The explanation adds up to the quality and names what was found."""
    reasons = explain_quality(FULL, tokens=100, kind="normal")
    assert sum(points for _, points in reasons) == quality(FULL, tokens=100, kind="normal") == 95
    assert any("user, group" in reason for reason, _ in reasons)
    assert all(points for _, points in reasons)


@pytest.mark.parametrize(
    "text",
    [
        "A user with `statuskey=1` is active and can sign in; every other value means that access is switched off.",
        "| sourceAttr | targetAttr |\n|---|---|\n| `givenName` | `firstName` |\n| `sn` | `lastName` |",
        "sourceAttr -> targetAttr\nmail -> emailAddress",
        "@@OKTA:USERS",
        "Call GET /api/v1/users.",
        "AADSTS50011 means that the reply address differs.",
        "Needs ROLE_ADMIN.",
        "Pass --force.",
        "Set ETCD_NAME=infra0.",
    ],
)
def test_a_short_section_with_an_identifier_has_its_own_signal(text: str) -> None:
    """A short section with one is an atomic_fact: people search for it by name."""
    assert has_own_signal(detect(text))


@pytest.mark.parametrize(
    "text",
    [
        "Send the report to the reviewer before lunch. Thank you for your help.",
        "This page is about users, groups and roles, and how they are created and deleted.",
        "See [the guide](guide.md) for version 3.5.",
    ],
)
def test_plain_short_prose_has_none(text: str) -> None:
    """Words, versions and links are no signal of their own."""
    assert not has_own_signal(detect(text))
