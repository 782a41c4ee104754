"""What the detectors find, family by family, and the look-alikes that they must leave alone."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from withgrain.model import Facts
from withgrain.signals import detect

FOUND: list[tuple[str, dict[str, tuple[str, ...]]]] = [
    # Markers and their domain.
    ("@@OKTA:USERS\nUsers.", {"markers": ("@@OKTA:USERS",), "domain": ("OKTA",)}),
    ("See @@SAVIYNT:USER_UPDATE_RULES.", {"markers": ("@@SAVIYNT:USER_UPDATE_RULES",), "domain": ("SAVIYNT",)}),
    ("@@A:B and @@C:D and @@A:B", {"markers": ("@@A:B", "@@C:D"), "domain": ("A", "C")}),
    # HTTP methods and paths, in every dress.
    (
        "POST /api/v1/users/{userId}/lifecycle/suspend",
        {"api_method": ("POST",), "api_endpoint": ("/api/v1/users/{userId}/lifecycle/suspend",)},
    ),
    ("`GET /scim/v2/Users`", {"api_method": ("GET",), "api_endpoint": ("/scim/v2/Users",)}),
    ("| `DELETE` | `/groups/{id}` |", {"api_method": ("DELETE",), "api_endpoint": ("/groups/{id}",)}),
    ("### **PATCH** `/groups/:id`", {"api_method": ("PATCH",), "api_endpoint": ("/groups/:id",)}),
    ("PUT https://acme.example.com/api/v1/apps/{id}?x=1", {"api_endpoint": ("/api/v1/apps/{id}",)}),
    ("GET {{baseUrl}}/oauth2/v1/keys.", {"api_endpoint": ("/oauth2/v1/keys",)}),
    ("GET /users/<id>/factors", {"api_endpoint": ("/users/<id>/factors",)}),
    ("Scrape `/metrics` and `/healthz`.", {"api_endpoint": ("/metrics", "/healthz"), "api_method": ()}),
    # Codes.
    ("AADSTS50011: mismatch", {"codes": ("AADSTS50011",)}),
    ("(E0000001), then ORA-12545.", {"codes": ("E0000001", "ORA-12545")}),
    ("fixed CVE-2024-3094", {"codes": ("CVE-2024-3094",)}),
    ("`invalid_grant` or ECONNREFUSED", {"codes": ("invalid_grant", "ECONNREFUSED")}),
    ("HRESULT 0x80070005", {"codes": ("0x80070005",)}),
    ("SQLSTATE 08006; 42P01 is raised", {"codes": ("08006", "42P01")}),
    ("ERR_TOO_MANY_REDIRECTS in the browser", {"codes": ("ERR_TOO_MANY_REDIRECTS",)}),
    ("Returns 404 if there is none.", {"codes": ("404",)}),
    ("401 Unauthorized", {"codes": ("401",)}),
    ("HTTP/1.1 503 Service Unavailable", {"codes": ("503",)}),
    ("status codes 400, 403 and `429`", {"codes": ("400", "403", "429")}),
    ("| Status | Meaning |\n|---|---|\n| 409 | taken |", {"codes": ("409",)}),
    ("all 5xx responses: HTTP 5xx", {"codes": ("5xx",)}),
    # Schema keys and key=value.
    ("USERKEY joins accounts.", {"keys": ("USERKEY",)}),
    ("`statuskey=1` means active", {"keys": ("statuskey=1", "statuskey")}),
    ("pass type=user or `id=5`", {"keys": ("type=user", "id=5")}),
    ("| USERKEY_OLD | bigint |", {"keys": ("USERKEY_OLD",)}),
    ("the column `entitlement_valuekey`", {"keys": ("entitlement_valuekey",)}),
    ("sourceAttr -> targetAttr", {"keys": ("sourceAttr", "targetAttr")}),
    ("givenName → first_name", {"keys": ("givenName", "first_name")}),
    ('{"statuskey": 1, "userId": 5}', {"keys": ("statuskey", "userId")}),
    ("set `webhook.hostNetwork`", {"keys": ("webhook.hostNetwork",)}),
    # Roles, flags, variables, versions.
    ("grant ROLE_ADMIN and APP_OWNER_ROLE", {"roles": ("ROLE_ADMIN", "APP_OWNER_ROLE")}),
    ("`roles/iam.securityAdmin`", {"roles": ("roles/iam.securityAdmin",)}),
    ("--metrics-tls-cert-file=/x and `-f`", {"flags": ("--metrics-tls-cert-file", "-f")}),
    ("```\nkubectl get pods --all-namespaces\n```", {"flags": ("--all-namespaces",)}),
    ("echo $HOME ${ETCD_NAME}", {"environment": ("HOME", "ETCD_NAME")}),
    ("export ETCD_NAME=infra0", {"environment": ("ETCD_NAME",), "keys": ("ETCD_NAME=infra0",)}),
    ("the environment variable ETCD_DATA_DIR", {"environment": ("ETCD_DATA_DIR",), "keys": ()}),
    ('os.environ["API_TOKEN"]', {"environment": ("API_TOKEN",)}),
    ("%APPDATA% on Windows", {"environment": ("APPDATA",)}),
    ("etcd v3.5.1 or 1.24.0-rc.1", {"versions": ("v3.5.1", "1.24.0-rc.1")}),
    ("upgrade etcd 3.5.0, 3.5.1 to 3.6.x", {"versions": ("3.5.0", "3.5.1", "3.6.x")}),
    ("since version 3.5, v1beta1", {"versions": ("3.5", "v1beta1")}),
    # Words: inflected, with synonyms.
    ("Suspended, deactivated, disabling", {"operations": ("disable",)}),
    ("resetting policies; the user's groups", {"operations": ("reset",), "entities": ("policy", "user", "group")}),
    ("sign in with OAuth 2.0, SAML or OIDC", {"operations": ("authenticate",), "auth": ("oauth2", "saml", "oidc")}),
    ("single sign-on, Bearer token", {"auth": ("sso", "bearer")}),
    # Links.
    (
        "[a](https://a.b/c_(d)) [b](./x.md#y 'T') <https://x.y/z> https://q.w/e.",
        {"links": ("https://a.b/c_(d)", "./x.md#y", "https://x.y/z", "https://q.w/e")},
    ),
    ("[r]: ../up.md", {"links": ("../up.md",)}),
    ('<a href="guide.html">', {"links": ("guide.html",)}),
]

NOTHING = [
    "The POST office is closed; GET lost / PUT down.",
    "It takes 1-2 days, from A-Z, and/or a week.",
    "Write to me@example.com before 12:30 on 2024-01-15 or 12.05.2024.",
    "Section 4.2.1 applies.",
    "4.2.1 Obligations of the buyer",
    "The buyer warrants that: 10.1.1 It is a corporation. 10.1.2 There are no claims.",
    "Call 415.568.6000 about page 3.5 of it.",
    "The cells | 123 | 456 | of the response: 361 of 580 patients, error 12",
    "The host 10.0.0.1 answers.",
    "It was the second version of the story; 3.5 of them liked it.",
    "UTF-8, SHA256, SHA-256, AES-256, RFC 7231, ISO-8601, X509, RS256, COVID-19.",
    "It cost $500, paid in 200 shares; 404 pages were read.",
    "It returned 150 rows and returns 200 times.",
    "@@ -1,2 +1,2 @@ and @@VERSION",
    "a == b, x=1, a >= b and c := d",
    "The bearer of this letter, within a radius of basic needs, and the turkey of a MONKEY",
    "A userful, groupie word: appetite, roleplay.",
    "Well -- as they say -- that is it.",
    "[mail](mailto:a@b.c)",
    "-f alone in prose is no flag",
    "The file is `/etc/kubernetes/manifests/etcd.yaml`, on `/var/lib`.",
    "`README.md`, `cert-manager.io` and `foo.yaml` are names of files and hosts.",
]


@pytest.mark.parametrize(("text", "expected"), FOUND, ids=[text[:40] for text, _ in FOUND])
def test_finds(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    """Every family finds its facts, distinct and in order of appearance."""
    facts = asdict(detect(text))
    assert {field: facts[field] for field in expected} == expected


@pytest.mark.parametrize("text", NOTHING, ids=[text[:40] for text in NOTHING])
def test_leaves_look_alikes_alone(text: str) -> None:
    """What only looks like a fact is none."""
    assert detect(text).identifiers() == ()
    assert detect(text).versions == ()
    assert detect(text).links == ()


def test_common_words_are_no_terms_of_authentication() -> None:
    """ "bearer", "basic" and "radius" count only in phrases that mean authentication."""
    assert detect("The bearer has basic needs within a radius of a mile.").auth == ()
    assert detect("basic auth, bearer tokens").auth == ("basic", "bearer")


def test_words_are_matched_whole() -> None:
    """ "users" is a user, "userful", "user_id" and "éuser" are none."""
    assert detect("userful user_id éuser groupie").entities == ()


def test_an_endpoint_tells_operation_and_entity() -> None:
    """Facts come from identifiers too: the path says what is done to what."""
    facts = detect("POST /api/v1/users/{userId}/lifecycle/suspend")
    assert facts.operations == ("disable",)
    assert facts.entities == ("user",)


def test_facts_come_in_order_also_from_fenced_code() -> None:
    """Every field is in order of appearance, wherever its facts stand."""
    text = "```\nrun --zeta\n```\nthen --alpha\n```\nand --mid\n```\nand $HOME, export A_B=1"
    facts = detect(text)
    assert facts.flags == ("--zeta", "--alpha", "--mid")
    assert facts.environment == ("HOME", "A_B")


def test_variables_of_fenced_code_are_no_keys() -> None:
    """Every name in a program is snake_case: only what is set as code outside of a fence is a key."""
    assert detect("```python\nfor user_row in all_rows: pass\n```").keys == ()


def test_nothing_is_found_in_nothing() -> None:
    """Facts of an empty text are empty."""
    assert detect("") == Facts()
    assert not detect(" \n\t ")


def test_remembering_does_not_change_the_answer() -> None:
    """Detection is a pure function: the same text gives the same facts, whatever was read before."""
    text = "`statuskey=1`, ROLE_ADMIN, users suspended, v1.2.3"
    first = detect(text)
    for number in range(2000):
        detect(f"word{number} KEY_{number}=x{number}")
    assert detect(text) == first
