"""Identifiers have boundaries of their own."""

from __future__ import annotations

import pytest

from withgrain.search.literal import contains


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        ("USERKEY", "join on USERKEY."),
        ("USERKEY", "`T.USERKEY = U.USERKEY`"),
        ("USERKEY", "USERKEY_OLD, then USERKEY"),
        ("statuskey=1", "means statuskey=1, active"),
        ("statuskey", "statuskey=1"),
        ("/api/v1/users", "GET /api/v1/users?limit=1"),
        ("/api/v1/users", "(/api/v1/users/)"),
        ("/users/{id}", "call `/users/{id}`."),
        ("@@OKTA:USERS", "@@OKTA:USERS\nText"),
        ("@@OKTA:USERS", "@@OKTA:USERS: text"),
        ("--tls", "use --tls=on"),
        ("--tls", "[--tls]"),
        ("AADSTS50011", "(AADSTS50011)."),
        ("ROLE_ADMIN", "ROLE_ADMIN/ROLE_USER"),
        ("kube-apiserver", "the kube-apiserver."),
    ],
)
def test_an_identifier_is_found_where_it_stands_whole(identifier: str, text: str) -> None:
    assert contains(text, identifier)


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        ("USERKEY", "USERKEY_OLD"),
        ("USERKEY", "OLD_USERKEY SUPERUSERKEY USERKEY2"),
        ("USERKEY", "userkey"),
        ("statuskey=1", "statuskey=11"),
        ("statuskey=1", "old_statuskey=1"),
        ("statuskey=1", "statuskey=1.5"),
        ("/api/v1/users", "/api/v1/users/{userId}"),
        ("/api/v1/users", "/api/v1/users2"),
        ("/users", "/api/v1/users"),
        ("/users/{id}", "/users/{id}/lifecycle"),
        ("@@OKTA:USERS", "@@OKTA:USERS_OLD"),
        ("@@OKTA:USERS", "@@OKTA:USERS:ARCHIVE"),
        ("--tls", "--tls-cert-file"),
        ("AADSTS50011", "AADSTS500113"),
        ("kube-apiserver", "kube-apiserver-to-kubelet"),
        ("", "anything"),
    ],
)
def test_a_part_of_a_longer_identifier_is_not_the_identifier(identifier: str, text: str) -> None:
    """Quote: "``USERKEY`` is not in ``USERKEY_OLD``, ``statuskey=1`` is not in ``statuskey=11``"."""
    assert not contains(text, identifier)
